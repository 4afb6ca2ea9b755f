// Element types that C++ lacks, and what packs bits: small floats against their definition, complex
// numbers, packed arrays, bit fields, integers of which some bits are known, packed tuples.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

// The value of a code by the definition of the format.
struct Format {
  int exponent_bits, mantissa_bits;
  bool has_infinity, ones_are_nan;
};
double ValueOf(Format const& f, unsigned magnitude) {
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const double fraction = std::ldexp(magnitude & ((1u << f.mantissa_bits) - 1), -f.mantissa_bits);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const unsigned ones = (1u << (f.exponent_bits + f.mantissa_bits)) - 1;
  if (f.ones_are_nan && magnitude == ones) return std::numeric_limits<double>::quiet_NaN();
  if (f.has_infinity && exponent == (1 << f.exponent_bits) - 1) {
    return fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

template <class T>
void CheckFormat(Format const& f) {
  const int sign_bit = f.exponent_bits + f.mantissa_bits;
  std::vector<double> finite;
  for (unsigned code = 0; code < 1u << sign_bit; ++code) {
    const double value = ValueOf(f, code);
    for (const unsigned sign : {0u, 1u}) {
      const T x = T::bitcast(static_cast<uint8_t>(code | sign << sign_bit));
      const float decoded = static_cast<float>(x);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decoded));
        continue;
      }
      EXPECT_EQ(decoded, static_cast<float>(sign != 0 ? -value : value)) << code;
      // What a code stands for is converted back to it, but for the infinities.
      if (!std::isinf(value)) {
        EXPECT_EQ(T(decoded).storage, x.storage);
      }
    }
    if (std::isfinite(value)) finite.push_back(value);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double largest = finite.back();
    float x = std::ldexp(static_cast<float>(random()) / 4294967296.0F,
                         static_cast<int>(random() % 40) - 25);
    if (i % 3 == 0) {  // between two neighbours, exactly
      const std::size_t n = random() % (finite.size() - 1);
      x = static_cast<float>((finite[n] + finite[n + 1]) / 2);
    }
    std::size_t nearest = 0;
    for (std::size_t n = 1; n < finite.size(); ++n) {
      const double before = std::fabs(finite[nearest] - x);
      const double after = std::fabs(finite[n] - x);
      if (after < before || (after == before && n % 2 == 0)) nearest = n;
    }
    if (x > largest) nearest = finite.size() - 1;
    EXPECT_EQ(T(x).storage, nearest) << x;
    EXPECT_EQ(T(-x).storage, nearest | 1u << sign_bit) << x;
  }
  EXPECT_EQ(static_cast<float>(T(1e30F)), static_cast<float>(finite.back()));
  EXPECT_EQ(static_cast<float>(T(-std::numeric_limits<float>::infinity())),
            -static_cast<float>(finite.back()));
  EXPECT_EQ(T(std::numeric_limits<float>::quiet_NaN()).storage, (1u << sign_bit) - 1);
}

TEST(SmallFloat, IsWhatItsFormatSays) {
  CheckFormat<float_e4m3_t>({4, 3, false, true});
  CheckFormat<float_e5m2_t>({5, 2, true, false});
  CheckFormat<float_e3m2_t>({3, 2, false, false});
  CheckFormat<float_e2m3_t>({2, 3, false, false});
  CheckFormat<float_e2m1_t>({2, 1, false, false});
}

TEST(SmallFloat, ScalesHaveNoSign) {
  EXPECT_EQ(static_cast<float>(float_ue4m3_t(1.5F)), 1.5F);
  EXPECT_EQ(float_ue4m3_t(-3.0F).storage, 0);
  EXPECT_EQ(static_cast<float>(float_ue8m0_t(8.0F)), 8.0F);
  EXPECT_EQ(static_cast<float>(float_ue8m0_t(8.5F)), 16.0F);
  EXPECT_EQ(float_ue8m0_t(std::ldexp(1.0F, -127)).storage, 0);
  EXPECT_EQ(float_ue8m0_t(std::ldexp(1.1F, -127)).storage, 1);
  EXPECT_EQ(float_ue8m0_t(std::numeric_limits<float>::max()).storage, 254);
  EXPECT_TRUE(std::isnan(static_cast<float>(float_ue8m0_t::bitcast(255))));
  for (int code = 0; code < 255; ++code) {
    const auto scale = float_ue8m0_t::bitcast(static_cast<uint8_t>(code));
    EXPECT_EQ(static_cast<float>(scale), std::ldexp(1.0F, code - 127));
    EXPECT_EQ(float_ue8m0_t(static_cast<float>(scale)).storage, code);
  }
}

