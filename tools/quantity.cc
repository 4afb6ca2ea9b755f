#include "tools/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "support/to_double.h"

namespace hlo_indexing::tools {
namespace {

std::string Formatted(double number, int decimals) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", decimals, number);
  return text;
}

// Three digits of a number from 1 to 999.
std::string ThreeDigits(double number) {
  constexpr double kTwoDecimals = 9.995;
  constexpr double kOneDecimal = 99.95;
  if (number < kTwoDecimals) return Formatted(number, 2);
  return Formatted(number, number < kOneDecimal ? 1 : 0);
}

// The number divided by 1,000 until it is below, at least once from `from` on, and how often.
struct Scaled {
  double number = 0;
  size_t steps = 0;
};
Scaled Scale(double number, size_t most_steps) {
  constexpr double kThousand = 1000;
  constexpr double kRoundsToThousand = 999.5;
  Scaled scaled{number, 0};
  while (scaled.number >= kRoundsToThousand && scaled.steps < most_steps) {
    scaled.number /= kThousand;
    ++scaled.steps;
  }
  return scaled;
}

}  // namespace

std::string Digits(const llvm::DynamicAPInt& number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t i = text.size(); i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string Bytes(const llvm::DynamicAPInt& bytes) {
  constexpr int64_t kMostExact = 9999;
  constexpr std::array<llvm::StringRef, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes <= kMostExact) return WithCommas(static_cast<int64_t>(bytes)) + " B";
  constexpr double kBeyondUnits = 999.5e18;
  const double number = support::ToDouble(bytes);
  if (number >= kBeyondUnits) return Scientific(number) + " B";
  const Scaled scaled = Scale(number, kUnits.size() - 1);
  return ThreeDigits(scaled.number) + " " + kUnits[scaled.steps].str();
}

std::string Microseconds(double microseconds) {
  constexpr std::array<llvm::StringRef, 4> kUnits = {"ns", "us", "ms", "s"};
  constexpr double kTooManyDigits = 1e21;
  if (microseconds >= kTooManyDigits) return Scientific(microseconds / 1e6) + " s";
  const Scaled scaled = Scale(microseconds * 1e3, kUnits.size() - 1);
  return ThreeDigits(scaled.number) + " " + kUnits[scaled.steps].str();
}

std::string Percent(double share) {
  constexpr double kHundred = 100;
  return std::to_string(static_cast<int>(std::floor(share * kHundred))) + "%";
}

std::string Scientific(double number) {
  if (std::isinf(number)) return "over 1e308";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2e", number);
  return text;
}

std::string OneDecimal(double number) { return Formatted(number, 1); }

std::string Counted(int64_t number, llvm::StringRef noun) {
  return Counted(number, noun, noun.str() + "s");
}

std::string Counted(int64_t number, llvm::StringRef singular, llvm::StringRef plural) {
  return WithCommas(number) + " " + (number == 1 ? singular : plural).str();
}

}  // namespace hlo_indexing::tools
