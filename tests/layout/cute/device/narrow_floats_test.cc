// What instructions make of narrow floats, against formats and roundings on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "layout/cute/tensor.h"
#include "tests/layout/cute/device/kernel_run.h"

namespace cute_test {
namespace {

using hlo_indexing::cute::bfloat16_t;
using hlo_indexing::cute::complex;
using hlo_indexing::cute::float_e4m3_t;
using hlo_indexing::cute::float_e5m2_t;
using hlo_indexing::cute::half_t;
using hlo_indexing::cute::tfloat32_t;

const Module& Kernels(const std::string& name) {
  static const auto* const narrow = new Module(ReadModule("narrow_floats"));
  static const auto* const small = new Module(ReadModule("small_floats"));
  const bool is_small =
      name.find("E4m3") != std::string::npos || name.find("E5m2") != std::string::npos;
  return is_small ? *small : *narrow;
}

// Of all signs, with all bits of the significand, between 1/4 and 4.
float Random(std::mt19937& random) {
  const auto significand = static_cast<float>(random() % (1 << 24)) / (1 << 24) + 1;
  return std::ldexp(random() % 2 == 0 ? significand : -significand,
                    static_cast<int>(random() % 4) - 2);
}

// `expected` says what d is of elements a, b and c.
template <class D, class A, class B, class C, class F>
void CheckProducts(const std::string& name, F const& expected) {
  std::mt19937 random(11);
  int differs_from_one_rounding = 0;
  for (int round = 0; round < 16; ++round) {
    std::vector<A> a;
    std::vector<B> b;
    std::vector<C> c;
    for (int i = 0; i < 4; ++i) a.push_back(A(Random(random)));
    for (int i = 0; i < 4; ++i) b.push_back(B(Random(random)));
    for (int i = 0; i < 16; ++i) c.push_back(C(Random(random)));
    std::vector<D> d(16);
    KernelRun kernel(Kernels(name), name);
    kernel.Pass(a);
    kernel.Pass(b);
    kernel.Pass(c);
    kernel.Pass(d);
    kernel.Run(1);
    kernel.Read(3, d);
    for (size_t i = 0; i < 16; ++i) {
      const D value = expected(a[i % 4], b[i / 4], c[i]);
      const D fused(std::fma(static_cast<float>(a[i % 4]), static_cast<float>(b[i / 4]),
                             static_cast<float>(c[i])));
      // ptxas may make one instruction of mul.f16 and add.f16.
      if (!kernel.is_virtual() && static_cast<float>(d[i]) == static_cast<float>(fused)) continue;
      ASSERT_EQ(static_cast<float>(d[i]), static_cast<float>(value)) << name << " " << i;
      differs_from_one_rounding += static_cast<float>(value) != static_cast<float>(fused);
    }
    if (!kernel.is_virtual()) ++differs_from_one_rounding;
  }
  EXPECT_GT(differs_from_one_rounding, 0) << name;
}
// The product is rounded to the type of the factors, and the sum to that of the result.
template <class D, class T>
void CheckProductsOf(const std::string& name) {
  CheckProducts<D, T, T, D>(name, [](T a, T b, D c) {
    const T product(static_cast<float>(a) * static_cast<float>(b));
    return D(static_cast<float>(product) + static_cast<float>(c));
  });
}
TEST(NarrowFloats, ProductsAreRoundedToTheTypeOfTheFactors) {
  CheckProductsOf<half_t, half_t>("HalvesOfHalves");
  CheckProductsOf<float, half_t>("FloatsOfHalves");
  CheckProductsOf<bfloat16_t, bfloat16_t>("BrainsOfBrains");
  CheckProductsOf<float, bfloat16_t>("FloatsOfBrains");
  CheckProductsOf<float, tfloat32_t>("FloatsOfTf32");
  CheckProductsOf<float, float_e4m3_t>("FloatsOfE4m3");
  CheckProductsOf<float, float_e5m2_t>("FloatsOfE5m2");
}
TEST(NarrowFloats, ProductsOfTwoTypesAreThoseOfFloat) {
  std::mt19937 random(12);
  std::vector<half_t> a;
  std::vector<float> b;
  std::vector<float> c;
  for (int i = 0; i < 4; ++i) a.emplace_back(Random(random));
  for (int i = 0; i < 4; ++i) b.push_back(Random(random));
  for (int i = 0; i < 16; ++i) c.push_back(Random(random));
  std::vector<float> d(16);
  KernelRun kernel(Kernels("HalvesAndFloats"), "HalvesAndFloats");
  kernel.Pass(a);
  kernel.Pass(b);
  kernel.Pass(c);
  kernel.Pass(d);
  kernel.Run(1);
  kernel.Read(3, d);
  // nvcc makes one instruction of product and sum.
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(d[i], std::fma(static_cast<float>(a[i % 4]), b[i / 4], c[i]));
  }
}
TEST(NarrowFloats, ComplexProductsAreSummedPartByPart) {
  std::mt19937 random(13);
  std::vector<complex<float>> a;
  std::vector<complex<float>> b;
  std::vector<complex<float>> c;
  const auto next = [&] {
    const float real = Random(random);
    return complex<float>(real, Random(random));
  };
  for (int i = 0; i < 4; ++i) a.push_back(next());
  for (int i = 0; i < 4; ++i) b.push_back(next());
  for (int i = 0; i < 16; ++i) c.push_back(next());
  std::vector<complex<float>> d(16);
  KernelRun kernel(Kernels("Complex"), "Complex");
  kernel.Pass(a);
  kernel.Pass(b);
  kernel.Pass(c);
  kernel.Pass(d);
  kernel.Run(1);
  kernel.Read(3, d);
  for (size_t i = 0; i < 16; ++i) {
    const complex<float> x = a[i % 4];
    const complex<float> y = b[i / 4];
    const float first = std::fma(x.real(), y.real(), c[i].real());
    // nvcc writes a product and a difference, of which ptxas may make one instruction.
    EXPECT_TRUE(d[i].real() == std::fma(-x.imag(), y.imag(), first) ||
                d[i].real() == first - x.imag() * y.imag());
    EXPECT_EQ(d[i].imag(), std::fma(x.imag(), y.real(), std::fma(x.real(), y.imag(), c[i].imag())));
  }
}

// 128 threads convert 1024 numbers.
template <class To, class From>
std::vector<To> Converted(const std::string& name, std::vector<From>& from) {
  std::vector<To> to(from.size());
  KernelRun kernel(Kernels(name), name);
  kernel.Pass(from);
  kernel.Pass(to);
  kernel.Run(static_cast<int>(from.size() / 8));
  kernel.Read(1, to);
  return to;
}
// Numbers of the format and between them, ties, and what is no number of it.
template <class T>
void CheckConversions(const std::string& to, const std::string& from) {
  std::vector<T> codes;
  for (int i = 0; i < 256; ++i) codes.push_back(T::bitcast(static_cast<uint8_t>(i)));
  const std::vector<float> floats = Converted<float>(from, codes);
  std::vector<float> values;
  for (size_t i = 0; i < 256; ++i) {
    const float expected = static_cast<float>(codes[i]);
    EXPECT_EQ(std::isnan(floats[i]), std::isnan(expected));
    if (std::isnan(expected)) continue;
    EXPECT_EQ(floats[i], expected);
    EXPECT_EQ(std::signbit(floats[i]), std::signbit(expected));
    const float next = static_cast<float>(T::bitcast(static_cast<uint8_t>(i + 1)));
    values.push_back(expected);
    values.push_back((expected + (std::isfinite(next) ? next : 2 * expected)) / 2);
    values.push_back(std::nextafter(values.back(), 0.0F));
    values.push_back(std::nextafter(values[values.size() - 2], 2 * expected));
  }
  values.push_back(INFINITY);
  values.push_back(-INFINITY);
  values.push_back(NAN);
  while (values.size() % 8 != 0) values.push_back(1e30F);
  const std::vector<T> rounded = Converted<T>(to, values);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(rounded[i].storage, T(values[i]).storage) << values[i];
  }
}
TEST(NarrowFloats, ConversionsOfEightBits) {
  CheckConversions<float_e4m3_t>("ToE4m3", "FromE4m3");
  CheckConversions<float_e5m2_t>("ToE5m2", "FromE5m2");
}
TEST(NarrowFloats, ConversionsOfTf32) {
  std::vector<float> values = {1.0F + 1.0F / 2048,
                               -1.0F - 1.0F / 2048,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               3.4028235e38F,
                               1e-45F,
                               0.0F};
  std::vector<tfloat32_t> narrow = Converted<tfloat32_t>("ToTf32", values);
  const std::vector<float> wide = Converted<float>("FromTf32", narrow);
  const std::vector<float> expected = {
      1.0F + 1.0F / 1024, -1.0F - 1.0F / 1024, INFINITY, -INFINITY, NAN, INFINITY, 0.0F, 0.0F};
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(narrow[i].storage, tfloat32_t(values[i]).storage);
    if (i != 4) {
      EXPECT_EQ(wide[i], expected[i]);
    }
  }
  EXPECT_TRUE(std::isnan(wide[4]));
}

