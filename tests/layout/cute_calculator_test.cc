// The calculator's answers to expressions, and what it says about those without one.
#include "layout/cute_algebra/calculator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/picture.h"
#include "layout/cute_algebra/syntax.h"
#include "tests/support/small_stack.h"

namespace hlo_indexing::layout {
namespace {

using ::testing::HasSubstr;
using testing::RunOnSmallStack;
using ::testing::StartsWith;

std::optional<CuteResult> Evaluate(const std::string& text, support::TextError& error) {
  const std::optional<CuteExpression> expression = ParseCuteExpression(text, error);
  return expression ? EvaluateCute(*expression, error) : std::nullopt;
}

// The text of the value, or `offset: message`.
std::string Answer(const std::string& text) {
  support::TextError error;
  const std::optional<CuteResult> result = Evaluate(text, error);
  return result ? CuteValueText(result->value)
                : std::to_string(error.offset) + ": " + error.message;
}

struct Row {
  const char* name;
  const char* expression;
  const char* answer;
};

class CalculatorTest : public ::testing::TestWithParam<Row> {};

TEST_P(CalculatorTest, Answers) { EXPECT_EQ(Answer(GetParam().expression), GetParam().answer); }

// The documents' own results, and hand-derived ones.
INSTANTIATE_TEST_SUITE_P(
    Values, CalculatorTest,
    ::testing::Values(
        Row{"Composition", "composition((_4,_8):(_8,_1), _2:_4)", "_2:_1"},
        Row{"UpcastOfASwizzle", "upcast(Sw<3,3,3> o (_8,_64):(_64,_1), 8)",
            "Sw<3,0,3> o _0 o (_8,_8):(_8,_1)"},
        Row{"DowncastOfASwizzle", "downcast(Sw<3,0,3> o (_8,_8):(_8,_1), 8)",
            "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
        Row{"RecastOfASwizzle", "recast_layout(Sw<3,4,3> o _0 o (_8,_64):(_64,_1), half_t, float)",
            "Sw<3,3,3> o _0 o (_8,_32):(_32,_1)"},
        Row{"UpcastOfATensor", "upcast(counting_iter(8) o 4:1, 2)", "counting_iter(4) o 2:1"},
        Row{"DynamicStrideOfAnInverse", "right_inverse((_8,2):(_1,8))", "(_8,2):(_1,_8)"},
        Row{"StrideOfAMode", "stride((4,(2,3)):(6,(1,2)), 1)", "(1,2)"},
        Row{"SizeOfAMode", "size((4,(2,3)), 1)", "6"},
        Row{"ProjectionMark", "local_tile((8,8,8):(1,8,64), (2,2,2), (1,1,1), (1,X,1))",
            "counting_iter(18) o (2,2,8):(1,8,64)"},
        Row{"CompositionAsOperator", "(10,2):(16,4) o (5,4):(1,5)",
            "((5,1),(2,2)):((16,4),(80,4))"},
        Row{"StaticComposition", "(_10,_2):(_16,_4) o (_5,_4):(_1,_5)",
            "(_5,(_2,_2)):(_16,(_80,_4))"},
        // 4:3 skips through (2,3,4) so that the carries into the last mode cancel.
        Row{"CancellingCarries", "(_2,_3,_4):(_1,_3,_8) o _4:_3", "_4:_4"},
        Row{"ByModes", "composition((24,8):(_1,24), <_8,_>)", "(_8,8):(_1,24)"},
        Row{"Nested", "coalesce(logical_divide(_24:_1, _4:_2))", "(_4,_2,_3):(_2,_1,_8)"},
        Row{"Complement", "complement(_4:_2, _24)", "(_2,_3):(_1,_8)"},
        Row{"SliceWithOffset", "slice(((_3,2),(2,_5,_2)):((4,1),(_2,13,100)), (_,5))",
            "counting_iter(28) o ((_3,2)):((4,1))"},
        Row{"OffsetsParseBack", "slice(counting_iter(28) o (_3,2):(4,1), (2,_))",
            "counting_iter(36) o (2):(1)"},
        Row{"PartOfAThread", "local_partition((24,8):(_1,24), (_8,_4):(_1,_8), 10)",
            "counting_iter(26) o (3,2):(_8,96)"},
        Row{"Coordinates", "local_tile(make_identity_tensor((16,24)), (_8,_4), (1,2))",
            "ArithTuple(8,8) o (_8,_4):(_1@0,_1@1)"},
        Row{"CoordinatesParseBack", "at(ArithTuple(8,8) o (_8,_4):(_1@0,_1@1), (1,2))", "(9,10)"},
        Row{"SwizzledSlice", "slice(Sw<3,3,3> o _0 o (_8,_64):(_64,_1), (3,_))",
            "counting_iter(216) o ((_8,_2,_2,_2)):((_1,-8,-16,32))"},
        Row{"TwoSwizzles", "composition(Sw<1,0,3>, Sw<1,1,3>)", "Sw<2,0,3>"},
        Row{"ThreadValues", "make_layout_tv((_4,_8):(_8,_1), (_2,_2):(_2,_1))",
            "((_8,_16),((_8,_4),(_2,_2)):((_16,_2),(_8,_1)))"},
        Row{"MarkedStatic", "coalesce(static((2,(1,6)):(1,(6,2))))", "_12:_1"},
        Row{"FromXla", "from_xla('f32[3,5]{1,0:T(2,2)}')", "((_2,_2),(_2,_3)):((_2,_12),(_1,_4))"},
        Row{"FromXlaWithoutLayout", "from_xla('f32[4,8]')", "(_4,_8):(_8,_1)"},
        Row{"ToXla", "to_xla(((2,2),(2,3)):((2,12),(1,4)))", "[4,6]{1,0:T(2,2)}"},
        Row{"Affine", "affine((4,8):(8,1))",
            "(d0) -> ((d0 mod 4) * 8 + d0 floordiv 4), domain: d0 in [0, 31]"},
        Row{"Bases", "f2_bases(Sw<1,2,3>, (_4,_4,_4):(_16,_4,_1))", "(16,36,4,8,1,2)"},
        Row{"NotEqual", "equal((4,2):(1,8), 8:1)", "no: they differ at index 4"},
        Row{"Equal", "equal((_2,6):(1,2), 12:1)", "yes"},
        Row{"Injective", "injective((4,4):(1,2))", "no"},
        Row{"Onto", "onto((4,4):(1,2), 10)", "yes"},
        Row{"LargeOnes", "cosize((65536,65536):(_1,65536))", "4294967296"},
        // A nested mode under one step is compact by itself.
        Row{"NestedStep", "make_ordered_layout(((_2,_2),_3), (_1,_0))",
            "((_2,_2),_3):((_3,_6),_1)"},
        Row{"DynamicNestedStep", "make_ordered_layout(((2,_2),_3), (_1,_0))",
            "((2,_2),_3):((_3,6),_1)"},
        Row{"EqualSteps", "make_ordered_layout((_2,_2,_3), (_1,_1,_0))", "(_2,_2,_3):(_3,_3,_1)"},
        Row{"BlocksOfDynamicIntegers", "blocked_product(4:1, 3:1)", "((4,(1,3))):((1,(1,4)))"},
        Row{"RakedDynamicIntegers", "raked_product(4:1, 3:1)", "(((1,3),4)):(((1,4),1))"},
        Row{"PaddedTile", "tile_to_shape((_32,_32):(_33,_1), (_32,_32,_2))",
            "((_32,_1),(_32,_1),(_1,_2)):((_33,_0),(_1,_0),(_0,_1056))"},
        Row{"PaddedComplement", "complement((3,6):(_1,_10), _60)", "(3,1):(3,60)"},
        Row{"CopiesInGaps", "logical_product((_3,_6):(_1,_10), _2:_1)",
            "((_3,_6),_2):((_1,_10),_3)"},
        // 27 of 75 offsets: two copies have room in it, but not between its modes.
        Row{"CopiesBehindPadding", "logical_product((_3,_3,_3):(_1,_5,_25), _2:_1)",
            "((_3,_3,_3),_2):((_1,_5,_25),_75)"},
        Row{"Backwards", "composition((_1,(_2,_4)):(_0,(_-1,_512)), _2:_-1)", "_2:_1"},
        Row{"BackwardsThroughTwoModes", "composition((_1,(_2,_4)):(_0,(_-1,_512)), _4:_-1)",
            "(_2,_2):(_1,_-512)"},
        Row{"LeftInverseBackwards", "left_inverse((_4,_2):(_-1,_-8))", "(_8,_2):(_-1,_-4)"},
        Row{"TileSpansMore", "evenly_divides(_32, _8:_3)", "_0"},
        Row{"TileSpansAll", "evenly_divides(48, _8:_3)", "1"},
        Row{"IntegerIsOneMode", "evenly_divides(_16, (_16,))", "_1"},
        Row{"KeptModeIsEven", "evenly_divides((_8,_6), (_2,_))", "_1"},
        Row{"CoordinateOfALayout", "idx2crd(5, (_4,_2):(_1,_4))", "(1,1)"},
        Row{"OffsetInALayout", "crd2idx((1,1), (_4,_2):(_1,_8))", "9"},
        Row{"SwizzledSliceOfOneMode", "slice(Sw<3,4,3> o _0 o (_8,_128):(_128,_1), (_7,_))",
            "counting_iter(_1008) o ((_16,_8)):((_1,_-16))"},
        Row{"EmptyTuple", "size(())", "_1"}, Row{"PythonTuple", "rank((4,))", "_1"}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Errors, CalculatorTest,
    ::testing::Values(
        Row{"OpenTuple", "((4,2):(1", "9: expected ',' or ')', found the end"},
        Row{"NoStride",
            "4:", "2: expected a layout, tuple, integer, '_' or function, found the end"},
        Row{"Rest", "4:1)", "3: unexpected ')' after the expression"},
        Row{"Misspelling", "size(complment(4:1))",
            "5: there is no function 'complment'; did you mean 'complement'?"},
        Row{"TooFewArguments", "composition(4:1)",
            "0: 1 arguments do not fit composition(A, B | A, tiler | A, offset, B)"},
        Row{"WrongArgument", "cosize(1)", "7: expected a layout in cosize(layout)"},
        Row{"Overflow", "(4,99999999999999999999):(1,4)", "3: the number does not fit in 64 bits"},
        Row{"SizeOverflow", "coalesce((9223372036854775807,2):(1,1))",
            "9: the layout (9223372036854775807,2):(1,1): its size does not fit in 64 bits"},
        Row{"DifferentNesting", "(4,2):(1,(2,3))",
            "0: the layout (4,2):(1,(2,3)): shape and stride differ in nesting"},
        Row{"NegativeExtent", "(4,-2):(1,4)", "0: the layout (4,-2):(1,4): an extent is negative"},
        Row{"Axes", "(4,2):(_1@0,1)",
            "0: the layout (4,2):(_1@0,1): some strides count along axes and others do not"},
        Row{"Divisor", "12{div=5}",
            "2: the divisor is not positive or does not divide the integer"},
        Row{"Swizzle", "Sw<3,4,2>", "0: Sw<3,4,2>: |shift| must be at least bits"},
        Row{"Underscore", "_x", "1: expected digits after '_', found 'x'"},
        Row{"OffsetOfProduct", "logical_product(counting_iter(4) o 4:1, 2:1)",
            "0: products of tensors do not exist, for they would reach elements outside of the "
            "data; "
            "multiply the layout instead"},
        Row{"NotAThread", "local_partition((24,8):(1,24), (8,4):(1,8), 32)",
            "0: local_partition: 32 is not the index of a thread of (8,4):(1,8), or that layout is "
            "not "
            "compact"},
        Row{"XlaShape", "from_xla('f32[3,5')",
            "0: expected a quoted shape with an XLA layout, 'f32[3,5]{1,0:T(2,2)}'"}),
    [](const auto& row) { return row.param.name; });

TEST(Calculator, ExplainsWhyACompositionDoesNotExist) {
  EXPECT_EQ(
      Answer("composition((_6,_2):(_1,_10), _4:_4)"),
      "0: composition(A = (_6,_2):(_1,_10), B = _4:_4): there is no such layout. The modes "
      "2:4, 2:8 of B meet in a mode of A and carry over into the next: index 12 is at 20, not "
      "at the sum 16");
  EXPECT_EQ(Answer("composition((_4,_6,_8):(_2,_3,_5), _6:_3)"),
            "0: composition(A = (_4,_6,_8):(_2,_3,_5), B = _6:_3): there is no such layout. Of the "
            "mode _6:_3 of B, what is left is 3:6, of which the first 2 elements lie 7 apart in A; "
            "index 12 is at 9, not at 14, and 2 does not divide 3");
  // The composed map has the values all the same.
  EXPECT_EQ(Answer("at(composed((_6,_2):(_1,_10), _4:_4), 3)"), "20");
}

TEST(Calculator, UnevenDividesHaveABound) {
  support::TextError error;
  const std::optional<CuteResult> result = Evaluate("logical_divide(24:1, 5)", error);
  ASSERT_TRUE(result && result->bound);
  EXPECT_EQ(result->bound->coordinates.LayoutText(), "(5,5):(_1,5)");
  EXPECT_EQ(result->bound->extents.ToString(), "24");
  EXPECT_TRUE(*result->bound->Contains(23));
  EXPECT_FALSE(*result->bound->Contains(24));
  const std::optional<CuteResult> even = Evaluate("logical_divide(24:1, 6)", error);
  ASSERT_TRUE(even);
  EXPECT_FALSE(even->bound);
}

TEST(Calculator, RecastsThatTakeElementsApartAreErrors) {
  EXPECT_THAT(Answer("upcast(Sw<2,0,2> o (_4,_4):(_4,_1), 2)"), HasSubstr("2 elements apart"));
  EXPECT_THAT(Answer("upcast(Sw<1,1,2> o (_4,_6):(_6,_1), 3)"), HasSubstr("a power of 2"));
  EXPECT_THAT(Answer("upcast(counting_iter(3) o 4:1, 2)"), HasSubstr("the offset 3"));
  EXPECT_THAT(Answer("upcast(4:-1, 2)"), HasSubstr("backwards"));
  EXPECT_THAT(Answer("downcast(4:-1, 2)"), HasSubstr("the stride -1"));
  EXPECT_EQ(Answer("upcast((4,2):(1,-4), 2)"), "(2,2):(1,-2)");
}

// Behind a swizzle whole blocks, of 16 here, that hold offset 0 and all of the layout.
TEST(Calculator, CosizesBehindASwizzleAreWholeBlocks) {
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o 10:1)"), "16");
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o 7 o 10:1)"), "32");
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o 9 o 10:-1)"), "16");
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o 10:-1)"), "32");
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o -40 o 10:1)"), "64");
  EXPECT_EQ(Answer("cosize(Sw<2,0,2> o 5 o 0:1)"), "0");
  EXPECT_THAT(Answer("cosize(Sw<2,0,2> o 9223372036854775800 o 8:1)"), HasSubstr("64 bits"));
  EXPECT_THAT(Answer("cosize(Sw<2,0,2> o -9223372036854775800 o 8:-1)"), HasSubstr("64 bits"));
}

