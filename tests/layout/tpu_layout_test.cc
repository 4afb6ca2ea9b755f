#include "layout/tpu_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hlo_indexing::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Sizes = std::vector<int64_t>;

std::string UsualOf(const Sizes& sizes, int64_t bits) {
  const Layout order = DefaultLayout(static_cast<int64_t>(sizes.size()));
  const auto layout = TpuLayout(sizes, bits, order.minor_to_major);
  return layout.ok() ? layout->layout().ToString() : std::string(layout.status().message());
}

std::vector<std::string> Summary(const Sizes& sizes, int64_t bits, ElementContent content,
                                 const Layout& layout) {
  std::vector<std::string> lines;
  const auto formats = TpuFormats(sizes, bits, content, layout);
  for (const TpuFormat& format : *formats) {
    lines.push_back(
        format.name + (format.is_usual ? "* " : " ") + format.layout.layout().ToString() + " " +
        std::to_string(format.layout.bytes()) + " " + std::to_string(format.layout.wasted_bytes()));
  }
  return lines;
}
std::vector<std::string> Summary(const Sizes& sizes, int64_t bits, ElementContent content) {
  return Summary(sizes, bits, content, DefaultLayout(static_cast<int64_t>(sizes.size())));
}

// The formats of the document, by element size and second minor size.
TEST(TpuLayout, UsualFormats) {
  EXPECT_EQ(UsualOf({100, 200}, 32), "{1,0:T(8,128)}");
  EXPECT_EQ(UsualOf({1, 200}, 32), "{1,0:T(2,128)}");
  EXPECT_EQ(UsualOf({7, 2, 200}, 32), "{2,1,0:T(2,128)}");
  EXPECT_EQ(UsualOf({3, 200}, 32), "{1,0:T(4,128)}");
  EXPECT_EQ(UsualOf({4, 200}, 32), "{1,0:T(4,128)}");
  EXPECT_EQ(UsualOf({5, 200}, 32), "{1,0:T(8,128)}");
  EXPECT_EQ(UsualOf({100, 200}, 16), "{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(UsualOf({2, 200}, 16), "{1,0:T(2,128)(2,1)}");
  EXPECT_EQ(UsualOf({100, 200}, 8), "{1,0:T(8,128)(4,1)}");
  EXPECT_EQ(UsualOf({1, 200}, 8), "{1,0:T(4,128)(4,1)}");
  EXPECT_EQ(UsualOf({200}, 32), "{0:T(2,128)}");
  EXPECT_EQ(UsualOf({}, 32), "{:T(2,128)}");
  EXPECT_EQ(UsualOf({100, 200}, 64), "there is no tiled format for elements of 64 bits");
}

TEST(TpuLayout, SecondMinorIsThatOfTheMemoryOrder) {
  const int64_t order[] = {0, 1};
  EXPECT_EQ(TpuLayout({200, 3}, 32, order)->layout().ToString(), "{0,1:T(4,128)}");
}

TEST(TpuLayout, BytesUsedAndWasted) {
  // 3 x 200 floats are 2,400 bytes; tiles of 4 x 256 take 4,096, of 8 x 256 twice that.
  EXPECT_THAT(Summary({3, 200}, 32, ElementContent::kNumber),
              ElementsAre("untiled {1,0} 2400 0", "8x128 {1,0:T(8,128)} 8192 5792",
                          "4x128 compact second minor* {1,0:T(4,128)} 4096 1696",
                          "2x128 compact second minor {1,0:T(2,128)} 4096 1696"));
  EXPECT_THAT(Summary({64, 128}, 8, ElementContent::kBoolean),
              ElementsAre("untiled {1,0} 8192 0", "8x128 packed by 4* {1,0:T(8,128)(4,1)} 8192 0",
                          "4x128 compact second minor packed by 4 {1,0:T(4,128)(4,1)} 8192 0",
                          "32x128 packed by 32, one bit each {1,0:T(32,128)(32,1)E(1)} 1024 0"));
}

// 8 x 128 elements of 4 bits are 512 bytes; of 200 columns, two tiles.
TEST(TpuLayout, KeepsElementSizeAndMemorySpace) {
  const auto of = [](const Sizes& sizes, int64_t bits, llvm::StringRef layout) {
    return Summary(sizes, bits, ElementContent::kNumber, ParseLayout(layout).value());
  };
  EXPECT_THAT(
      of({8, 128}, 8, "{1,0:E(4)}"),
      ElementsAre("untiled {1,0:E(4)} 512 0", "8x128 packed by 8 {1,0:T(8,128)(8,1)E(4)} 512 0"));
  EXPECT_THAT(of({3, 200}, 8, "{1,0:T(2,2)E(2)S(1)}"),
              ElementsAre("untiled {1,0:E(2)S(1)} 150 0",
                          "16x128 packed by 16 {1,0:T(16,128)(16,1)E(2)S(1)} 1024 874"));
  EXPECT_THAT(of({100, 200}, 64, "{1,0:S(5)}"), ElementsAre("untiled {1,0:S(5)} 160000 0"));
  EXPECT_THAT(of({8, 128}, 32, "{1,0:S(1)}"),
              ElementsAre("untiled {1,0:S(1)} 4096 0", "8x128* {1,0:T(8,128)S(1)} 4096 0",
                          "4x128 compact second minor {1,0:T(4,128)S(1)} 4096 0",
                          "2x128 compact second minor {1,0:T(2,128)S(1)} 4096 0"));
  EXPECT_THAT(Summary({64, 128}, 8, ElementContent::kBoolean, ParseLayout("{1,0:E(1)}").value()),
              ElementsAre("untiled {1,0:E(1)} 1024 0",
                          "32x128 packed by 32, one bit each {1,0:T(32,128)(32,1)E(1)} 1024 0"));
}

TEST(TpuLayout, Errors) {
  EXPECT_THAT(std::string(TpuLayout({2, 3}, 32, {0, 0}).status().message()), HasSubstr("once"));
  const int64_t large = int64_t{1} << 30;
  const int64_t order[] = {1, 0};
  EXPECT_THAT(std::string(TpuLayout({large, large}, 32, order).status().message()),
              HasSubstr("does not fit in 64 bits"));
}

}  // namespace
}  // namespace hlo_indexing::layout