TEST(SmallFloat, Arithmetic) {
  float_e4m3_t x(1.5F);
  x *= float_e4m3_t(3);
  EXPECT_EQ(static_cast<float>(x), 4.5F);
  EXPECT_EQ(static_cast<float>(x + float_e4m3_t(448)), 448.0F);
  EXPECT_EQ(static_cast<float>(-x), -4.5F);
  EXPECT_EQ(sizeof_bits_v<float_e5m2_t>, 8);
  EXPECT_EQ(sizeof_bits_v<float_e2m3_t>, 6);
  EXPECT_EQ(sizeof_bits_v<float_e2m1_t const>, 4);
  EXPECT_EQ(static_cast<int>(int4_t(5) + int4_t(-7)), -2);
  tfloat32_t t(2.0F);
  t += tfloat32_t(1.0F) / tfloat32_t(4.0F);
  EXPECT_EQ(static_cast<float>(t), 2.25F);
}

template <class T>
void ExpectSteps() {
  T x(2);
  EXPECT_EQ(static_cast<float>(++x), 3.0F);
  EXPECT_EQ(static_cast<float>(x++), 3.0F);
  EXPECT_EQ(static_cast<float>(x), 4.0F);
  EXPECT_EQ(static_cast<float>(x--), 4.0F);
  EXPECT_EQ(static_cast<float>(--x), 2.0F);
}
TEST(SmallFloat, StepsOfOne) {
  ExpectSteps<half_t>();
  ExpectSteps<bfloat16_t>();
  ExpectSteps<tfloat32_t>();
  ExpectSteps<float_e4m3_t>();
  ExpectSteps<float_e5m2_t>();
  ExpectSteps<float_e2m1_t>();
}

// -x has the other sign and the same magnitude, infinite or not a number as it may be.
template <class T>
void ExpectNegatedBySign(uint32_t codes, uint32_t sign) {
  for (uint32_t code = 0; code < codes; ++code) {
    const T negated = -T::bitcast(static_cast<decltype(T::storage)>(code));
    ASSERT_EQ(negated.storage, code ^ sign);
  }
}
TEST(SmallFloat, NegationChangesTheSign) {
  ExpectNegatedBySign<half_t>(1 << 16, 0x8000);
  ExpectNegatedBySign<bfloat16_t>(1 << 16, 0x8000);
  ExpectNegatedBySign<float_e4m3_t>(1 << 8, 0x80);
  ExpectNegatedBySign<float_e5m2_t>(1 << 8, 0x80);
  ExpectNegatedBySign<float_e3m2_t>(1 << 6, 0x20);
  ExpectNegatedBySign<float_e2m3_t>(1 << 6, 0x20);
  ExpectNegatedBySign<float_e2m1_t>(1 << 4, 0x8);
  // The 13 bits that tensor cores do not read stay, too.
  EXPECT_EQ((-tfloat32_t::bitcast(0x3f801fff)).storage, 0xbf801fff);
}

TEST(SmallFloat, SixBitsArePackedAcrossBytes) {
  Tensor t = make_tensor<float_e2m3_t>(Shape<_5, _3>{});
  static_assert(sizeof(ArrayEngine<float_e2m3_t, 15>) == 12, "15 elements of 6 bits");
  for (int i = 0; i < 15; ++i) t(i) = float_e2m3_t(static_cast<float>(i) / 2);
  for (int i = 14; i >= 0; i -= 2) t(i) = float_e2m3_t(-static_cast<float>(i) / 4);
  for (int i = 0; i < 15; ++i) {
    const float expected = i % 2 == 0 ? -static_cast<float>(i) / 4 : static_cast<float>(i) / 2;
    EXPECT_EQ(static_cast<float>(float_e2m3_t(t(i))), static_cast<float>(float_e2m3_t(expected)));
  }
}