TEST(Calculator, CosizesThatDoNotFitAreErrors) {
  EXPECT_THAT(Answer("cosize(2:9223372036854775807)"), HasSubstr("does not fit in 64 bits"));
  EXPECT_EQ(Answer("cosize(2:9223372036854775806)"), "9223372036854775807");
}

// Thread and value layouts are compact by their values, whether static or not.
TEST(Calculator, ThreadValueLayoutsDoNotDependOnMarks) {
  const auto offsets = [](const std::string& threads, const std::string& values) {
    support::TextError error;
    const std::optional<CuteResult> result =
        Evaluate("make_layout_tv(" + threads + ", " + values + ")", error);
    std::vector<int64_t> table;
    if (!result) return table;
    const CuteLayout& layout = std::get<CuteTree>(result->value).members()[1].layout();
    for (int64_t i = 0; i < layout.size(); ++i) table.push_back(*layout.Offset(i));
    return table;
  };
  const std::vector<int64_t> all_dynamic = offsets("(4,8):(8,1)", "(2,2):(2,1)");
  ASSERT_EQ(all_dynamic.size(), 128);
  for (const char* threads :
       {"(4,8):(8,_1)", "(_4,_8):(_8,_1)", "(4,8):(_8,_1)", "(_4,8):(8,_1)"}) {
    for (const char* values : {"(_2,_2):(_2,_1)", "(2,2):(2,1)", "(2,_2):(_2,_1)"}) {
      EXPECT_EQ(offsets(threads, values), all_dynamic) << threads << " " << values;
    }
  }
}

