// wmma against matrix products in whole numbers: every type, shape and layout. Where the elements
// of a fragment lie is the device's affair, so whole matrices are loaded, multiplied and stored,
// from and to every state space, with rows (or columns) side by side or apart.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/test_device.h"

namespace hlo_indexing::ptx {
namespace {

/// The bits of a whole number from -8 to 15 in the format.
using Encode = std::function<uint64_t(int value)>;

/// Numbers that a binary format with these widths has exactly.
Encode Floats(int exponent, int mantissa, int shift = 0) {
  return [=](int value) -> uint64_t {
    if (value == 0) return 0;
    const auto magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
    int power = 0;
    while (magnitude >> (power + 1) != 0) ++power;
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1;
    const uint64_t field = bias + static_cast<uint64_t>(power);
    const uint64_t fraction = (magnitude << mantissa >> power) - (uint64_t{1} << mantissa);
    const uint64_t sign = value < 0 ? uint64_t{1} << (exponent + mantissa) : 0;
    return (sign | field << mantissa | fraction) << shift;
  };
}
Encode Integers(int bits) {
  return [=](int value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & ((uint64_t{1} << bits) - 1);
  };
}

/// The elements of a factor.
struct Format {
  std::string name;
  size_t bits;
  Encode encode;
  int least;
  int greatest;
};

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kF16 = {"f16", 16, Floats(5, 10), -8, 8};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kBf16 = {"bf16", 16, Floats(8, 7), -8, 8};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kTf32 = {"tf32", 32, Floats(8, 10, 13), -8, 8};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kF64 = {"f64", 64, Floats(11, 52), -8, 8};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kS8 = {"s8", 8, Integers(8), -8, 8};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kU8 = {"u8", 8, Integers(8), 0, 15};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kS4 = {"s4", 4, Integers(4), -8, 7};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kU4 = {"u4", 4, Integers(4), 0, 15};
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): fits in a string without memory
const Format kB1 = {"b1", 1, Integers(1), 0, 1};

/// Of sums: f16, f32, f64 or s32.
size_t BitsOfSum(const std::string& type) { return type == "f16" ? 16 : type == "f64" ? 64 : 32; }
Encode EncodeSum(const std::string& type) {
  if (type == "f16") return Floats(5, 10);
  if (type == "f32") return Floats(8, 23);
  if (type == "f64") return Floats(11, 52);
  return Integers(32);
}

/// A matrix in memory.
struct Stored {
  bool by_rows;
  size_t stride;
  size_t bits;
  std::vector<std::byte> bytes;

  Stored(size_t rows, size_t columns, bool is_by_rows, size_t gap, size_t element_bits)
      : by_rows(is_by_rows),
        stride((is_by_rows ? columns : rows) + gap),
        bits(element_bits),
        bytes((is_by_rows ? rows : columns) * stride * element_bits / 8, std::byte{0x33}) {}

  size_t Place(size_t row, size_t column) const {
    return (by_rows ? row * stride + column : column * stride + row) * bits;
  }
  void Set(size_t row, size_t column, uint64_t value) {
    const size_t place = Place(row, column);
    if (bits >= 8) {
      std::memcpy(bytes.data() + place / 8, &value, bits / 8);
      return;
    }
    const auto mask = static_cast<unsigned>((1U << bits) - 1) << place % 8;
    auto byte = static_cast<unsigned>(bytes[place / 8]);
    byte = (byte & ~mask) | static_cast<unsigned>(value) << place % 8;
    bytes[place / 8] = static_cast<std::byte>(byte);
  }
  uint64_t Get(size_t row, size_t column) const {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + Place(row, column) / 8, bits / 8);
    return value;
  }
};

struct Shape {
  size_t m, n, k;
};

struct Case {
  Shape shape;
  Format a;
  Format b;
  std::string c;
  std::string d;
  size_t a_registers = 1;
  size_t b_registers = 1;
  size_t c_registers = 1;
  size_t d_registers = 1;
  /// The modifiers of mma behind the shape, and those before `.sync`.
  std::string types = {};      // NOLINT(readability-redundant-member-init): GCC warns without
  std::string operation = {};  // NOLINT(readability-redundant-member-init)
  bool a_by_rows = true;
  bool b_by_rows = true;
  bool c_by_rows = true;
  bool d_by_rows = true;
  /// Between rows (or columns), in elements: multiples of 16 bytes. Without a gap no stride is
  /// said.
  bool has_gaps = false;
  bool saturates = false;
};

