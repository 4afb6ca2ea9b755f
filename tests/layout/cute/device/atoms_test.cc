// The layouts of MMA_Traits and of the matrix copies, against what the instructions do on the
// virtual GPU: operands are unit matrices, one element of A and one of B at a time, and random
// ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "layout/cute/tensor.h"
#include "tests/layout/cute/device/device_run.h"

namespace cute_test {
namespace {

namespace cute = hlo_indexing::cute;

const Module& Kernels() {
  static const Module* module = new Module(ReadModule("atoms"));
  return *module;
}

// Runs a kernel of one warp on buffers; the last one is written.
void Run(const std::string& kernel, const std::vector<std::vector<uint8_t>*>& buffers) {
  TestDevice device;
  std::vector<Argument> arguments;
  std::vector<uint64_t> addresses;
  for (std::vector<uint8_t>* buffer : buffers) {
    addresses.push_back(*device.Allocate(buffer->size(), "buffer"));
    ASSERT_TRUE(device.Write(addresses.back(), buffer->data(), buffer->size()).ok());
    arguments.push_back(Argument::Of(addresses.back()));
  }
  LaunchOptions options;
  options.block = {32, 1, 1};
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  const auto result = device.Launch(Kernels(), kernel, arguments, options);
  ASSERT_TRUE(result.ok()) << kernel << ": " << result.status().message();
  ASSERT_TRUE(result->status.ok()) << kernel << ": " << result->status.message();
  ASSERT_TRUE(result->findings.empty()) << kernel;
  ASSERT_TRUE(device.Read(addresses.back(), buffers.back()->data(), buffers.back()->size()).ok());
}

// Bits of memory, the first ones lowest.
void PutBits(std::vector<uint8_t>& memory, size_t bit, int bits, uint64_t value) {
  for (int i = 0; i < bits; ++i, ++bit) {
    const auto mask = static_cast<uint8_t>(1U << bit % 8);
    memory[bit / 8] = static_cast<uint8_t>(memory[bit / 8] & ~mask);
    if ((value >> i & 1) != 0) memory[bit / 8] = static_cast<uint8_t>(memory[bit / 8] | mask);
  }
}
uint64_t GetBits(const std::vector<uint8_t>& memory, size_t bit, int bits) {
  uint64_t value = 0;
  for (int i = 0; i < bits; ++i, ++bit) {
    value |= static_cast<uint64_t>(memory[bit / 8] >> bit % 8 & 1) << i;
  }
  return value;
}

// Where element `column` of row `row` is, of rows of so many.
size_t At(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}

template <class T>
uint64_t BitsOf(int value) {
  const T element(static_cast<T>(value));
  uint64_t bits = 0;
  std::memcpy(&bits, &element, sizeof(element));
  return bits;
}
template <class T>
double ValueOf(uint64_t bits) {
  T element;
  std::memcpy(static_cast<void*>(&element), &bits, sizeof(element));
  return static_cast<double>(element);
}

// The registers of a warp for a matrix: value v of thread t is element tv(t, v).
template <class T, class TV>
std::vector<uint8_t> Registers(const TV& tv, const std::vector<int>& matrix) {
  constexpr int bits = cute::sizeof_bits_v<T>;
  const auto values = static_cast<int>(cute::size<1>(tv));
  std::vector<uint8_t> memory(At(4 * values, 0, bits));
  for (int t = 0; t < 32; ++t) {
    for (int v = 0; v < values; ++v) {
      const auto at = static_cast<size_t>(tv(t, v));
      PutBits(memory, static_cast<size_t>(bits) * At(t, v, values), bits, BitsOf<T>(matrix[at]));
    }
  }
  return memory;
}

// Of one bit, popcounts; of others, products.
bool IsAnd(const std::string& name) { return name.find("AND") != std::string::npos; }
bool IsXor(const std::string& name) { return name.find("XOR") != std::string::npos; }

template <class Op>
class MmaCheck {
 public:
  using Traits = cute::MMA_Traits<Op>;
  static constexpr int m = cute::size_v<decltype(cute::get<0>(typename Traits::Shape_MNK{}))>;
  static constexpr int n = cute::size_v<decltype(cute::get<1>(typename Traits::Shape_MNK{}))>;
  static constexpr int k = cute::size_v<decltype(cute::get<2>(typename Traits::Shape_MNK{}))>;

  explicit MmaCheck(std::string name) : name_(std::move(name)) {}

  void Multiply(const std::vector<int>& a, const std::vector<int>& b, const std::vector<int>& c) {
    using D = typename Traits::ValTypeD;
    std::vector<uint8_t> ra = Registers<typename Traits::ValTypeA>(typename Traits::ALayout{}, a);
    std::vector<uint8_t> rb = Registers<typename Traits::ValTypeB>(typename Traits::BLayout{}, b);
    std::vector<uint8_t> rc = Registers<typename Traits::ValTypeC>(typename Traits::CLayout{}, c);
    std::vector<uint8_t> rd(rc.size());
    Run(name_, {&ra, &rb, &rc, &rd});
    constexpr typename Traits::CLayout tv;
    const auto values = static_cast<int>(cute::size<1>(tv));
    constexpr int bits = cute::sizeof_bits_v<D>;
    for (int t = 0; t < 32; ++t) {
      for (int v = 0; v < values; ++v) {
        const int at = static_cast<int>(tv(t, v));
        const uint64_t word = GetBits(rd, static_cast<size_t>(bits) * At(t, v, values), bits);
        ASSERT_EQ(ValueOf<D>(word), Expected(a, b, c, at % m, at / m))
            << name_ << " at (" << at % m << "," << at / m << ")";
      }
    }
  }

