#include "layout/xla_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hlo_indexing::layout {
namespace {

using ::testing::HasSubstr;

TEST(XlaLayout, PrintsWhatItParses) {
  for (const char* text :
       {"{}", "{0}", "{1,0}", "{1,0:T(8,128)(2,1)}", "{0:T(1024)L(2048)}", "{1,0:T(2,128)E(4)S(1)}",
        "{3,2,1,0:T(*,*,2,3)}", "{1,0:D(D,C)#(u32)*(u64)}", "{1,0:SC(0:128)(1:64,128)M(8)}",
        "{0:P(f32[3]{0})}", "{1,0:T(8,128)L(2)#(u8)*(u8)E(2)S(5)SC(1:7)M(16)}"}) {
    const auto layout = ParseLayout(text);
    ASSERT_TRUE(layout.ok()) << layout.status().message();
    EXPECT_EQ(layout->ToString(), text);
  }
}

TEST(XlaLayout, AllowsBlanksAndAnyOrderOfProperties) {
  const auto layout = ParseLayout("{ 1 , 0 : S( 1 ) T( 8 , * , 4 ) }");
  ASSERT_TRUE(layout.ok()) << layout.status().message();
  EXPECT_EQ(layout->ToString(), "{1,0:T(8,*,4)S(1)}");
}

TEST(XlaLayout, ErrorsHavePlaces) {
  const auto message = [](llvm::StringRef text) {
    return std::string(ParseLayout(text).status().message());
  };
  EXPECT_THAT(message("{1,0:T(8,}"), HasSubstr("<layout>:1:10: error: expected an integer"));
  EXPECT_THAT(message("{1,0"), HasSubstr("expected '}'"));
  EXPECT_THAT(message("{1,0:Q(1)}"), HasSubstr("<layout>:1:6: error: expected a layout property"));
  EXPECT_THAT(message("{99999999999999999999}"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(message("{0:T(2)S(1)T(3)}"),
              HasSubstr("<layout>:1:12: error: the property T is given twice"));
  EXPECT_THAT(message("{0} x"), HasSubstr("unexpected text"));
  EXPECT_THAT(message("{0:P(f32[3]}"), HasSubstr("expected ')'"));
  for (const char* text : {"{0:#(s32)}", "{0:#(f32)}", "{0:*()}", "{0:*(u3)}"}) {
    EXPECT_THAT(message(text), HasSubstr("<layout>:1:6: error: expected an unsigned integer type"));
  }
  EXPECT_THAT(message("{0:#(u32,u8)}"), HasSubstr("<layout>:1:9: error: expected ')'"));
}

TEST(XlaLayout, FindsWhatDoesNotFitTheRank) {
  const auto error = [](llvm::StringRef text, int64_t rank) {
    return FindLayoutError(ParseLayout(text).value(), rank).value_or("");
  };
  EXPECT_EQ(error("{1,0:T(8,128)}", 2), "");
  EXPECT_EQ(error("{}", 0), "");
  EXPECT_THAT(error("{1,0}", 3), HasSubstr("orders 2 dimensions, the shape has 3"));
  EXPECT_THAT(error("{1,1}", 2), HasSubstr("once"));
  EXPECT_THAT(error("{2,0}", 2), HasSubstr("once"));
  EXPECT_THAT(error("{0:T(0)}", 1), HasSubstr("at least 1"));
  EXPECT_THAT(error("{0:T()}", 1), HasSubstr("at least one dimension"));
  EXPECT_THAT(error("{0:T(2,*)}", 1), HasSubstr("cannot be the last"));
  EXPECT_THAT(error("{0:L(0)}", 1), HasSubstr("tail padding"));
  EXPECT_THAT(error("{0:SC(1:3)}", 1), HasSubstr("out of range"));
  EXPECT_THAT(error("{0:P(f32[3]{0})}", 1), HasSubstr("only a sparse array"));
  EXPECT_THAT(error("{0:D(D+~)P(f32[3]{0})}", 1), HasSubstr("only a sparse array"));
  EXPECT_EQ(error("{1,0:D(D,C)P(f32[3]{0})}", 2), "");
}

TEST(XlaLayout, PointsAtThePartThatDoesNotFitTheRank) {
  struct Case {
    const char* text;
    int64_t rank;
    size_t offset;
  };
  for (const Case& c :
       {Case{"{1,0}", 3, 0}, Case{"{ 1, 1}", 2, 5}, Case{"{0,2}", 2, 3}, Case{"{1,0:T(8,0)}", 2, 9},
        Case{"{1,0:T(8,2)(2, *)}", 2, 15}, Case{"{1,0:T(8) ()}", 2, 10}, Case{"{0:S(1)L(0)}", 1, 8},
        Case{"{0:SC(0:1) (1:3)}", 1, 11}, Case{"{0:S(1)P(f32[3])}", 1, 8}}) {
    Layout layout;
    support::TextError error;
    EXPECT_EQ(ParseLayoutPrefix(c.text, c.rank, layout, error), std::nullopt);
    EXPECT_EQ(error.offset, c.offset) << c.text;
    EXPECT_EQ(error.message, FindLayoutError(layout, c.rank).value_or("")) << c.text;
  }
  Layout layout;
  support::TextError error;
  EXPECT_EQ(ParseLayoutPrefix("{1,0:T(*,2)} x", 2, layout, error), 12u);
}

TEST(XlaLayout, RefusesMoreTilesThanCanBeFollowed) {
  Layout layout = DefaultLayout(1);
  while (layout.tiles.size() < 200) layout.tiles.push_back({{2}});
  EXPECT_THAT(FindLayoutError(layout, 1).value_or(""), HasSubstr("too many tiles"));
  layout.tiles.resize(100);
  EXPECT_EQ(FindLayoutError(layout, 1), std::nullopt);
}

TEST(XlaLayout, KnowsTheDefaultOrder) {
  EXPECT_EQ(DefaultLayout(3).ToString(), "{2,1,0}");
  EXPECT_TRUE(DefaultLayout(3).IsDefault());
  EXPECT_FALSE(ParseLayout("{0,1}")->IsDefault());
  EXPECT_FALSE(ParseLayout("{1,0:S(1)}")->IsDefault());
  EXPECT_TRUE(ParseLayout("{0,1}")->HasOnlyOrder());
}

}  // namespace
}  // namespace hlo_indexing::layout