template <class T>
void CheckGreater(const std::string& name) {
  std::mt19937 random(14);
  std::vector<T> a;
  std::vector<T> b;
  for (int i = 0; i < 8; ++i) a.push_back(T(Random(random)));
  for (int i = 0; i < 8; ++i) {
    b.push_back(i % 4 == 0 ? a[static_cast<size_t>(i)] : T(Random(random)));
  }
  a[5] = T(NAN);
  std::vector<T> result = b;
  KernelRun kernel(Kernels(name), name);
  kernel.Pass(a);
  kernel.Pass(result);
  kernel.Run(1);
  kernel.Read(1, result);
  for (size_t i = 0; i < 8; ++i) {
    T expected = b[i];
    if (static_cast<float>(a[i]) > static_cast<float>(b[i])) {
      expected = T(static_cast<float>(a[i]) -
                   static_cast<float>(T(static_cast<float>(b[i]) * static_cast<float>(a[i]))));
    } else if (static_cast<float>(a[i]) == static_cast<float>(b[i])) {
      expected = T(-static_cast<float>(a[i]));
    }
    EXPECT_EQ(result[i].storage, expected.storage) << name << " " << i;
  }
}
TEST(NarrowFloats, Comparisons) {
  CheckGreater<half_t>("GreaterHalves");
  CheckGreater<bfloat16_t>("GreaterBrains");
}

