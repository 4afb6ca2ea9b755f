// Drawings of copies and products: each element shows whose it is, as the partitions say.
#include <map>
#include <regex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

using Place = std::pair<int, int>;                    // row, column
using Owners = std::map<Place, std::pair<int, int>>;  // thread, value

template <class Print>
std::string Printed(Print const& print) {
  testing::internal::CaptureStdout();
  print();
  fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

// The elements of a drawing, with the upper left corner of C, or of the source, as (0,0).
Owners FromLatex(std::string const& text) {
  Owners owners;
  const std::regex node(R"(at \((-?\d+),(-?\d+)\) \{\\shortstack\{T(\d+) \\\\ V(\d+)\}\};)");
  for (std::sregex_iterator i(text.begin(), text.end(), node), end; i != end; ++i) {
    const Place place{std::stoi((*i)[1]), std::stoi((*i)[2])};
    EXPECT_TRUE(owners.insert({place, {std::stoi((*i)[3]), std::stoi((*i)[4])}}).second);
  }
  return owners;
}
Owners FromSvg(std::string const& text, int row, int column) {
  Owners owners;
  const std::regex box(
      "<rect x=\"(\\d+)\" "
      "y=\"(\\d+)\"[^>]*>\n<text[^>]*>T(\\d+)</text>\n<text[^>]*>V(\\d+)</text>");
  for (std::sregex_iterator i(text.begin(), text.end(), box), end; i != end; ++i) {
    const Place place{std::stoi((*i)[2]) / 20 + row, std::stoi((*i)[1]) / 20 + column};
    EXPECT_TRUE(owners.insert({place, {std::stoi((*i)[3]), std::stoi((*i)[4])}}).second);
  }
  return owners;
}
// Every element that begins is ended.
void ExpectWellFormed(std::string const& svg) {
  EXPECT_NE(svg.find("<svg "), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  std::size_t depth = 0;
  const std::regex tag("<(/?)[a-z]+[^<>]*?(/?)>");
  for (std::sregex_iterator i(svg.begin(), svg.end(), tag), end; i != end; ++i) {
    if ((*i)[1].length() != 0) {
      --depth;
    } else if ((*i)[2].length() == 0) {
      ++depth;
    }
  }
  EXPECT_EQ(depth, 0U);
}

// What a partition gives the threads of a tile whose first element has a place.
template <class Tile, class Partition>
void Add(Owners& owners, int threads, Tile const& tile, bool transposed, Place first,
         Partition const& partition) {
  for (int thread = 0; thread < threads; ++thread) {
    const auto part = partition(thread, make_identity_tensor(tile));
    for (int value = 0; value < static_cast<int>(size(part)); ++value) {
      const auto coord = part(value);
      int row = static_cast<int>(get<0>(coord));
      int column = static_cast<int>(get<1>(coord));
      if (transposed) std::swap(row, column);
      owners.insert({{first.first + row, first.second + column}, {thread, value}});
    }
  }
}

template <class Mma>
void CheckMma(Mma const& mma) {
  const auto m = tile_size<0>(mma);
  const auto n = tile_size<1>(mma);
  const auto k = tile_size<2>(mma);
  const int beside = -(k + 1);
  const int threads = size(mma);
  Owners expected;
  Add(expected, threads, make_shape(m, n), false, {0, 0},
      [&](int t, auto const& tile) { return mma.get_slice(t).partition_C(tile); });
  Add(expected, threads, make_shape(m, k), false, {0, beside},
      [&](int t, auto const& tile) { return mma.get_slice(t).partition_A(tile); });
  Add(expected, threads, make_shape(n, k), true, {beside, 0},
      [&](int t, auto const& tile) { return mma.get_slice(t).partition_B(tile); });
  EXPECT_EQ(static_cast<int>(expected.size()), m * n + m * k + n * k);
  EXPECT_EQ(FromLatex(Printed([&] { print_latex(mma); })), expected);
  const std::string svg = Printed([&] { print_svg(mma); });
  ExpectWellFormed(svg);
  EXPECT_EQ(FromSvg(svg, beside - 1, beside - 1), expected);
}
TEST(PrintAtoms, Products) {
  CheckMma(make_tiled_mma(SM80_16x8x8_F32F16F16F32_TN{}));
  CheckMma(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                          Tile<_32, _32, _16>{}));
  CheckMma(make_tiled_mma(UniversalFMA<float, float, float>{}, Layout<Shape<_2, _3, _2>>{}));
  const MMA_Atom<SM80_8x8x4_F64F64F64F64_TN> atom;
  EXPECT_EQ(Printed([&] { print_svg(atom); }), Printed([&] { print_svg(make_tiled_mma(atom)); }));
  EXPECT_EQ(Printed([&] { print_latex(atom); }),
            Printed([&] { print_latex(make_tiled_mma(atom)); }));
}

template <class Copy>
void CheckCopy(Copy const& copy) {
  const auto m = tile_size<0>(copy);
  const auto n = tile_size<1>(copy);
  Owners expected;
  Add(expected, size(copy), make_shape(m, n), false, {0, 0},
      [&](int t, auto const& tile) { return copy.get_slice(t).partition_S(tile); });
  Add(expected, size(copy), make_shape(m, n), false, {0, n + 3},
      [&](int t, auto const& tile) { return copy.get_slice(t).partition_D(tile); });
  EXPECT_EQ(static_cast<int>(expected.size()), 2 * m * n);
  EXPECT_EQ(FromLatex(Printed([&] { print_latex(copy); })), expected);
  const std::string svg = Printed([&] { print_svg(copy); });
  ExpectWellFormed(svg);
  EXPECT_EQ(FromSvg(svg, -1, -1), expected);
}
TEST(PrintAtoms, Copies) {
  CheckCopy(make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>, uint16_t>{}, Layout<Shape<_4, _2>>{},
                            Layout<Shape<_1, _2>>{}));
  CheckCopy(make_tiled_copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Layout<Shape<_16, _2>>{},
                            Layout<Shape<_2, _4>>{}));
  CheckCopy(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{},
                              make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{})));
}

TEST(PrintAtoms, LayoutsAsSvg) {
  const std::string svg = Printed([] { print_svg(Layout<Shape<_2, _3>, Stride<_3, _1>>{}); });
  ExpectWellFormed(svg);
  const std::regex box("<rect x=\"(\\d+)\" y=\"(\\d+)\"[^>]*>\n<text[^>]*>(\\d+)</text>");
  int count = 0;
  for (std::sregex_iterator i(svg.begin(), svg.end(), box), end; i != end; ++i, ++count) {
    const int column = std::stoi((*i)[1]) / 20 - 1;
    const int row = std::stoi((*i)[2]) / 20 - 1;
    EXPECT_EQ(std::stoi((*i)[3]), 3 * row + column);
  }
  EXPECT_EQ(count, 6);
  ExpectWellFormed(Printed(
      [] { print_svg(composition(Swizzle<2, 0, 3>{}, Layout<Shape<_8, _8>, Stride<_8, _1>>{})); }));
}

}  // namespace
}  // namespace cute_test