TEST(Calculator, PartsThatReachPastTheEndHaveABound) {
  // The rows that a tile of 4 x 8 at (10,6) has of 41 x 55, by the definition of each.
  const struct {
    const char* expression;
    int64_t inside;
  } rows[] = {{"local_tile((41,55):(1,41), (4,8), (10,6))", 7},
              {"local_tile((41,55):(1,41), (4,8), (10,_))", 55},
              {"local_tile(make_identity_tensor((41,55)), (4,8), (10,6))", 7},
              {"local_tile(Sw<2,0,2> o (10,6):(6,1), (4,4), (2,1))", 4},
              {"local_partition((10,8):(1,10), (_4,_4):(1,_4), 3)", 4},
              {"inner_partition(10:1, 4, 2)", 2},
              {"outer_partition(10:1, 4, 3)", 2}};
  for (const auto& row : rows) {
    support::TextError error;
    const std::optional<CuteResult> result = Evaluate(row.expression, error);
    ASSERT_TRUE(result) << row.expression << ": " << error.message;
    ASSERT_TRUE(result->bound) << row.expression;
    const int64_t size = std::get<CuteTensor>(result->value).size();
    ASSERT_EQ(result->bound->coordinates.size(), size) << row.expression;
    int64_t inside = 0;
    for (int64_t i = 0; i < size; ++i) inside += *result->bound->Contains(i) ? 1 : 0;
    EXPECT_EQ(inside, row.inside) << row.expression;
  }
  support::TextError error;
  const std::optional<CuteResult> whole =
      Evaluate("local_tile((41,55):(1,41), (4,8), (9,5))", error);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->bound);
  EXPECT_THAT(Answer("local_tile(10:1, 4, 3)"), HasSubstr("the index 3 is outside of"));
  EXPECT_THAT(Answer("local_tile((8,8):(1,8), (4,4), (0,-1))"), HasSubstr("-1 is outside of"));
  EXPECT_THAT(Answer("tv_partition((8,8):(1,8), (4,16):(1,4), 4)"), HasSubstr("4 is outside of"));
  EXPECT_THAT(Answer("tv_partition((8,8):(1,8), ((2,2),16):((1,2),4), (1,-1))"),
              HasSubstr("-1 is outside of"));
}

