#include "support/real_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace hlo_indexing::support {
namespace {

// The C library rounds decimal texts of any length right.
void ExpectLikeTheLibrary(const std::string& text) {
  const std::optional<double> found = ParseDouble(text);
  const double expected = std::strtod(text.c_str(), nullptr);
  if (std::isinf(expected)) {
    EXPECT_FALSE(found.has_value()) << text.substr(0, 80);
  } else {
    ASSERT_TRUE(found.has_value()) << text.substr(0, 80);
    EXPECT_EQ(*found, expected) << text.substr(0, 80);
    EXPECT_EQ(std::signbit(*found), std::signbit(expected));
  }
}

TEST(RealNumber, LongTextsAreRoundedAsShortOnes) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  const auto digits = [&](int64_t count) {
    std::string text;
    // Runs of one digit, such as ties have.
    while (static_cast<int64_t>(text.size()) < count) {
      text += std::string(static_cast<size_t>(pick(1, 1 + count / 2)),
                          static_cast<char>('0' + pick(0, 9)));
    }
    return text.substr(0, static_cast<size_t>(count));
  };
  for (int i = 0; i < 2000; ++i) {
    std::string text = pick(0, 1) == 0 ? "" : "-";
    const int64_t length = pick(0, 3) == 0 ? 40000 : 1000;
    const int64_t before = pick(0, length);
    text += pick(0, 1) == 0 ? std::string(static_cast<size_t>(before), '0') : digits(before);
    if (pick(0, 3) != 0) text += "." + digits(pick(before == 0 ? 1 : 0, length));
    if (text.empty() || text == "-") text += "0";
    if (pick(0, 1) == 0) text += "e" + std::to_string(pick(-45000, 45000));
    ExpectLikeTheLibrary(text);
  }
}

TEST(RealNumber, ZerosAndExponentsMakeUpForEachOther) {
  const std::string zeros(32000, '0');
  EXPECT_EQ(ParseDouble("0." + zeros + "1e32001"), 1);
  EXPECT_EQ(ParseDouble("1" + zeros + "e-32000"), 1);
  EXPECT_EQ(ParseDouble("0." + std::string(40000, '1')), 1.0 / 9);
  EXPECT_EQ(ParseDouble("0." + zeros + "1"), 0);
  EXPECT_EQ(ParseDouble(zeros + "1e-99999999999999999999"), 0);
  EXPECT_EQ(ParseDouble(zeros + "1e99999999999999999999"), std::nullopt);
  // A digit that is left out is beyond the middle between two doubles.
  const std::string middle = "1.00000000000000011102230246251565404236316680908203125";
  EXPECT_EQ(ParseDouble(middle + zeros), 1);
  EXPECT_GT(ParseDouble(middle + zeros + "1"), 1);
}

TEST(RealNumber, OfOtherFormatsIsRoundedOnce) {
  const std::string above = "1.00390625" + std::string(1000, '0') + "1";
  const auto number = ParseReal(above, llvm::APFloat::BFloat());
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(number->value.convertToFloat(), 1.0078125F);
}

TEST(RealNumber, OtherTextsAreNoNumbers) {
  const std::string ones(300, '1');
  const std::vector<std::string> texts = {"",
                                          "x" + ones,
                                          ones + "x",
                                          ones + "e",
                                          ones + "e+",
                                          ones + ".1.1",
                                          "--" + ones,
                                          ".",
                                          "-",
                                          "1e",
                                          "0x" + std::string(40000, '1') + "p0"};
  for (const std::string& text : texts) {
    EXPECT_EQ(ParseDouble(text), std::nullopt) << text.substr(0, 20);
  }
  EXPECT_EQ(ParseDouble("0x1.8p1"), 3);
  EXPECT_EQ(ParseDouble("0x" + std::string(16000, '0') + "1p0"), 1);
}

}  // namespace
}  // namespace hlo_indexing::support