TEST(Complex, Arithmetic) {
  const complex<double> a(1, 2);
  const complex<double> b(-3, 0.5);
  EXPECT_EQ(a * b, complex<double>(-4, -5.5));
  EXPECT_EQ(a + b - b, a);
  const complex<double> c = a * b / b;
  EXPECT_NEAR(c.real(), 1, 1e-15);
  EXPECT_NEAR(c.imag(), 2, 1e-15);
  EXPECT_EQ(conj(a), complex<double>(1, -2));
  EXPECT_EQ(a * conj(a), complex<double>(norm(a)));
  EXPECT_EQ(a * 2.0, complex<double>(2, 4));
  EXPECT_EQ(conjugate{}(2.5F), 2.5F);
  Tensor t = make_tensor<complex<float>>(Shape<_2, _2>{});
  for (int i = 0; i < 4; ++i) t(i) = complex<float>(static_cast<float>(i), 1);
  transform(t, conjugate{});
  EXPECT_EQ(t(3), complex<float>(3, -1));
  Tensor d = make_tensor<complex<float>>(Shape<_2, _2>{});
  gemm(t, t, d);
  // Rows of B are its second operand: d(m,n) = sum over k of t(m,k) * t(n,k).
  EXPECT_EQ(d(0, 1), complex<float>(0, -1) * complex<float>(1, -1) +
                         complex<float>(2, -1) * complex<float>(3, -1));
}

TEST(Complex, OtherTypesOfElements) {
  const complex<float> a(1, 2);
  const complex<double> b(3, -1);
  // The result has the left type.
  static_assert(std::is_same_v<decltype(a * b), complex<float>>);
  static_assert(std::is_same_v<decltype(b * a), complex<double>>);
  EXPECT_EQ(a * b, complex<float>(5, 5));
  EXPECT_EQ(a + b, complex<float>(4, 1));
  EXPECT_EQ(b - a, complex<double>(2, -3));
  EXPECT_EQ(complex<float>(5, 5) / b, a);
  const complex<double> wide = a;
  EXPECT_EQ(wide, complex<double>(1, 2));
}
TEST(Complex, RealFactorsAddNoProductsWithZero) {
  complex<float> a(std::numeric_limits<float>::infinity(), 1);
  EXPECT_EQ((a * 2.0F).imag(), 2);
  EXPECT_EQ((2.0F * a).imag(), 2);
  EXPECT_EQ((a / 2.0F).imag(), 0.5F);
  a *= 3.0F;
  a /= 2.0F;
  EXPECT_EQ(a.imag(), 1.5F);
}

// The product of two numbers of a type is of the type, whatever it is added to.
template <class T, class D>
void ExpectProductsOfTheType(float x, D sum, D expected) {
  Tensor a = make_tensor<T>(Shape<_1>{});
  Tensor c = make_tensor<D>(Shape<_1>{});
  Tensor d = make_tensor<D>(Shape<_1>{});
  a(0) = T(x);
  c(0) = sum;
  gemm(d, a, a, c);
  EXPECT_EQ(static_cast<float>(D(d(0))), static_cast<float>(expected));
  D by_atom{};
  UniversalFMA<D, T, T, D>::fma(by_atom, T(a(0)), T(a(0)), sum);
  EXPECT_EQ(static_cast<float>(by_atom), static_cast<float>(expected));
}
TEST(Gemm, ProductsHaveTheTypeOfTheirFactors) {
  // The square of 1 + 1/1024 is 1 + 2/1024 + 1/1048576, of which a half has the first two terms.
  ExpectProductsOfTheType<half_t, float>(1 + 1.0F / 1024, 0, 1 + 2.0F / 1024);
  ExpectProductsOfTheType<bfloat16_t, float>(1 + 1.0F / 128, 0, 1 + 2.0F / 128);
  ExpectProductsOfTheType<tfloat32_t, float>(1 + 1.0F / 1024, 0, 1 + 2.0F / 1024);
  // 1.125 squared is 1.265625, between 1.25 and 1.375.
  ExpectProductsOfTheType<float_e4m3_t, float>(1.125F, 0, 1.25F);
  ExpectProductsOfTheType<float_e5m2_t, float>(1.25F, 0, 1.5F);
  ExpectProductsOfTheType<float_e2m1_t, float>(1.5F, 0, 2);
  // 1.5625 + 0.03125 is a number of both, and 1.5625 none of e5m2.
  ExpectProductsOfTheType<float_e5m2_t, half_t>(1.25F, half_t(0.03125F), half_t(1.53125F));
  // Twice rounded: 1.001953125 + 0.00048828125 is halfway and goes to the even one.
  ExpectProductsOfTheType<half_t, half_t>(1 + 1.0F / 1024, half_t(1.0F / 2048),
                                          half_t(1 + 2.0F / 1024));
  ExpectProductsOfTheType<int8_t, int32_t>(100, 1, 10001);
  ExpectProductsOfTheType<int4_t, int32_t>(-7, 1, 50);
}
TEST(Gemm, ElementsOfCKeepTheirType) {
  // 1 + 3/8192 is no half: what is added is the float, and the sum is rounded once.
  Tensor a = make_tensor<float>(Shape<_1>{});
  Tensor c = make_tensor<float>(Shape<_1>{});
  Tensor d = make_tensor<half_t>(Shape<_1>{});
  a(0) = 0.015625F;
  c(0) = 1 + 3.0F / 8192;
  gemm(d, a, a, c);
  EXPECT_EQ(static_cast<float>(d(0)), 1 + 1.0F / 1024);
}