TEST(Calculator, UnknownNamesAreErrors) {
  EXPECT_EQ(Answer("coalesce(halff_t)"), "9: unknown name 'halff_t'; did you mean 'half_t'?");
  EXPECT_THAT(Answer("foo"), StartsWith("0: unknown name 'foo'"));
}

// A layout of so many modes of one element, dynamic or static.
CuteLayout Ones(int64_t count, IntegerKind kind) {
  const IntTuple one = IntTuple::Integer({1, kind, 1, {}});
  const IntTuple ones = IntTuple::Tuple(std::vector<IntTuple>(count, one));
  return *CuteLayout::Create(ones, ones);
}

// Each mode of B becomes as many as A has; too many are left out, and where none can be it is told.
TEST(Calculator, ResultsHaveLimitedNumbersOfModes) {
  const CuteLayout many = Ones(6000, IntegerKind::kDynamic);
  const absl::StatusOr<CuteLayout> composed = Compose(many, many);
  ASSERT_TRUE(composed.ok()) << composed.status();
  EXPECT_EQ(composed->shape().Leaves().size(), 6000);
  EXPECT_EQ(Compose(Ones(30, IntegerKind::kDynamic), Ones(20, IntegerKind::kDynamic))
                ->shape()
                .Leaves()
                .size(),
            600);
  EXPECT_EQ(Compose(many, many, {.modes = 100}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Compose(many, many, {.pairs = 1000}).status().code(),
            absl::StatusCode::kResourceExhausted);
  const absl::StatusOr<CuteLayout> divided =
      Divide(Ones(3000, IntegerKind::kDynamic), CuteTree::Layout(Ones(3000, IntegerKind::kDynamic)),
             TileArrangement::kLogical);
  ASSERT_TRUE(divided.ok()) << divided.status();
  EXPECT_LE(divided->shape().Leaves().size(), size_t{1} << 16);
  ModeCount count(3);
  EXPECT_TRUE(count.Add(2).ok());
  EXPECT_EQ(count.Add(2).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Calculator, DeepNestingIsAnError) {
  const std::string deep(5000, '(');
  EXPECT_THAT(Answer(deep), HasSubstr("nests deeper than 40"));
  // As deep as may be, on a small stack.
  const auto nested = [](const std::string& inside) {
    return std::string(37, '(') + inside + std::string(37, ')');
  };
  RunOnSmallStack([&] {
    const std::string layout = nested("4") + ":" + nested("1");
    EXPECT_THAT(Answer("coalesce(" + layout + ")"), HasSubstr("4:1"));
    EXPECT_THAT(Answer(nested("4") + ":" + nested("1")), HasSubstr("4"));
  });
}

TEST(Calculator, LimitOfTriedPointsIsTold) {
  // The jumps of the left layout have different signs, so that carries may cancel.
  const CuteLayout a = *ParseCuteLayout("(_1048576,_1048576,_1048576):(_1,_0,_7)");
  const CuteLayout b = *ParseCuteLayout("(_1048576,_4096):(_3,_1048577)");
  const absl::StatusOr<CuteLayout> result = Compose(a, b, {.points = 16});
  EXPECT_FALSE(result.ok());
}

TEST(CuteText, ErrorsHaveAPlaceAndACaret) {
  const absl::StatusOr<CuteLayout> layout = ParseCuteLayout("((4,2):(1");
  EXPECT_THAT(std::string(layout.status().message()),
              StartsWith("<layout>:1:10: error: expected ',' or ')', found the end\n((4,2):(1\n"));
}

TEST(CutePicture, TablesAndThreadValues) {
  support::TextError error;
  const std::optional<CuteResult> layout = Evaluate("(2,(2,2)):(4,(2,1))", error);
  EXPECT_EQ(ToText(*PictureOf(layout->value)),
            "(2,(2,2)):(4,(2,1))\n"
            "      0   1   2   3\n"
            "    +---+---+---+---+\n"
            " 0  | 0 | 2 | 1 | 3 |\n"
            "    +---+---+---+---+\n"
            " 1  | 4 | 6 | 5 | 7 |\n"
            "    +---+---+---+---+\n");
  const std::optional<CuteResult> tile = Evaluate("thread_values((2,2):(1,4), (2,4))", error);
  const absl::StatusOr<Picture> picture = PictureOf(tile->value);
  ASSERT_TRUE(picture.ok());
  const Grid& grid = picture->grids.front();
  EXPECT_EQ(grid.At(0, 0).label, "T0V0");
  EXPECT_EQ(grid.At(1, 2).label, "T1V1");
  EXPECT_EQ(grid.At(1, 2).colour_class, 1);
  EXPECT_EQ(grid.At(0, 1).kind, CellKind::kPadding);
  EXPECT_FALSE(PictureOf(Evaluate("thread_values((2,2):(1,8), (2,4))", error)->value).ok());
  EXPECT_FALSE(PictureOf(Evaluate("(300,300):(1,300)", error)->value).ok());
}

}  // namespace
}  // namespace hlo_indexing::layout
