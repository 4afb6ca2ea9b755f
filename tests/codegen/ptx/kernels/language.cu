// What C++ has beside numbers and arrays: wide integers, calls by address, memory of the stack and
// of the heap, and groups of threads. language_cases.cc says what the kernels give.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Quotient and rest of a product by a smaller number: (lower, upper) of each.
extern "C" __global__ void divide_wide(const long long* x, const long long* y, long long* out) {
  const int i = threadIdx.x;
  const __int128 product = static_cast<__int128>(x[i]) * y[i];
  const __int128 by = y[i] / 3 | 1;
  const __int128 quotient = product / by;
  const __int128 rest = product % by;
  out[4 * i] = static_cast<long long>(quotient);
  out[4 * i + 1] = static_cast<long long>(quotient >> 64);
  out[4 * i + 2] = static_cast<long long>(rest);
  out[4 * i + 3] = static_cast<long long>(rest >> 64);
}

// The median of as many numbers as the thread's number says, in an array of that size.
extern "C" __global__ void medians(const int* x, int* out) {
  const int size = threadIdx.x % 9 + 1;
  int* sorted = static_cast<int*>(alloca(size * sizeof(int)));
  for (int i = 0; i < size; ++i) {
    const int value = x[threadIdx.x + i];
    int at = i;
    for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
    sorted[at] = value;
  }
  out[threadIdx.x] = sorted[size / 2];
}

struct Area {
  __device__ virtual int Of(int side) const = 0;
};
struct Square : Area {
  __device__ int Of(int side) const override { return side * side; }
};
struct Frame : Area {
  int width;
  __device__ explicit Frame(int w) : width(w) {}
  __device__ int Of(int side) const override {
    const int inner = side - 2 * width;
    return side * side - inner * inner;
  }
};

extern "C" __global__ void virtual_calls(int* out) {
  const int i = threadIdx.x;
  Area* area = i % 3 == 0 ? static_cast<Area*>(new Square) : new Frame(i % 3);
  out[i] = area->Of(i + 4);
  if (i % 3 == 0) {
    delete static_cast<Square*>(area);
  } else {
    delete static_cast<Frame*>(area);
  }
}

__device__ int Next(int x) { return x + 1; }
__device__ int Twice(int x) { return 2 * x; }
__device__ int Fibonacci(int x) { return x < 2 ? x : Fibonacci(x - 1) + Fibonacci(x - 2); }
__device__ int (*functions[])(int) = {Next, Twice, Fibonacci};

extern "C" __global__ void function_table(const int* which, int* out) {
  out[threadIdx.x] = functions[which[threadIdx.x]](threadIdx.x % 10);
}

// Lists of the heap, each made by one thread and read by another one.
struct Link {
  int value;
  Link* next;
};
extern "C" __global__ void linked_lists(int* out) {
  __shared__ Link* heads[64];
  Link* head = nullptr;
  for (int i = 0; i <= threadIdx.x % 5; ++i) {
    Link* link = static_cast<Link*>(malloc(sizeof(Link)));
    *link = {i * static_cast<int>(threadIdx.x), head};
    head = link;
  }
  heads[threadIdx.x] = head;
  __syncthreads();
  int sum = 0;
  for (const Link* link = heads[63 - threadIdx.x]; link != nullptr; link = link->next) {
    sum += link->value;
  }
  out[threadIdx.x] = sum;
  __syncthreads();
  while (head != nullptr) {
    Link* next = head->next;
    free(head);
    head = next;
  }
}

// Sums, largest and exclusive sums in tiles of 8.
extern "C" __global__ void tiles_of_8(const int* x, int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int value = x[threadIdx.x];
  out[3 * threadIdx.x] = cg::reduce(tile, value, cg::plus<int>());
  out[3 * threadIdx.x + 1] = cg::reduce(tile, value, cg::greater<int>());
  out[3 * threadIdx.x + 2] = cg::exclusive_scan(tile, value, cg::plus<int>());
}

// How many lanes of the warp have the same value, and the how many-th of them the thread is.
extern "C" __global__ void labelled(const int* x, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto same = cg::labeled_partition(warp, x[threadIdx.x]);
  out[threadIdx.x] = static_cast<int>(100 * same.size() + same.thread_rank());
}

// One addition for all threads of a warp that are there.
extern "C" __global__ void count_odd(const int* x, int* places, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] % 2 == 0) return;
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
  first = group.shfl(first, 0);
  places[first + group.thread_rank()] = x[i];
}

// Tiles of more than one warp: one lane of each warp waits for the other warps and passes on what it
// has found.
template <int kSize>
__device__ void LargeTiles(const int* x, int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block(memory));
  const int value = x[threadIdx.x];
  for (int i = 0; i < 2; ++i) {
    int* results = out + 4 * (256 * i + threadIdx.x);
    results[0] = cg::reduce(tile, value + i, cg::plus<int>());
    results[1] = cg::reduce(tile, value + i, cg::greater<int>());
    results[2] = tile.shfl(value, 33 + i);
    results[3] = tile.any(value == 10 + i);
  }
}
extern "C" __global__ void tiles_of_64(const int* x, int* out) { LargeTiles<64>(x, out); }
extern "C" __global__ void tiles_of_128(const int* x, int* out) { LargeTiles<128>(x, out); }