std::string Registers(const std::string& prefix, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", prefix, i);
  }
  return text + "}";
}

std::string Order(bool by_rows) { return by_rows ? "row" : "col"; }

/// A is read from shared memory, to which the warp copies it, B from global memory, C by generic
/// addresses; D is written to shared memory, from which the warp copies it, if `to_shared`.
std::string TextOf(const Case& test, const Stored& a, const Stored& b, const Stored& c,
                   const Stored& d, bool to_shared) {
  const std::string shape = absl::StrCat("m", test.shape.m, "n", test.shape.n, "k", test.shape.k);
  const auto type = [](const std::string& sum) {
    return sum == "f16" || sum == "s32" ? "b32" : sum == "f32" ? "f32" : "f64";
  };
  const auto stride = [&](const Stored& matrix) {
    return test.has_gaps ? absl::StrCat(", ", matrix.stride) : std::string();
  };
  const std::string factor_type = test.a.name == "f64" ? "f64" : "b32";
  return absl::StrReplaceAll(R"(
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .FACTOR %a<8>, %b<8>;
  .reg .TYPE_C %c<8>;
  .reg .TYPE_D %d<8>;
  .shared .align 128 .b8 a_tile[A_BYTES];
  .shared .align 128 .b8 d_tile[D_BYTES];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u64 %rd4, [d];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd4, %rd4;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, a_tile;
copy_a:
  cvt.u64.u32 %rd5, %r1;
  add.u64 %rd6, %rd1, %rd5;
  ld.global.u8 %r3, [%rd6];
  add.u32 %r0, %r2, %r1;
  st.shared.u8 [%r0], %r3;
  add.u32 %r1, %r1, 32;
  setp.lt.u32 %p, %r1, A_BYTES;
  @%p bra copy_a;
  bar.warp.sync -1;
  wmma.load.a.sync.aligned.ORDER_A.SHAPE.shared.TYPES_A REGISTERS_A, [%r2]STRIDE_A;
  wmma.load.b.sync.aligned.ORDER_B.SHAPE.global.TYPES_B REGISTERS_B, [%rd2]STRIDE_B;
  wmma.load.c.sync.aligned.ORDER_C.SHAPE.TYPES_C REGISTERS_C, [%rd3]STRIDE_C;
  wmma.mmaOPERATION.sync.aligned.ORDER_A.ORDER_B.SHAPETYPES REGISTERS_D, REGISTERS_A, REGISTERS_B, REGISTERS_C;
  STORE
  ret;
})",
                             {{"A_BYTES", absl::StrCat(a.bytes.size())},
                              {"D_BYTES", absl::StrCat(d.bytes.size())},
                              {"FACTOR", factor_type},
                              {"TYPE_C", type(test.c)},
                              {"TYPE_D", type(test.d)},
                              {"ORDER_A", Order(test.a_by_rows)},
                              {"ORDER_B", Order(test.b_by_rows)},
                              {"ORDER_C", Order(test.c_by_rows)},
                              {"SHAPETYPES", shape + test.types},
                              {"SHAPE", shape},
                              {"TYPES_A", test.a.name},
                              {"TYPES_B", test.b.name},
                              {"TYPES_C", test.c},
                              {"OPERATION", test.operation},
                              {"REGISTERS_A", Registers("%a", test.a_registers)},
                              {"REGISTERS_B", Registers("%b", test.b_registers)},
                              {"REGISTERS_C", Registers("%c", test.c_registers)},
                              {"REGISTERS_D", Registers("%d", test.d_registers)},
                              {"STRIDE_A", stride(a)},
                              {"STRIDE_B", stride(b)},
                              {"STRIDE_C", stride(c)},
                              {"STORE",
                               absl::StrCat("wmma.store.d.sync.aligned.", Order(test.d_by_rows),
                                            ".", shape, to_shared ? ".shared." : ".global.", test.d,
                                            to_shared ? " [d_tile], " : " [%rd4], ",
                                            Registers("%d", test.d_registers), stride(d), ";",
                                            to_shared ? R"(
  bar.warp.sync -1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, d_tile;
copy_d:
  add.u32 %r0, %r2, %r1;
  ld.shared.u8 %r3, [%r0];
  cvt.u64.u32 %rd5, %r1;
  add.u64 %rd6, %rd4, %rd5;
  st.global.u8 [%rd6], %r3;
  add.u32 %r1, %r1, 32;
  setp.lt.u32 %p, %r1, )" + absl::StrCat(d.bytes.size()) + R"(;
  @%p bra copy_d;)"
                                                      : "")}});
}

