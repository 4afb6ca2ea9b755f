// Tensors of tuples: elements, slices, tiles and partitions against those of the members.
#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

class ZipTensor : public testing::Test {
 protected:
  ZipTensor() {
    for (int i = 0; i < 96; ++i) a_[i] = i * 7 % 31;
    for (int i = 0; i < 96; ++i) b_[i] = static_cast<float>(i) / 4;
  }
  auto a() { return make_tensor(&a_[0], make_shape(_8{}, 12)); }
  auto b() { return make_tensor(&b_[0], make_shape(_8{}, 12), LayoutRight{}); }
  int a_[96];
  float b_[96];
};

TEST_F(ZipTensor, ElementsAreTuples) {
  Tensor zipped = make_zip_tensor(a(), b(), make_identity_tensor(make_shape(_8{}, 12)));
  static_assert(decltype(zipped)::rank == 2, "");
  EXPECT_EQ(size(zipped), 96);
  EXPECT_EQ(TextOf(shape(zipped)), "(_8,12)");
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 12; ++j) {
      const auto [x, y, coord] = zipped(i, j);
      EXPECT_EQ(x, a()(i, j));
      EXPECT_EQ(y, b()(i, j));
      EXPECT_EQ(get<0>(coord), i);
      EXPECT_EQ(get<1>(coord), j);
    }
  }
  EXPECT_EQ(get<0>(zipped(43)), a()(43));
}

TEST_F(ZipTensor, SlicesAndTilesAreThoseOfTheMembers) {
  Tensor zipped = make_zip_tensor(a(), b());
  Tensor row = zipped(3, _);
  for (int j = 0; j < 12; ++j) EXPECT_EQ(get<1>(row(j)), b()(3, j));
  Tensor tile = local_tile(zipped, Shape<_4, _4>{}, make_coord(1, 2));
  Tensor tile_a = local_tile(a(), Shape<_4, _4>{}, make_coord(1, 2));
  Tensor tile_b = local_tile(b(), Shape<_4, _4>{}, make_coord(1, 2));
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(get<0>(tile(i)), tile_a(i));
    EXPECT_EQ(get<1>(tile(i)), tile_b(i));
  }
  Tensor part = local_partition(zipped, Layout<Shape<_2, _4>>{}, 5);
  Tensor part_b = local_partition(b(), Layout<Shape<_2, _4>>{}, 5);
  ASSERT_EQ(static_cast<int>(size(part)), static_cast<int>(size(part_b)));
  for (int i = 0; i < static_cast<int>(size(part)); ++i) EXPECT_EQ(get<1>(part(i)), part_b(i));
  EXPECT_EQ(get<0>(domain_offset(make_coord(2, 1), zipped)(0)), a()(2, 1));
  EXPECT_EQ(get<0>((group_modes<0, 2>(zipped))(17)), a()(17));
}

TEST_F(ZipTensor, UnzippedMembersAreWritable) {
  Tensor zipped = make_zip_tensor(a(), b());
  auto [x, y] = unzip_tensor(zipped(_, 4));
  x(2) = 1000;
  y(3) = 0.5F;
  EXPECT_EQ(a()(2, 4), 1000);
  EXPECT_EQ(b()(3, 4), 0.5F);
}

}  // namespace
}  // namespace cute_test
