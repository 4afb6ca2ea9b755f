#include "codegen/ptx/syntax/constant.h"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/cursor.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/lexer.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

constexpr std::string_view kWarpSize = "WARP_SZ";
constexpr int kTernary = 0;
constexpr int kMultiplicative = 10;

// How strongly a binary operator binds, as in C; -1: the symbol is none.
int Precedence(uint16_t symbol) {
  switch (symbol) {
    case Symbol('|', '|'):
      return 1;
    case Symbol('&', '&'):
      return 2;
    case Symbol('|'):
      return 3;
    case Symbol('^'):
      return 4;
    case Symbol('&'):
      return 5;
    case Symbol('=', '='):
    case Symbol('!', '='):
      return 6;
    case Symbol('<'):
    case Symbol('>'):
    case Symbol('<', '='):
    case Symbol('>', '='):
      return 7;
    case Symbol('<', '<'):
    case Symbol('>', '>'):
      return 8;
    case Symbol('+'):
    case Symbol('-'):
      return 9;
    case Symbol('*'):
    case Symbol('/'):
    case Symbol('%'):
      return kMultiplicative;
    default:
      return -1;
  }
}

Constant Signed(int64_t value) { return {static_cast<uint64_t>(value)}; }

bool IsLess(const Constant& a, const Constant& b, bool is_unsigned) {
  if (is_unsigned) return a.bits < b.bits;
  return static_cast<int64_t>(a.bits) < static_cast<int64_t>(b.bits);
}

Constant Shift(const Constant& a, const Constant& b, bool is_left) {
  Constant result = a;
  const int64_t value = static_cast<int64_t>(a.bits);
  if (b.bits >= 64) {
    result.bits = !is_left && !a.is_unsigned && value < 0 ? ~uint64_t{0} : 0;
  } else if (is_left) {
    result.bits = a.bits << b.bits;
  } else {
    result.bits = a.is_unsigned ? a.bits >> b.bits : static_cast<uint64_t>(value >> b.bits);
  }
  return result;
}

// b is not 0.
uint64_t Divide(uint64_t a, uint64_t b, bool is_unsigned, bool is_remainder) {
  if (is_unsigned) return is_remainder ? a % b : a / b;
  if (b == ~uint64_t{0}) return is_remainder ? 0 : uint64_t{0} - a;
  const int64_t x = static_cast<int64_t>(a);
  const int64_t y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(is_remainder ? x % y : x / y);
}

Constant Combine(uint16_t symbol, const Constant& a, const Constant& b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const auto number = [&](uint64_t bits) { return Constant{bits, false, false, is_unsigned}; };
  switch (symbol) {
    case Symbol('|', '|'):
      return Signed(a.bits != 0 || b.bits != 0);
    case Symbol('&', '&'):
      return Signed(a.bits != 0 && b.bits != 0);
    case Symbol('|'):
      return number(a.bits | b.bits);
    case Symbol('^'):
      return number(a.bits ^ b.bits);
    case Symbol('&'):
      return number(a.bits & b.bits);
    case Symbol('=', '='):
      return Signed(a.bits == b.bits);
    case Symbol('!', '='):
      return Signed(a.bits != b.bits);
    case Symbol('<'):
      return Signed(IsLess(a, b, is_unsigned));
    case Symbol('>'):
      return Signed(IsLess(b, a, is_unsigned));
    case Symbol('<', '='):
      return Signed(!IsLess(b, a, is_unsigned));
    case Symbol('>', '='):
      return Signed(!IsLess(a, b, is_unsigned));
    case Symbol('<', '<'):
      return Shift(a, b, /*is_left=*/true);
    case Symbol('>', '>'):
      return Shift(a, b, /*is_left=*/false);
    case Symbol('+'):
      return number(a.bits + b.bits);
    case Symbol('-'):
      return number(a.bits - b.bits);
    case Symbol('*'):
      return number(a.bits * b.bits);
    default:
      return number(Divide(a.bits, b.bits, is_unsigned, symbol == Symbol('%')));
  }
}

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

class Parser {
 public:
  Parser(Cursor& cursor, int64_t max_depth) : cursor_(cursor), depth_left_(max_depth) {}

  // What binds at least as strongly as `precedence`.
  absl::StatusOr<Constant> Expression(int precedence);

 private:
  absl::StatusOr<Constant> Unary();
  absl::StatusOr<Constant> Parenthesized();
  absl::StatusOr<Constant> Selection(const Constant& condition);
  absl::Status Enter();
  absl::Status CheckIntegers(Place place, const Constant& a, const Constant& b) const;

  Cursor& cursor_;
  int64_t depth_left_;
};