  void UnitMatrices() {
    std::vector<int> a(At(k, 0, m));
    std::vector<int> b(At(k, 0, n));
    const std::vector<int> c(At(n, 0, m));
    // Row i of A meets column j of B in one place of K.
    for (int x = 0; x < k; ++x) {
      a[At(x, x * 5 % m, m)] = 1;
      b[At(x, x * 3 % n, n)] = 1;
      Multiply(a, b, c);
      a[At(x, x * 5 % m, m)] = 0;
      b[At(x, x * 3 % n, n)] = 0;
    }
  }

  void RandomMatrices() {
    std::mt19937 random(7);
    const auto fill = [&](size_t size, int bound) {
      std::vector<int> matrix(size);
      for (int& x : matrix) x = static_cast<int>(random() % static_cast<unsigned>(bound));
      return matrix;
    };
    const int bound = cute::sizeof_bits_v<typename Traits::ValTypeA> == 1 ? 2 : 8;
    for (int i = 0; i < 3; ++i) {
      Multiply(fill(At(k, 0, m), bound), fill(At(k, 0, n), bound), fill(At(n, 0, m), 8));
    }
  }

 private:
  double Expected(const std::vector<int>& a, const std::vector<int>& b, const std::vector<int>& c,
                  int row, int column) const {
    int sum = c[At(column, row, m)];
    for (int x = 0; x < k; ++x) {
      const int p = a[At(x, row, m)];
      const int q = b[At(x, column, n)];
      sum += IsXor(name_) ? p ^ q : (IsAnd(name_) ? p & q : p * q);
    }
    return sum;
  }
  std::string name_;
};

#define HLO_CUTE_TEST_MMA(Op)      \
  TEST(MmaLayouts, Op) {           \
    MmaCheck<cute::Op> check(#Op); \
    check.UnitMatrices();          \
    check.RandomMatrices();        \
  }
#include "tests/layout/cute/device/mma_operations.inc"

// Each layout gives an element of shared memory or of a register the same name: the bit of
// RefLayout.
template <class Op>
void CheckMatrixMove(const std::string& kernel, bool loads, int matrices) {
  using Traits = cute::Copy_Traits<Op>;
  std::vector<uint8_t> rows(512);
  for (size_t i = 0; i < 256; ++i) PutBits(rows, 16 * i, 16, 1000 + i);
  std::vector<uint8_t> registers(At(matrices, 0, 128));
  const auto memory_bits = [](int row, int bit) { return At(row, bit, 128); };
  const auto register_bits = [&](int t, int bit) { return At(t, bit, 32 * matrices); };
  typename Traits::SrcLayout src;
  typename Traits::DstLayout dst;
  std::vector<uint64_t> named(At(matrices, 0, 64));
  const auto move = [&](auto const& in_rows, auto const& in_registers) {
    for (int row = 0; row < 8 * matrices; ++row) {
      for (int bit = 0; bit < 128; bit += 16) {
        named[static_cast<size_t>(in_rows(row, bit)) / 16] =
            GetBits(rows, memory_bits(row, bit), 16);
      }
    }
    for (int t = 0; t < 32; ++t) {
      for (int bit = 0; bit < 32 * matrices; bit += 16) {
        const uint64_t value = named[static_cast<size_t>(in_registers(t, bit)) / 16];
        if (loads) {
          EXPECT_EQ(GetBits(registers, register_bits(t, bit), 16), value) << kernel;
        } else {
          PutBits(registers, register_bits(t, bit), 16, value);
        }
      }
    }
  };
  if (loads) {
    Run(kernel, {&rows, &registers});
    move(src, dst);
  } else {
    move(dst, src);
    std::vector<uint8_t> stored(512);
    Run(kernel, {&registers, &stored});
    for (int row = 0; row < 8 * matrices; ++row) {
      for (int bit = 0; bit < 128; bit += 16) {
        EXPECT_EQ(GetBits(stored, memory_bits(row, bit), 16),
                  GetBits(rows, memory_bits(row, bit), 16))
            << kernel;
      }
    }
  }
}
#define HLO_CUTE_TEST_LOAD(Op, matrices) \
  TEST(MatrixMoves, Op) { CheckMatrixMove<cute::Op>(#Op, true, matrices); }
#define HLO_CUTE_TEST_STORE(Op, matrices) \
  TEST(MatrixMoves, Op) { CheckMatrixMove<cute::Op>(#Op, false, matrices); }
#include "tests/layout/cute/device/matrix_moves.inc"

}  // namespace
}  // namespace cute_test