void Check(const Case& test) {
  const Shape& shape = test.shape;
  const auto gap = [&](size_t bits) { return test.has_gaps ? 128 / bits : 0; };
  Stored a(shape.m, shape.k, test.a_by_rows, gap(test.a.bits), test.a.bits);
  Stored b(shape.k, shape.n, test.b_by_rows, gap(test.b.bits), test.b.bits);
  Stored c(shape.m, shape.n, test.c_by_rows, gap(BitsOfSum(test.c)), BitsOfSum(test.c));
  Stored d(shape.m, shape.n, test.d_by_rows, gap(BitsOfSum(test.d)), BitsOfSum(test.d));
  std::mt19937 random(11);
  const auto draw = [&](int least, int greatest) {
    return least + static_cast<int>(random() % static_cast<unsigned>(greatest - least + 1));
  };
  std::vector<std::vector<int>> x(shape.m, std::vector<int>(shape.k));
  std::vector<std::vector<int>> y(shape.k, std::vector<int>(shape.n));
  for (size_t i = 0; i < shape.m; ++i) {
    for (size_t k = 0; k < shape.k; ++k) {
      x[i][k] = draw(test.a.least, test.a.greatest);
      a.Set(i, k, test.a.encode(x[i][k]));
    }
  }
  for (size_t k = 0; k < shape.k; ++k) {
    for (size_t j = 0; j < shape.n; ++j) {
      y[k][j] = draw(test.b.least, test.b.greatest);
      b.Set(k, j, test.b.encode(y[k][j]));
    }
  }
  std::vector<std::vector<int>> sums(shape.m, std::vector<int>(shape.n));
  for (size_t i = 0; i < shape.m; ++i) {
    for (size_t j = 0; j < shape.n; ++j) {
      constexpr int kMost = std::numeric_limits<int>::max();
      sums[i][j] = test.saturates ? (j % 2 == 0 ? kMost - 10 : -kMost + 10) : draw(-100, 100);
      c.Set(i, j, EncodeSum(test.c)(sums[i][j]));
    }
  }
  // Elements of D may be stored to shared memory where there is no gap, which nobody writes.
  const bool to_shared = !test.has_gaps;
  const std::string text = TextOf(test, a, b, c, d, to_shared);
  SCOPED_TRACE(text);
  const auto module = Module::Parse(text, "wmma.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  TestDevice device;
  std::vector<Argument> arguments;
  for (const Stored* matrix : {&a, &b, &c, &d}) {
    const uint64_t address = device.Allocate(matrix->bytes.size(), "matrix").value();
    ASSERT_TRUE(device.Write(address, matrix->bytes.data(), matrix->bytes.size()).ok());
    arguments.push_back(Argument::Of(address));
  }
  LaunchOptions options;
  options.block = {32, 1, 1};
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  const auto result = device.Launch(*module, "k", arguments, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->status.ok()) << result->status.message();
  for (const Finding& finding : result->findings) ADD_FAILURE() << finding.ToString();
  uint64_t address = 0;
  std::memcpy(&address, arguments[3].bytes.data(), sizeof(address));
  ASSERT_TRUE(device.Read(address, d.bytes.data(), d.bytes.size()).ok());
  for (size_t i = 0; i < shape.m; ++i) {
    for (size_t j = 0; j < shape.n; ++j) {
      int64_t sum = sums[i][j];
      for (size_t k = 0; k < shape.k; ++k) {
        if (test.operation == ".xor.popc") {
          sum += x[i][k] ^ y[k][j];
        } else {
          sum += int64_t{x[i][k]} * y[k][j];
        }
      }
      if (test.saturates) {
        sum = std::min<int64_t>(std::max<int64_t>(sum, std::numeric_limits<int>::min()),
                                std::numeric_limits<int>::max());
      }
      ASSERT_EQ(d.Get(i, j), EncodeSum(test.d)(static_cast<int>(sum))) << i << " " << j;
    }
  }
}

/// With every layout of the four matrices, with and without gaps.
void CheckLayouts(Case test) {
  for (unsigned layouts = 0; layouts < 32; ++layouts) {
    test.a_by_rows = (layouts & 1) != 0;
    test.b_by_rows = (layouts & 2) != 0;
    test.c_by_rows = (layouts & 4) != 0;
    test.d_by_rows = (layouts & 8) != 0;
    test.has_gaps = (layouts & 16) != 0;
    // Elements of less than a byte lie side by side along k only.
    if (test.a.bits < 8 && (!test.a_by_rows || test.b_by_rows)) continue;
    Check(test);
    if (testing::Test::HasFailure()) return;
  }
}

constexpr Shape kLargeShapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};

