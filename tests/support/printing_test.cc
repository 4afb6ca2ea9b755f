#include "support/printing.h"

#include <gtest/gtest.h>

#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::support {

struct PrintedPoint {
  int x = 0;
  int y = 0;

  void Print(llvm::raw_ostream& out) const { out << '<' << x << ' ' << y << '>'; }
};

namespace {

struct Plain {};

static_assert(Printable<PrintedPoint>);
static_assert(!Printable<Plain>);
static_assert(!Printable<int>);

TEST(Printing, OneMemberMakesAllForms) {
  const PrintedPoint point = {1, -2};
  EXPECT_EQ(ToString(point), "<1 -2>");
  std::string text;
  llvm::raw_string_ostream out(text);
  out << point << ", " << PrintedPoint{};
  EXPECT_EQ(text, "<1 -2>, <0 0>");
  EXPECT_EQ(testing::PrintToString(point), "<1 -2>");
}

}  // namespace
}  // namespace hlo_indexing::support