// All kinds of numbers by all kinds, and random ones.
TEST(NarrowFloats, QuotientsOfHalves) {
  const std::vector<uint16_t> kinds = {0x0000, 0x8000, 0x0001, 0x8003, 0x03ff, 0x0400,
                                       0x3555, 0x3c00, 0xbc01, 0x4200, 0x7bff, 0xfbff,
                                       0x7c00, 0xfc00, 0x7e00, 0x0ccd};
  std::mt19937 random(15);
  for (int round = 0; round < 40; ++round) {
    std::vector<half_t> a;
    std::vector<half_t> b;
    for (size_t i = 0; i < 256; ++i) {
      // Of two that are small the quotient is large, and of the others it may be subnormal.
      const auto code = static_cast<uint16_t>(random());
      const auto other = static_cast<uint16_t>(random());
      a.push_back(half_t::bitcast(round == 0 ? kinds[i % 16] : code));
      b.push_back(half_t::bitcast(round == 0 ? kinds[i / 16] : other));
    }
    std::vector<half_t> result = b;
    KernelRun kernel(Kernels("Quotients"), "Quotients");
    kernel.Pass(a);
    kernel.Pass(result);
    kernel.Run(128);
    kernel.Read(1, result);
    for (size_t i = 0; i < 256; ++i) {
      const half_t expected = a[i] / b[i];
      if (std::isnan(static_cast<float>(expected))) {
        ASSERT_TRUE(std::isnan(static_cast<float>(result[i])));
      } else {
        ASSERT_EQ(result[i].storage, expected.storage) << a[i].storage << " / " << b[i].storage;
      }
    }
  }
}

}  // namespace
}  // namespace cute_test