TEST(WmmaTest, Halves) {
  for (const Shape& shape : kLargeShapes) {
    for (const char* c : {"f16", "f32"}) {
      for (const char* d : {"f16", "f32"}) {
        const auto registers = [](const std::string& type) -> size_t {
          return type == "f16" ? 4 : 8;
        };
        CheckLayouts({.shape = shape,
                      .a = kF16,
                      .b = kF16,
                      .c = c,
                      .d = d,
                      .a_registers = 8,
                      .b_registers = 8,
                      .c_registers = registers(c),
                      .d_registers = registers(d),
                      .types = absl::StrCat(".", d, ".", c)});
      }
    }
  }
}

/// Registers of a factor: its elements, packed, spread over the lanes.
size_t RegistersOf(const Format& format, size_t elements) {
  return elements * format.bits / 32 / 32;
}

Case CaseOf(const Shape& shape, const Format& a, const Format& b, const std::string& sum) {
  const size_t sums = shape.m * shape.n / 32;
  return {.shape = shape,
          .a = a,
          .b = b,
          .c = sum,
          .d = sum,
          .a_registers = RegistersOf(a, shape.m * shape.k),
          .b_registers = RegistersOf(b, shape.k * shape.n),
          .c_registers = sums,
          .d_registers = sums,
          .types = absl::StrCat(".", sum, ".", a.name, ".", b.name, ".", sum)};
}

TEST(WmmaTest, Bfloat16) {
  for (const Shape& shape : kLargeShapes) CheckLayouts(CaseOf(shape, kBf16, kBf16, "f32"));
}

TEST(WmmaTest, Tf32) { CheckLayouts(CaseOf({16, 16, 8}, kTf32, kTf32, "f32")); }

TEST(WmmaTest, Doubles) {
  Case test = CaseOf({8, 8, 4}, kF64, kF64, "f64");
  test.a_registers = 1;
  test.b_registers = 1;
  CheckLayouts(test);
  test.types = ".rm.f64.f64.f64.f64";
  CheckLayouts(test);
}

TEST(WmmaTest, Bytes) {
  for (const Shape& shape : kLargeShapes) {
    for (const Format& format : {kS8, kU8}) {
      Case test = CaseOf(shape, format, format, "s32");
      CheckLayouts(test);
      test.types += ".satfinite";
      test.saturates = true;
      CheckLayouts(test);
    }
  }
}

TEST(WmmaTest, Nibbles) {
  for (const Format& format : {kS4, kU4}) {
    Case test = CaseOf({8, 8, 32}, format, format, "s32");
    CheckLayouts(test);
    test.types += ".satfinite";
    test.saturates = true;
    CheckLayouts(test);
  }
}

TEST(WmmaTest, SingleBits) {
  for (const char* operation : {".xor.popc", ".and.popc"}) {
    Case test = CaseOf({8, 8, 128}, kB1, kB1, "s32");
    test.operation = operation;
    CheckLayouts(test);
  }
}

}  // namespace
}  // namespace hlo_indexing::ptx
