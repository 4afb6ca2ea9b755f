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

TEST(Vocabulary, MoreSequences) {
  static_assert(is_same_v<make_int_range<2, 4>, integer_sequence<int, 2, 3>>, "");
  static_assert(is_same_v<make_index_range<3, 5>, index_sequence<3, 4>>, "");
  static_assert(is_same_v<make_int_rsequence<3>, seq<2, 1, 0>>, "");
  static_assert(is_same_v<make_index_rsequence<2>, index_sequence<1, 0>>, "");
  static_assert(is_same_v<tuple_rseq<Shape<_4, _5>>, seq<1, 0>>, "");
  static_assert(is_same_v<decltype(get<2>(make_integer_sequence<uint32_t, 4>{})),
                          integral_constant<uint32_t, 2>>,
                "");
  int sum = 0;
  for_each(make_index_sequence<5>{}, [&](auto i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 10);
}

TEST(Vocabulary, TupleAlgorithms) {
  const auto t = make_tuple(_3{}, make_tuple(4, _5{}), 6);
  std::string text;
  for_each_leaf(t, [&](auto x) { text += TextOf(x) + " "; });
  EXPECT_EQ(text, "_3 4 _5 6 ");
  EXPECT_EQ(TextOf(fold_first(Shape<_3, _4, _5>{}, minus{})), "_-6");
  EXPECT_EQ(TextOf(iscan(Shape<_3, _4, _5>{}, _1{}, multiplies{})), "(_3,_12,_60)");
  EXPECT_EQ(TextOf(escan(Shape<_3, _4, _5>{}, _1{}, multiplies{})), "(_1,_3,_12)");
  EXPECT_EQ(TextOf(replace_front(t, _1{})), "(_1,(4,_5),6)");
  EXPECT_EQ(TextOf(replace_back(t, _1{})), "(_3,(4,_5),_1)");
  EXPECT_EQ(TextOf(zip2_by(make_tuple(make_tuple(_1{}, 2),
                                      make_tuple(make_tuple(_3{}, 4), make_tuple(_5{}, 6)), 7),
                           make_tuple(_0{}, make_tuple(_0{}, _0{})))),
            "((_1,(_3,_5)),(2,(4,6),7))");
  EXPECT_EQ(TextOf(find<int>(t)), "_2");
  EXPECT_EQ(TextOf(find<_3>(t)), "_0");
  static_assert(is_flat<Shape<_2, int>>::value && !is_flat<Shape<_2, Shape<_1>>>::value, "");
}

TEST(Vocabulary, IntegersBitByBit) {
  for (uint32_t x = 0; x < 5000; ++x) {
    int width = 0;
    int ones = 0;
    for (uint32_t rest = x; rest != 0; rest /= 2, ++width) ones += static_cast<int>(rest % 2);
    EXPECT_EQ(bit_width(x), width);
    EXPECT_EQ(popcount(x), ones);
    EXPECT_EQ(has_single_bit(x), ones == 1);
    EXPECT_EQ(countl_zero(x), 32 - width);
    int zeros = 0;
    while (zeros < 32 && (x >> zeros & 1) == 0) ++zeros;
    EXPECT_EQ(countr_zero(x), zeros);
    EXPECT_EQ(countr_one(~x), zeros);
    EXPECT_EQ(countl_one(~x), 32 - width);
    if (x != 0) {
      EXPECT_TRUE(bit_floor(x) <= x && x < 2 * bit_floor(x) && has_single_bit(bit_floor(x)));
      EXPECT_TRUE(bit_ceil(x) >= x && (x == 1 || bit_ceil(x) < 2 * x) &&
                  has_single_bit(bit_ceil(x)));
      EXPECT_EQ(log_2(x), width - 1);
    }
    EXPECT_EQ(rotr(rotl(x, 13), 13), x);
    EXPECT_EQ(rotl(x, 40), rotl(x, 8));
  }
  EXPECT_EQ(bit_width(uint64_t{1} << 63), 64);
  EXPECT_EQ(popcount(int8_t{-1}), 8);
  EXPECT_EQ(rotl(uint8_t{0x81}, 1), 3);
  EXPECT_EQ(shiftl(5, -1), 2);
  EXPECT_EQ(signum(-7), -1);
  EXPECT_EQ(TextOf(signum(_m7{})), "_-1");
  EXPECT_EQ(TextOf(hlo_indexing::cute::abs(_m7{})), "_7");
  EXPECT_EQ(TextOf(bit_width(_5{})), "_3");
  EXPECT_EQ(TextOf(log_2(_64{})), "_6");
  EXPECT_EQ(TextOf(bit_ceil(_5{})), "_8");
  EXPECT_EQ(TextOf(safe_div(_12{}, _4{})), "_3");
  const auto [quotient, remainder] = divmod(17, 5);
  EXPECT_EQ(quotient * 10 + remainder, 32);
}

TEST(Vocabulary, FunctionObjects) {
  EXPECT_EQ(hlo_indexing::cute::bind(minus{}, 10)(3), 7);
  EXPECT_EQ(shift_left_const<3>{}(5), 40);
  EXPECT_EQ(TextOf(conditional_return<true>(_3{}, 4)), "_3");
  EXPECT_EQ(numeric_limits<int8_t>::max(), 127);
  static_assert(is_any_of_v<int, float, int> && !is_any_of_v<int, float>, "");
  static_assert(is_same_v<copy_cv_t<int const, float>, float const>, "");
  const auto sum_exists = [](auto const& x, auto const& y) -> decltype(void(x + y)) {};
  static_assert(decltype(is_valid(sum_exists, 1, 2))::value, "");
  static_assert(!decltype(is_valid(sum_exists, 1, Shape<_1>{}))::value, "");

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

TEST(Vocabulary, FunctionsThatChangeWhatTheyTake) {
  int x = 5;
  EXPECT_EQ(plus_assign{}(x, 2), 7);
  EXPECT_EQ(&minus_assign{}(x, 1), &x);
  multiplies_assign{}(x, 3);
  divides_assign{}(x, 2);
  modulus_assign{}(x, 5);
  EXPECT_EQ(x, 4);
  left_shift_assign{}(x, 3);
  right_shift_assign{}(x, 1);
  bit_or_assign{}(x, 3);
  bit_and_assign{}(x, 18);
  bit_xor_assign{}(x, 1);
  EXPECT_EQ(x, 19);
  EXPECT_EQ(pre_increment{}(x), 20);
  EXPECT_EQ(post_increment{}(x), 20);
  EXPECT_EQ(post_decrement{}(x), 21);
  EXPECT_EQ(pre_decrement{}(x), 19);
  EXPECT_EQ(address_of{}(x), &x);
  dereference{}(&x) = 1;
  EXPECT_EQ(left_shift{}(x, 4) + right_shift{}(8, 2), 18);
  EXPECT_EQ(abs_fn{}(-3) + abs_fn{}(4), 7);
  EXPECT_EQ(abs_fn{}(-1.5), 1.5);
  EXPECT_EQ(TextOf(transform(make_tuple(_2{}, Int<-3>{}), abs_fn{})), "(_2,_3)");
}

TEST(Vocabulary, Orders) {
  const auto a = make_tuple(1, 5);
  const auto b = make_tuple(2, 4);
  EXPECT_TRUE(lex_leq(a, b) && lex_leq(a, a) && !lex_geq(a, b) && lex_geq(a, a));
  EXPECT_TRUE(!lex_gtr(a, b) && lex_gtr(b, a) && !lex_gtr(a, a));
  EXPECT_TRUE(!colex_leq(a, b) && colex_leq(a, a) && colex_geq(a, b) && colex_gtr(a, b));
}

TEST(Vocabulary, TypesByName) {
  using L = Layout<Shape<_4, Shape<_2, _3>>>;
  static_assert(rank_t<L>::value == 2, "");
  static_assert(depth_t<L>::value == 2, "");
  static_assert(cosize_t<L>::value == 24, "");
  using D = decltype(L{}.stride());
  static_assert(has_int1<D>::value && !has_int0<D>::value, "");
  static_assert(all_underscore<tuple<Underscore, tuple<Underscore>>>::value, "");
  static_assert(!all_underscore<tuple<Underscore, _1>>::value, "");
  static_assert(is_same_v<int_bit_t<32>, int32_t> && is_same_v<int_byte_t<8>, int64_t>, "");
  static_assert(is_same_v<int_bit_t<4>, int4_t> && is_same_v<uint_byte<2>::type, uint16_t>, "");
  static_assert(is_tensor_v<decltype(make_tensor<int>(Shape<_2>{}))> && !is_tensor_v<L>, "");
  static_assert(!dependent_false<L>, "");
  EXPECT_EQ(TextOf(compact_major<LayoutRight>(Shape<_4, Shape<_2, _3>>{})), "(_6,(_3,_1))");
  EXPECT_EQ(TextOf(compact_major<LayoutLeft>(Shape<_4, _2>{}, _8{})), "(_8,_32)");
  EXPECT_EQ(TextOf(compact_order(Shape<_4, _2, _3>{}, Step<_2, _0, _1>{})), "(_6,_1,_2)");
  alignas(16) int words[8] = {};
  EXPECT_TRUE(is_byte_aligned<16>(words) && !is_byte_aligned<8>(words + 1));
}

// An alias of hlo_indexing::cute suffices for qualified names.
namespace alias = hlo_indexing::cute;
TEST(Vocabulary, NamespaceAlias) {
  EXPECT_EQ(TextOf(alias::make_layout(alias::Int<4>{})), "_4:_1");
}

}  // namespace
}  // namespace cute_test