// A type with an fma of its own, found beside it.
struct Tropical {
  int value;
  Tropical() = default;
  explicit Tropical(int v) : value(v) {}
};
void fma(Tropical& d, Tropical const& a, Tropical const& b, Tropical const& c) {
  d.value = std::max(a.value + b.value, c.value);
}
TEST(Gemm, TypesWithAnFmaOfTheirOwn) {
  Tensor a = make_tensor<Tropical>(Shape<_2, _2>{});
  Tensor c = make_tensor<Tropical>(Shape<_2, _2>{});
  for (int i = 0; i < 4; ++i) {
    a(i) = Tropical(i);
    c(i) = Tropical(4);
  }
  gemm(a, a, c);
  EXPECT_EQ(c(0, 0).value, 4);
  EXPECT_EQ(c(1, 1).value, 6);
}

TEST(SmallFloat, Tf32RoundsTiesAway) {
  EXPECT_EQ(static_cast<float>(tfloat32_t(1 + 1.0F / 2048)), 1 + 1.0F / 1024);
  EXPECT_EQ(static_cast<float>(tfloat32_t(-1 - 1.0F / 2048)), -1 - 1.0F / 1024);
  EXPECT_EQ(static_cast<float>(tfloat32_t(1 + 1.0F / 4096)), 1.0F);
  EXPECT_TRUE(std::isnan(static_cast<float>(tfloat32_t(detail::FloatOfBits(0x7fffffff)))));
  EXPECT_TRUE(std::isinf(static_cast<float>(tfloat32_t(INFINITY))));
  EXPECT_EQ(static_cast<float>(tfloat32_t::bitcast(0x3f801fff)), 1.0F);
}

template <class T>
void CheckPacked(std::size_t bytes) {
  array_subbyte<T, 13> a;
  EXPECT_EQ(sizeof(a), bytes);
  std::vector<T> expected(13);
  std::mt19937 random(3);
  a.clear();
  for (int i = 0; i < 200; ++i) {
    const std::size_t at = random() % 13;
    const T value = T(static_cast<int>(random() % 200));
    a[at] = value;
    expected[at] = value;
    for (std::size_t k = 0; k < 13; ++k) {
      if (static_cast<float>(T(a[k])) != static_cast<float>(expected[k])) FAIL() << k;
    }
  }
  EXPECT_TRUE(a.back() == expected[12]);
}
TEST(ArraySubbyte, ElementsDoNotTouchTheirNeighbours) {
  CheckPacked<int4_t>(7);
  CheckPacked<uint2_t>(4);
  CheckPacked<uint1_t>(2);
  CheckPacked<bool>(2);
  CheckPacked<uint8_t>(13);
  CheckPacked<float_e2m1_t>(7);
  CheckPacked<float_e3m2_t>(10);
}

