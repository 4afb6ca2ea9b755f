// Layouts of layout/cute/ against the values and the affine maps that they become, at every point.
#include "layout/cute_algebra/bridge.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/layout/cute/text_of.h"

namespace hlo_indexing::layout {
namespace {

using namespace cute;  // NOLINT: layouts are written so

// Floor division and remainders by the definition, not by MLIR's folding.
int64_t Value(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> point) {
  if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return constant.getValue();
  }
  if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return point[dimension.getPosition()];
  }
  const auto operation = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  const int64_t left = Value(operation.getLHS(), point);
  const int64_t right = Value(operation.getRHS(), point);
  switch (expression.getKind()) {
    case mlir::AffineExprKind::Add:
      return left + right;
    case mlir::AffineExprKind::Mul:
      return left * right;
    case mlir::AffineExprKind::FloorDiv:
      return left / right;  // no negative numbers here
    case mlir::AffineExprKind::Mod:
      return left % right;
    default:
      ADD_FAILURE() << "an operation that a layout does not need";
      return 0;
  }
}

void ExpectEqualMaps(const CuteLayout& value, const std::vector<int64_t>& offsets) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const BoundedAffineMap by_index = ToAffineMap(value, LayoutDomain::kIndex, &context);
  const BoundedAffineMap by_mode = ToAffineMap(value, LayoutDomain::kFlatModes, &context);
  ASSERT_EQ(by_index.dimension_bounds.size(), 1);
  EXPECT_EQ(by_index.dimension_bounds[0],
            (simplifier::Interval{0, static_cast<int64_t>(offsets.size()) - 1}));
  ASSERT_EQ(by_mode.map.getNumDims(), by_mode.dimension_bounds.size());
  // The points of the box in the order of the index: an odometer, leftmost dimension fastest.
  std::vector<int64_t> point(by_mode.dimension_bounds.size(), 0);
  for (size_t i = 0; i < offsets.size(); ++i) {
    EXPECT_EQ(Value(by_index.map.getResult(0), {static_cast<int64_t>(i)}), offsets[i]) << i;
    EXPECT_EQ(Value(by_mode.map.getResult(0), point), offsets[i]) << i;
    for (size_t d = 0; d < point.size(); ++d) {
      if (++point[d] <= by_mode.dimension_bounds[d].upper) break;
      point[d] = 0;
    }
  }
  // The box ends where the layout does.
  for (const int64_t coordinate : point) EXPECT_EQ(coordinate, 0);
}

template <class L>
void ExpectEqual(const L& layout, const std::string& text) {
  SCOPED_TRACE(text);
  const absl::StatusOr<CuteLayout> value = ToCuteLayout(layout);
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(cute_test::TextOf(layout), text);
  EXPECT_EQ(value->ToString(), text);
  EXPECT_EQ(value->size(), static_cast<int64_t>(size(layout)));
  EXPECT_EQ(value->cosize(), static_cast<int64_t>(cosize(layout)));
  EXPECT_EQ(value->rank(), static_cast<int64_t>(decltype(rank(layout))::value));
  EXPECT_EQ(value->depth(), static_cast<int64_t>(decltype(depth(layout))::value));
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < value->size(); ++i) {
    offsets.push_back(static_cast<int64_t>(layout(i)));
    EXPECT_EQ(value->Offset(i).value(), offsets.back()) << i;
    EXPECT_EQ(value->Offset(ToIntTuple(idx2crd(i, layout.shape()))).value(), offsets.back()) << i;
  }
  ExpectEqualMaps(*value, offsets);
}

TEST(CuteBridge, StaticLayouts) {
  ExpectEqual(Layout<_8>{}, "_8:_1");
  ExpectEqual(Layout<_1>{}, "_1:_0");
  ExpectEqual(Layout<Shape<_4, _8>>{}, "(_4,_8):(_1,_4)");
  ExpectEqual(Layout<Shape<_4, _8>, Stride<_8, _1>>{}, "(_4,_8):(_8,_1)");
  ExpectEqual(Layout<Shape<_4, _8>, Stride<_2, _32>>{}, "(_4,_8):(_2,_32)");
  ExpectEqual(Layout<Shape<_4, Shape<_2, _8>>, Stride<_8, Stride<_1, _64>>>{},
              "(_4,(_2,_8)):(_8,(_1,_64))");
  ExpectEqual(
      Layout<Shape<Shape<_2, Shape<_3, _2>>, _5>, Stride<Stride<_1, Stride<_40, _2>>, _4>>{},
      "((_2,(_3,_2)),_5):((_1,(_40,_2)),_4)");
  ExpectEqual(Layout<Shape<_1, Shape<_4, _1>, _3>, Stride<_7, Stride<_3, _9>, _1>>{},
              "(_1,(_4,_1),_3):(_7,(_3,_9),_1)");
  ExpectEqual(Layout<Shape<_3, _4, _2>, Stride<_0, _1, _0>>{}, "(_3,_4,_2):(_0,_1,_0)");
  ExpectEqual(Layout<Shape<Shape<_6>>, Stride<Stride<_5>>>{}, "((_6)):((_5))");
  ExpectEqual(
      composition(Layout<Shape<_6, _2>, Stride<_8, _2>>{}, Layout<Shape<_4, _3>, Stride<_3, _1>>{}),
      "((_2,_2),_3):((_24,_2),_8)");
}

TEST(CuteBridge, NegativeStrides) {
  const absl::StatusOr<CuteLayout> value = ToCuteLayout(Layout<Shape<_4, _3>, Stride<_m1, _4>>{});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->ToString(), "(_4,_3):(_-1,_4)");
  ExpectEqual(Layout<Shape<_4, _3>, Stride<_m1, _4>>{}, "(_4,_3):(_-1,_4)");
}

TEST(CuteBridge, DynamicLayouts) {
  ExpectEqual(make_layout(make_shape(8, 3)), "(8,3):(_1,8)");
  ExpectEqual(make_layout(make_shape(_8{}, 3), LayoutRight{}), "(_8,3):(3,_1)");
  ExpectEqual(
      make_layout(make_shape(1, make_shape(_4{}, 1), 5), make_stride(9, make_stride(_2{}, 0), 11)),
      "(1,(_4,1),5):(9,(_2,0),11)");
  ExpectEqual(make_layout(make_shape(assume<8>(24), _2{})), "(24{div=8},_2):(_1,24{div=8})");
  ExpectEqual(zipped_divide(make_layout(make_shape(24, 8)), Shape<_8, _4>{}),
              "((_8,_4),(3,2)):((_1,24),(_8,96))");
}

TEST(CuteBridge, ExampleOfTheManual) {
  const int n = 8;
  const auto layout = make_layout(make_shape(_4{}, make_shape(_2{}, n)),
                                  make_stride(_8{}, make_stride(_1{}, _64{})));
  ExpectEqual(layout, "(_4,(_2,8)):(_8,(_1,_64))");
  EXPECT_EQ(ToCuteLayout(layout)->Offset(23).value(), 153);
}

TEST(CuteBridge, WhatDoesNotFitIsAnError) {
  const auto large = make_shape(int64_t{1} << 32, int64_t{1} << 32);
  EXPECT_FALSE(ToCuteLayout(make_layout(large, make_stride(_0{}, _0{}))).ok());
  EXPECT_FALSE(ToCuteLayout(make_layout(-3, _1{})).ok());
}

}  // namespace
}  // namespace hlo_indexing::layout