absl::Status Parser::Enter() {
  if (--depth_left_ >= 0) return absl::OkStatus();
  return cursor_.Error(cursor_.place(), "the expression is nested too deeply");
}

absl::Status Parser::CheckIntegers(Place place, const Constant& a, const Constant& b) const {
  if (!a.is_float && !b.is_float) return absl::OkStatus();
  return cursor_.Error(place, "floating-point constants have no operator but a sign");
}

absl::StatusOr<Constant> Parser::Expression(int precedence) {
  HLO_INDEXING_RETURN_IF_ERROR(Enter());
  HLO_INDEXING_ASSIGN_OR_RETURN(Constant value, Unary());
  for (;;) {
    const uint16_t symbol = cursor_.token().symbol;
    const Place place = cursor_.place();
    const int strength = Precedence(symbol);
    if (strength < 0 || strength < precedence) break;
    cursor_.Advance();
    HLO_INDEXING_ASSIGN_OR_RETURN(const Constant right, Expression(strength + 1));
    HLO_INDEXING_RETURN_IF_ERROR(CheckIntegers(place, value, right));
    if ((symbol == Symbol('/') || symbol == Symbol('%')) && right.bits == 0) {
      return cursor_.Error(place, "division by 0");
    }
    value = Combine(symbol, value, right);
  }
  if (precedence == kTernary && cursor_.Is('?')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(value, Selection(value));
  }
  ++depth_left_;
  return value;
}

absl::StatusOr<Constant> Parser::Selection(const Constant& condition) {
  const Place place = cursor_.place();
  cursor_.Advance();
  HLO_INDEXING_ASSIGN_OR_RETURN(Constant if_true, Expression(kTernary));
  HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect(':', "of the '?'"));
  HLO_INDEXING_ASSIGN_OR_RETURN(Constant if_false, Expression(kTernary));
  HLO_INDEXING_RETURN_IF_ERROR(CheckIntegers(place, condition, condition));
  HLO_INDEXING_RETURN_IF_ERROR(CheckIntegers(place, if_true, if_false));
  if_true.is_unsigned = if_false.is_unsigned = if_true.is_unsigned || if_false.is_unsigned;
  return condition.bits != 0 ? if_true : if_false;
}

absl::StatusOr<Constant> Parser::Unary() {
  const uint16_t symbol = cursor_.token().symbol;
  if (symbol == Symbol('(')) return Parenthesized();
  if (cursor_.Is(TokenKind::kName) && cursor_.token().text == kWarpSize) {
    cursor_.Advance();
    return Signed(32);
  }
  const Place place = cursor_.place();
  if (symbol != Symbol('+') && symbol != Symbol('-') && symbol != Symbol('~') &&
      symbol != Symbol('!')) {
    return ParseNumber(cursor_);
  }
  cursor_.Advance();
  HLO_INDEXING_RETURN_IF_ERROR(Enter());
  HLO_INDEXING_ASSIGN_OR_RETURN(Constant value, Unary());
  ++depth_left_;
  if (symbol == Symbol('+')) return value;
  if (symbol == Symbol('-')) {
    if (value.is_float) {
      value.bits ^= uint64_t{1} << (value.is_single ? 31 : 63);
    } else {
      value.bits = uint64_t{0} - value.bits;
    }
    return value;
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckIntegers(place, value, value));
  if (symbol == Symbol('!')) return Signed(value.bits == 0);
  value.bits = ~value.bits;
  return value;
}

absl::StatusOr<Constant> Parser::Parenthesized() {
  HLO_INDEXING_RETURN_IF_ERROR(Enter());
  const Place place = cursor_.place();
  cursor_.Advance();
  const bool is_unsigned = cursor_.IsDotted("u64");
  const bool is_cast = is_unsigned || cursor_.IsDotted("s64");
  if (is_cast) cursor_.Advance();
  Constant value;
  if (is_cast) {
    HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect(')', "after the type of a cast"));
    HLO_INDEXING_ASSIGN_OR_RETURN(value, Unary());
    HLO_INDEXING_RETURN_IF_ERROR(CheckIntegers(place, value, value));
    value.is_unsigned = is_unsigned;
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(value, Expression(kTernary));
    HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect(')', "at the end of the expression"));
  }
  ++depth_left_;
  return value;
}

// The digits of 0f3F800000 and 0d3FF0000000000000, which are bits.
absl::StatusOr<Constant> FloatBits(const Cursor& cursor, std::string_view digits, size_t count) {
  Constant result{0, true, count == 8, false};
  bool is_good = digits.size() == count;
  for (const char c : digits) {
    const int digit = DigitValue(c);
    is_good &= digit < 16;
    result.bits = result.bits << 4 | static_cast<uint64_t>(digit & 15);
  }
  if (is_good) return result;
  return cursor.Error(cursor.place(), result.is_single ? "0f is followed by 8 hexadecimal digits"
                                                       : "0d is followed by 16 hexadecimal digits");
}

