#include "hlo/shape.h"

#include <gtest/gtest.h>

namespace hlo_indexing::hlo {
namespace {

TEST(Shape, IsUniqueInItsPool) {
  ShapePool pool;
  const Shape* a = pool.Array(ElementType::kF32, {2, 3});
  EXPECT_EQ(a, pool.Array(ElementType::kF32, {2, 3}));
  EXPECT_NE(a, pool.Array(ElementType::kF16, {2, 3}));
  EXPECT_EQ(pool.Tuple({a, pool.Token()}), pool.Tuple({a, pool.Token()}));
  const layout::Layout layout = layout::DefaultLayout(2);
  EXPECT_NE(a, pool.Array(ElementType::kF32, {2, 3}, &layout));
  EXPECT_TRUE(Compatible(*a, *pool.Array(ElementType::kF32, {2, 3}, &layout),
                         ShapeAspects::kTypeAndDimensions));
}

TEST(Shape, NumbersArrayLeavesInTupleOrder) {
  ShapePool pool;
  const Shape* a = pool.Scalar(ElementType::kF32);
  const Shape* b = pool.Array(ElementType::kS32, {4});
  const Shape* inner = pool.Tuple({pool.Token(), b});
  const Shape* empty = pool.Tuple({});
  const Shape* tuple = pool.Tuple({empty, a, inner, empty, pool.Buffer(b), empty});
  EXPECT_EQ(tuple->num_array_leaves(), 3);
  EXPECT_EQ(&tuple->ArrayLeaf(0), a);
  EXPECT_EQ(&tuple->ArrayLeaf(1), b);
  EXPECT_EQ(&tuple->ArrayLeaf(2), b);
  EXPECT_EQ(tuple->ElementOfLeaf(0), 1);
  EXPECT_EQ(tuple->ElementOfLeaf(1), 2);
  EXPECT_EQ(tuple->ElementOfLeaf(2), 4);
  EXPECT_EQ(tuple->FirstLeafOfElement(3), 2);
  EXPECT_EQ(tuple->ToString(), "((), f32[], (token[], s32[4]), (), b(s32[4]), /*index=5*/())");
}

TEST(Shape, RefusesWhatDoesNotFit) {
  ShapePool pool;
  EXPECT_EQ(pool.Array(ElementType::kF32, {int64_t{1} << 32, int64_t{1} << 32}), nullptr);
  EXPECT_NE(pool.Array(ElementType::kPred, {int64_t{1} << 62}), nullptr);
  // A tuple of two copies of itself, 40 times over.
  const Shape* tuple = pool.Tuple({});
  for (int i = 0; i < 40 && tuple != nullptr; ++i) tuple = pool.Tuple({tuple, tuple});
  EXPECT_EQ(tuple, nullptr);
}

TEST(Shape, DynamicDimensions) {
  ShapePool pool;
  const Dimension dimensions[] = {{4, false}, {8, true}, {kUnboundedSize, true}};
  const Shape* shape = pool.Array(ElementType::kBF16, dimensions);
  EXPECT_EQ(shape->ToString(), "bf16[4,<=8,?]");
  EXPECT_TRUE(shape->HasUnboundedDimension());
  EXPECT_TRUE(shape->IsDynamic(1));
  EXPECT_EQ(shape->num_elements(), -1);
  EXPECT_TRUE(Compatible(*shape, *pool.Array(ElementType::kBF16, {4, 8, 77}),
                         ShapeAspects::kTypeAndDimensions));
}

TEST(Shape, StorageOfElements) {
  ShapePool pool;
  layout::Layout packed = layout::DefaultLayout(1);
  packed.element_size_in_bits = 4;
  EXPECT_EQ(pool.Array(ElementType::kS4, {8})->StorageBits(), 8);
  EXPECT_EQ(pool.Array(ElementType::kS4, {8}, &packed)->StorageBits(), 4);
  EXPECT_EQ(pool.Scalar(ElementType::kPred)->StorageBits(), 8);
  EXPECT_EQ(ElementBits(ElementType::kC128), 128);
}

}  // namespace
}  // namespace hlo_indexing::hlo
