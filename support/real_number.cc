#include "support/real_number.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

namespace hlo_indexing::support {
namespace {

// llvm::APFloat keeps exponents in 16 bits, while a text may have any number of zeros before or
// after its point.
constexpr size_t kFewCharacters = 256;
constexpr size_t kMostHexCharacters = size_t{1} << 14;
// More than the 768 that a tie of doubles may have.
constexpr size_t kSignificantDigits = 800;
// Beyond all formats.
constexpr int64_t kLargestExponent = 10'000;

// The same number with a point behind the first significant digit, and few digits: where others
// have been left out, a 1 stands for them. Nullopt if the text is no decimal number.
// Example: "-000123.40e5" -> "-1.234e7"
std::optional<std::string> Shortened(llvm::StringRef text) {
  std::string shortened;
  if (text.consume_front("-")) shortened = "-";
  if (shortened.empty()) text.consume_front("+");
  std::string digits;
  bool has_digits = false;
  bool has_point = false;
  bool has_rest = false;
  int64_t exponent = -1;
  while (!text.empty() && (llvm::isDigit(text.front()) || (text.front() == '.' && !has_point))) {
    const char c = text.front();
    text = text.drop_front();
    if (c == '.') {
      has_point = true;
      continue;
    }
    has_digits = true;
    const bool is_significant = !digits.empty() || c != '0';
    if (is_significant && digits.size() < kSignificantDigits) {
      digits += c;
    } else {
      has_rest |= is_significant && c != '0';
    }
    // Where the first significant digit stands.
    if (is_significant && !has_point) ++exponent;
    if (!is_significant && has_point) --exponent;
  }
  if (!has_digits) return std::nullopt;
  if (!text.empty()) {
    if (!text.consume_front("e") && !text.consume_front("E")) return std::nullopt;
    const bool is_negative = text.consume_front("-");
    if (!is_negative) text.consume_front("+");
    if (text.empty() || !llvm::all_of(text, llvm::isDigit)) return std::nullopt;
    int64_t given = 0;
    // Longer than any text of digits that could make up for it.
    if (text.getAsInteger(10, given)) given = INT64_MAX / 4;
    given = std::min(given, INT64_MAX / 4);
    exponent += is_negative ? -given : given;
  }
  if (digits.empty()) return shortened + "0";
  if (has_rest) digits += '1';
  exponent = std::clamp(exponent, -kLargestExponent, kLargestExponent);
  digits.insert(1, ".");
  return shortened + digits + "e" + std::to_string(exponent);
}

}  // namespace

std::optional<RoundedNumber> ParseReal(llvm::StringRef text, const llvm::fltSemantics& semantics) {
  // Which llvm::APFloat takes for an exponent of 0.
  if (!text.empty() && llvm::StringRef("eEpP+-").contains(text.back())) return std::nullopt;
  std::string shortened;
  if (text.size() > kFewCharacters) {
    if (std::optional<std::string> decimal = Shortened(text)) {
      shortened = *std::move(decimal);
      text = shortened;
    } else if (text.size() > kMostHexCharacters) {
      return std::nullopt;
    }
  }
  llvm::APFloat value(semantics);
  llvm::Expected<llvm::APFloat::opStatus> status =
      value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return RoundedNumber{std::move(value), static_cast<unsigned>(*status)};
}

std::optional<double> ParseDouble(llvm::StringRef text) {
  const auto number = ParseReal(text, llvm::APFloat::IEEEdouble());
  const unsigned wrong = llvm::APFloat::opOverflow | llvm::APFloat::opInvalidOp;
  if (!number || (number->status & wrong) != 0) return std::nullopt;
  return number->value.convertToDouble();
}

}  // namespace hlo_indexing::support