// Every field of up to 64 bits within 130: the other bits stay.
template <int start>
void CheckFields() {
  for_each(make_int_sequence<16>{}, [](auto i) {
    constexpr int bits = 4 * decltype(i)::value + (start % 4) + 1;
    bit_field<start, bits> field;
    unsigned char memory[sizeof(field)];
    std::mt19937_64 random(start * 64 + bits);
    for (int round = 0; round < 4; ++round) {
      std::memset(&memory, round % 2 == 0 ? 0xff : 0x5a, sizeof(field));
      std::memcpy(&field, &memory, sizeof(field));
      const uint64_t value = random();
      field = static_cast<typename decltype(field)::value_type>(value);
      EXPECT_EQ(static_cast<uint64_t>(field), value & (~uint64_t{0} >> (64 - bits)));
      unsigned char after[sizeof(field)];
      std::memcpy(&after, &field, sizeof(field));
      for (int bit = 0; bit < static_cast<int>(8 * sizeof(field)); ++bit) {
        const bool inside = start <= bit && bit < start + bits;
        const bool expected = inside ? value >> (bit - start) & 1 : memory[bit / 8] >> bit % 8 & 1;
        ASSERT_EQ(static_cast<bool>(after[bit / 8] >> bit % 8 & 1), expected)
            << start << bits << bit;
      }
    }
  });
}
TEST(BitField, WritesItsBitsAndNoOthers) {
  CheckFields<0>();
  CheckFields<1>();
  CheckFields<7>();
  CheckFields<30>();
  CheckFields<43>();
  CheckFields<64>();
  CheckFields<66>();
  bit_field<37, 32, float> x{};
  x = 3.25F;
  EXPECT_EQ(static_cast<float>(x), 3.25F);
}

TEST(MixedBits, KnowsWhatFollows) {
  for_each(make_integer_sequence<uint32_t, 8>{}, [](auto ones) {
    for_each(make_integer_sequence<uint32_t, 8>{}, [&](auto flags) {
      for (uint32_t n = 0; n < 8; ++n) {
        const auto m = make_mixed_bits(ones, n, flags);
        const uint32_t value = ones | (n & flags);
        EXPECT_EQ(static_cast<int64_t>(m), value);
        EXPECT_EQ(static_cast<int64_t>(m & _5{}), value & 5);
        EXPECT_EQ(static_cast<int64_t>(m | _2{}), value | 2);
        EXPECT_EQ(static_cast<int64_t>(_6{} ^ m), value ^ 6);
        const auto other = make_mixed_bits(_2{}, n * 5, _5{});
        const uint32_t other_value = 2 | (n * 5 & 5);
        EXPECT_EQ(static_cast<int64_t>(m & other), value & other_value);
        EXPECT_EQ(static_cast<int64_t>(m | other), value | other_value);
        EXPECT_EQ(static_cast<int64_t>(m ^ other), value ^ other_value);
      }
    });
  });
  EXPECT_EQ(TextOf(make_mixed_bits(_5{}, 3, _6{})), "M_5|(3&2)=7");
  EXPECT_EQ(TextOf(make_mixed_bits(_5{}, 3, _4{})), "_5");
  EXPECT_EQ(TextOf(make_mixed_bits(_5{}, _3{}, _6{})), "_7");
  EXPECT_EQ(TextOf(make_mixed_bits(_4{}, 7, _3{})), "M_4|(7&3)=7");
  EXPECT_EQ(TextOf(make_mixed_bits(_4{}, 7, _3{}) & _4{}), "_4");
  EXPECT_EQ(TextOf(make_mixed_bits(_4{}, 7, _3{}) | _3{}), "_7");
}

TEST(PackedTuple, HoldsMembersLikeAStruct) {
  struct Plain {
    int i;
    double d;
  };
  using Packed = packed_tuple<int, _8, double>;
  static_assert(std::is_standard_layout_v<Packed> && sizeof(Packed) == sizeof(Plain), "");
  static_assert(std::is_empty_v<packed_tuple<_1, packed_tuple<>, _2>>, "");
  static_assert(std::is_trivially_copyable_v<Packed>, "");
  Packed t{7, _8{}, 1.5};
  get<2>(t) += 1;
  EXPECT_EQ(get<0>(t), 7);
  EXPECT_EQ(TextOf(get<1>(t)), "_8");
  EXPECT_EQ(get<2>(t), 2.5);
  const auto [i, eight, d] = t;
  EXPECT_EQ(i + eight, 15);
  EXPECT_EQ(d, 2.5);
  EXPECT_EQ(TextOf(find<double>(t)), "_2");
  EXPECT_EQ(TextOf(transform(make_packed_tuple(1, _2{}), [](auto x) { return x * _3{}; })),
            "(3,_6)");
  EXPECT_EQ(hlo_indexing::cute::apply(std::make_tuple(1, 2, 3),
                                      [](int a, int b, int c) { return a + b * c; }),
            7);
}

}  // namespace
}  // namespace cute_test
