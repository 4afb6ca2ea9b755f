// Device-wide algorithms of CUB, as an ordinary CUDA program: each against the same on the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

namespace {

int failures = 0;

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: error %d\n", what, static_cast<int>(error));
  ++failures;
}

/// An array of the device.
template <typename T>
class Array {
 public:
  explicit Array(size_t size) : size_(size) {
    Check(cudaMalloc(&data_, std::max<size_t>(size, 1) * sizeof(T)), "cudaMalloc");
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    Check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  Array(const Array&) = delete;
  ~Array() { Check(cudaFree(data_), "cudaFree"); }

  T* data() { return data_; }
  std::vector<T> Read() const { return Read(size_); }
  std::vector<T> Read(size_t size) const {
    std::vector<T> values(size);
    Check(cudaMemcpy(values.data(), data_, size * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

/// Calls the algorithm twice, as CUB wants it: for the size of its working memory, and to run.
template <typename Algorithm>
void Run(const char* name, const Algorithm& algorithm) {
  size_t bytes = 0;
  Check(algorithm(nullptr, bytes), name);
  Array<char> memory(bytes);
  Check(algorithm(memory.data(), bytes), name);
  Check(cudaDeviceSynchronize(), name);
}

template <typename T>
void Expect(const char* name, size_t size, const std::vector<T>& result,
            const std::vector<T>& expected) {
  if (result == expected) return;
  size_t i = 0;
  while (i < result.size() && i < expected.size() && result[i] == expected[i]) ++i;
  std::printf("%s of %zu: element %zu of %zu is wrong\n", name, size, i, expected.size());
  ++failures;
}

std::vector<int> Numbers(size_t size, int most) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<int> values(size);
  for (int& value : values) value = std::uniform_int_distribution<int>(-most, most)(random);
  return values;
}

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return (x & 1) != 0; }
};
struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

void Reductions(size_t size) {
  const std::vector<int> values = Numbers(size, 1000000);
  const int n = static_cast<int>(size);
  Array<int> in(values);
  Array<int> one(1);
  Run("sum", [&](void* memory, size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, in.data(), one.data(), n);
  });
  Expect("sum", size, one.Read(),
         {static_cast<int>(std::accumulate(values.begin(), values.end(), 0u))});
  Run("min", [&](void* memory, size_t& bytes) {
    return cub::DeviceReduce::Min(memory, bytes, in.data(), one.data(), n);
  });
  Expect("min", size, one.Read(), {*std::min_element(values.begin(), values.end())});
}

void Scan(size_t size) {
  const std::vector<int> values = Numbers(size, 1000);
  Array<int> in(values);
  Array<int> out(size);
  Run("inclusive scan", [&](void* memory, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, in.data(), out.data(),
                                         static_cast<int>(size));
  });
  std::vector<int> expected(size);
  std::partial_sum(values.begin(), values.end(), expected.begin());
  Expect("inclusive scan", size, out.Read(), expected);
}

void Sorts(size_t size) {
  std::vector<int> values = Numbers(size, 1 << 30);
  const int n = static_cast<int>(size);
  Array<int> in(values);
  Array<int> out(size);
  Run("radix sort", [&](void* memory, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in.data(), out.data(), n);
  });
  Array<int> merged(values);
  Run("merge sort", [&](void* memory, size_t& bytes) {
    return cub::DeviceMergeSort::SortKeys(memory, bytes, merged.data(), n, Less());
  });
  std::sort(values.begin(), values.end());
  Expect("radix sort", size, out.Read(), values);
  Expect("merge sort", size, merged.Read(), values);
}

void Selections(size_t size) {
  const std::vector<int> values = Numbers(size, 2);
  const int n = static_cast<int>(size);
  Array<int> in(values);
  Array<int> out(size);
  Array<int> lengths(size);
  Array<int> count(1);
  Run("select", [&](void* memory, size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, in.data(), out.data(), count.data(), n, IsOdd());
  });
  std::vector<int> odd;
  std::copy_if(values.begin(), values.end(), std::back_inserter(odd), IsOdd());
  Expect("number selected", size, count.Read(), {static_cast<int>(odd.size())});
  Expect("select", size, out.Read(odd.size()), odd);
  Run("run-length encode", [&](void* memory, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(memory, bytes, in.data(), out.data(), lengths.data(),
                                              count.data(), n);
  });
  std::vector<int> heads;
  std::vector<int> runs;
  for (size_t i = 0; i < size; ++i) {
    if (i == 0 || values[i] != values[i - 1]) {
      heads.push_back(values[i]);
      runs.push_back(0);
    }
    ++runs.back();
  }
  Expect("number of runs", size, count.Read(), {static_cast<int>(heads.size())});
  Expect("values of runs", size, out.Read(heads.size()), heads);
  Expect("lengths of runs", size, lengths.Read(runs.size()), runs);
}

void Histogram(size_t size) {
  const std::vector<int> values = Numbers(size, 60);
  Array<int> in(values);
  Array<int> counts(16);
  Run("histogram", [&](void* memory, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, in.data(), counts.data(), 17, -48, 48,
                                               static_cast<int>(size));
  });
  std::vector<int> expected(16);
  for (const int value : values) {
    if (value >= -48 && value < 48) ++expected[static_cast<size_t>((value + 48) / 6)];
  }
  Expect("histogram", size, counts.Read(), expected);
}

void Segments(size_t size) {
  const std::vector<int> values = Numbers(size, 1000);
  std::vector<int> offsets = {0};
  while (offsets.back() < static_cast<int>(size)) {
    offsets.push_back(
        std::min(static_cast<int>(size), offsets.back() + 1 + (offsets.back() * 7) % 311));
  }
  const size_t segments = offsets.size() - 1;
  Array<int> in(values);
  Array<int> bounds(offsets);
  Array<int> out(segments);
  Run("segmented sum", [&](void* memory, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, in.data(), out.data(),
                                           static_cast<int>(segments), bounds.data(),
                                           bounds.data() + 1);
  });
  std::vector<int> expected;
  for (size_t s = 0; s < segments; ++s) {
    expected.push_back(
        std::accumulate(values.begin() + offsets[s], values.begin() + offsets[s + 1], 0));
  }
  Expect("segmented sum", size, out.Read(), expected);
}

}  // namespace

/// How many checks failed.
extern "C" int RunProgram() {
  for (const size_t size : {size_t{1}, size_t{257}, size_t{10000}, size_t{100000}}) {
    Reductions(size);
    Scan(size);
    Sorts(size);
    Selections(size);
    Histogram(size);
    Segments(size);
  }
  return failures;
}