absl::StatusOr<Constant> DecimalFloat(const Cursor& cursor, std::string_view text) {
  double value = 0;
  const std::from_chars_result result =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size()) {
    return cursor.Error(cursor.place(), Concat({Quoted(text), " is no number"}));
  }
  if (result.ec != std::errc()) {
    return cursor.Error(cursor.place(), Concat({Quoted(text), " does not fit in 64 bits"}));
  }
  return Constant{std::bit_cast<uint64_t>(value), true, false, false};
}

absl::StatusOr<Constant> Integer(const Cursor& cursor, std::string_view text) {
  const std::string_view all = text;
  Constant result;
  if (text.back() == 'U') {
    result.is_unsigned = true;
    text.remove_suffix(1);
  }
  int radix = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = text[1];
    const bool is_hex = mark == 'x' || mark == 'X';
    const bool is_binary = mark == 'b' || mark == 'B';
    radix = is_hex ? 16 : is_binary ? 2 : 8;
    text.remove_prefix(is_hex || is_binary ? 2 : 1);
  }
  bool is_good = !text.empty();
  bool is_large = false;
  for (const char c : text) {
    const int digit = DigitValue(c);
    is_good &= digit < radix;
    is_large |= __builtin_mul_overflow(result.bits, static_cast<uint64_t>(radix), &result.bits);
    is_large |= __builtin_add_overflow(result.bits, static_cast<uint64_t>(digit), &result.bits);
  }
  if (!is_good) return cursor.Error(cursor.place(), Concat({Quoted(all), " is no number"}));
  if (is_large) return cursor.Error(cursor.place(), "the number does not fit in 64 bits");
  if (result.bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    result.is_unsigned = true;
  }
  return result;
}

absl::StatusOr<Constant> NumberOf(const Cursor& cursor, std::string_view text) {
  const char mark = text.size() > 1 && text[0] == '0' ? text[1] : ' ';
  if (mark == 'f' || mark == 'F') return FloatBits(cursor, text.substr(2), 8);
  if (mark == 'd' || mark == 'D') return FloatBits(cursor, text.substr(2), 16);
  const bool is_prefixed = mark == 'x' || mark == 'X' || mark == 'b' || mark == 'B';
  if (!is_prefixed && text.find_first_of(".eE") != std::string_view::npos) {
    return DecimalFloat(cursor, text);
  }
  return Integer(cursor, text);
}

}  // namespace

bool IsConstantStart(const Cursor& cursor) {
  if (cursor.Is(TokenKind::kNumber)) return true;
  if (cursor.Is(TokenKind::kName)) return cursor.token().text == kWarpSize;
  if (cursor.Is(TokenKind::kDotted)) {
    return cursor.token().text[0] >= '0' && cursor.token().text[0] <= '9';
  }
  return cursor.Is('+') || cursor.Is('-') || cursor.Is('~') || cursor.Is('!') || cursor.Is('(');
}

absl::StatusOr<Constant> ParseNumber(Cursor& cursor) {
  const Token& token = cursor.token();
  absl::StatusOr<Constant> result;
  if (token.kind == TokenKind::kNumber) {
    result = NumberOf(cursor, token.text);
  } else if (token.kind == TokenKind::kDotted && token.text[0] >= '0' && token.text[0] <= '9') {
    // `.5`: the text of a dotted name follows its dot.
    result = DecimalFloat(cursor, {token.text.data() - 1, token.text.size() + 1});
  } else {
    return cursor.Unexpected("a number");
  }
  if (result.ok()) cursor.Advance();
  return result;
}

absl::StatusOr<Constant> ParseConstant(Cursor& cursor, int64_t max_depth) {
  return Parser(cursor, max_depth).Expression(kTernary);
}

absl::StatusOr<uint64_t> ParseConstantTerm(Cursor& cursor, int64_t max_depth) {
  const Place place = cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant value,
                                Parser(cursor, max_depth).Expression(kMultiplicative));
  if (value.is_float) return cursor.Error(place, "expected an integer");
  return value.bits;
}

absl::StatusOr<uint32_t> ParseSmallNumber(Cursor& cursor, int64_t max_depth) {
  const Place place = cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant value, ParseConstant(cursor, max_depth));
  if (value.is_float) return cursor.Error(place, "expected an integer");
  if (value.bits > std::numeric_limits<uint32_t>::max()) {
    return cursor.Error(place, "the number does not fit in 32 bits");
  }
  return static_cast<uint32_t>(value.bits);
}

}  // namespace hlo_indexing::ptx::syntax
