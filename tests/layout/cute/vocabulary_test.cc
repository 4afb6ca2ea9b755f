// The small things that kernels take from CuTe: functions as objects, sequences, arrays,
// reductions, arithmetic of narrow floats.
#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

TEST(Vocabulary, Find) {
  EXPECT_EQ(TextOf(find(Shape<_2, _8, _4>{}, _4{})), "_2");
  EXPECT_EQ(TextOf(find(Shape<_2, _8, _4>{}, _5{})), "_3");
  EXPECT_EQ(TextOf(find_if(make_tuple(_2{}, 7, _4{}),
                           [](auto x) { return bool_constant<!is_static_v<decltype(x)>>{}; })),
            "_1");
}

TEST(Vocabulary, SequencesAreTuplesOfStaticIntegers) {
  std::string text;
  for_each(make_int_range<2, 5>{}, [&](auto i) { text += TextOf(i); });
  for_each(make_int_sequence<2>{}, [&](auto i) { text += TextOf(i); });
  EXPECT_EQ(text, "_2_3_4_0_1");
  EXPECT_EQ(TextOf(transform(seq<3, 1>{}, [](auto i) { return i * _2{}; })), "(_6,_2)");
  static_assert(tuple_size_v<make_seq<7>> == 7, "");
}

TEST(Vocabulary, FunctionObjects) {
  EXPECT_EQ(TextOf(transform(Shape<_2, _8>{}, Shape<_3, _4>{}, multiplies{})), "(_6,_32)");
  EXPECT_EQ(TextOf(fold(Shape<_2, _8>{}, _0{}, plus{})), "_10");
  EXPECT_EQ(TextOf(fold(Shape<_2, _8, _4>{}, _0{}, max_fn{})), "_8");
  EXPECT_EQ(min_fn{}(2.5F, 1.5F), 1.5F);
  EXPECT_EQ(TextOf(identity{}(_7{})), "_7");
  EXPECT_EQ(TextOf(constant_fn<_3>{}(1, 2)), "_3");
  static_assert(is_constant_v<3, _3> && !is_constant_v<3, int>, "");
  EXPECT_EQ(TextOf(13_c), "_13");
}

TEST(Vocabulary, Arrays) {
  array<int, 3> a = {5, 6, 7};
  int sum = 0;
  for (const int x : a) sum += x;
  EXPECT_EQ(sum, 18);
  EXPECT_EQ(get<1>(a), 6);
  const auto [x, y, z] = a;
  EXPECT_EQ(x + y + z, 18);
  clear(a);
  EXPECT_TRUE((a == array<int, 3>{}));
  array_subbyte<int4b_t, 5> packed;
  packed.clear();
  packed[3] = int4b_t(-2);
  EXPECT_EQ(sizeof(packed), 3U);
  EXPECT_EQ(static_cast<int>(packed[3]), -2);
  EXPECT_EQ(static_cast<int>(packed[2]), 0);
  static_assert(alignof(array_aligned<half_t, 8>) == 16, "");
}

TEST(Vocabulary, Reductions) {
  Tensor t = make_tensor<float>(Shape<_4, _3>{});
  for (int i = 0; i < 12; ++i) t(i) = static_cast<float>(i);
  EXPECT_EQ(reduce(t, 0.0F, plus{}), 66);
  EXPECT_EQ(reduce(t(_, 1), 0.0F, max_fn{}), 7);
  Tensor columns = make_tensor<float>(Shape<_3>{});
  fill(columns, 100);
  batch_reduce(t, columns);
  EXPECT_EQ(columns(0), 106);
  EXPECT_EQ(columns(2), 138);
}

TEST(Vocabulary, ArithmeticOfNarrowFloats) {
  const half_t a(1.5F);
  half_t b = a * a + a;
  b += half_t(1);
  EXPECT_EQ(static_cast<float>(b), 4.75F);
  EXPECT_EQ(static_cast<float>(-b), -4.75F);
  const bfloat16_t c = bfloat16_t(3) / bfloat16_t(2);
  EXPECT_EQ(static_cast<float>(c), 1.5F);
  // 2049 is no half: rounded to even.
  EXPECT_EQ(static_cast<float>(half_t(2048) + half_t(1)), 2048.0F);
  EXPECT_EQ(static_cast<float>(tfloat32_t(1.0F + 1.0F / 4096)), 1.0F);
}

// An alias of hlo_indexing::cute suffices for qualified names.
namespace alias = hlo_indexing::cute;
TEST(Vocabulary, NamespaceAlias) {
  EXPECT_EQ(TextOf(alias::make_layout(alias::Int<4>{})), "_4:_1");
}

}  // namespace
}  // namespace cute_test
