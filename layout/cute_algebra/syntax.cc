#include "layout/cute_algebra/syntax.h"

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "layout/cute_algebra/calculator.h"
#include "llvm/ADT/StringExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using Kind = CuteExpression::Kind;

// Recursion is as deep as the text nests.
constexpr int kMaxDepth = 40;

bool IsNameStart(char c) { return llvm::isAlpha(c); }
bool IsNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

class Parser {
 public:
  Parser(llvm::StringRef text, support::TextError& error) : text_(text), error_(error) {}

  std::optional<CuteExpression> Parse() {
    std::optional<CuteExpression> expression = ParseExpression();
    if (!expression) return std::nullopt;
    SkipBlanks();
    if (at_ == text_.size()) return expression;
    Fail("unexpected '" + support::Quotable(text_.substr(at_, 1)) + "' after the expression");
    return std::nullopt;
  }

 private:
  bool Fail(std::string message) { return FailAt(at_, std::move(message)); }
  bool FailAt(size_t offset, std::string message) {
    error_ = {offset, std::move(message)};
    return false;
  }

  void SkipBlanks() {
    while (at_ < text_.size() && llvm::isSpace(text_[at_])) ++at_;
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char PeekAfter() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  bool ConsumeIf(char c) {
    SkipBlanks();
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c) {
    if (ConsumeIf(c)) return true;
    return Fail(std::string("expected '") + c + "'" + Found());
  }
  std::string Found() const {
    if (at_ == text_.size()) return ", found the end";
    // A character, which may be several bytes.
    const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    const size_t length = 1 + text_.substr(at_ + 1).take_while(is_inside).size();
    return ", found '" + support::Quotable(text_.substr(at_, length)) + "'";
  }

  CuteExpression Begin(Kind kind) const {
    CuteExpression expression;
    expression.kind = kind;
    expression.offset = at_;
    return expression;
  }

  // The word `o`, which composes.
  bool ConsumeComposition() {
    SkipBlanks();
    if (Peek() != 'o' || IsNamePart(PeekAfter()) || PeekAfter() == '(') return false;
    ++at_;
    return true;
  }

  std::optional<CuteExpression> ParseExpression() {
    if (++depth_ > kMaxDepth) {
      Fail("the expression nests deeper than " + std::to_string(kMaxDepth));
      return std::nullopt;
    }
    CuteExpression composed = Begin(Kind::kComposed);
    do {
      std::optional<CuteExpression> term = ParseTerm();
      if (!term) return std::nullopt;
      composed.operands.push_back(*std::move(term));
    } while (ConsumeComposition());
    --depth_;
    if (composed.operands.size() == 1) return std::move(composed.operands.front());
    composed.offset = composed.operands.front().offset;
    return composed;
  }

  std::optional<CuteExpression> ParseTerm() {
    std::optional<CuteExpression> shape = ParsePrimary();
    if (!shape || !ConsumeIf(':')) return shape;
    CuteExpression layout = Begin(Kind::kLayout);
    layout.offset = shape->offset;
    layout.operands.push_back(*std::move(shape));
    std::optional<CuteExpression> stride = ParsePrimary();
    if (!stride) return std::nullopt;
    layout.operands.push_back(*std::move(stride));
    return layout;
  }

  std::optional<CuteExpression> ParsePrimary() {
    SkipBlanks();
    const char c = Peek();
    if (c == '(' || c == '<') {
      CuteExpression tuple = Begin(Kind::kTuple);
      ++at_;
      if (!ParseList(c == '(' ? ')' : '>', tuple.operands)) return std::nullopt;
      return tuple;
    }
    if (c == '\'' || c == '"') return ParseText(c);
    if (IsNameStart(c)) return ParseName();
    if (c == '_' || c == '-' || llvm::isDigit(c)) return ParseInteger();
    Fail("expected a layout, tuple, integer, '_' or function" + Found());
    return std::nullopt;
  }

  bool ParseList(char close, std::vector<CuteExpression>& members) {
    if (ConsumeIf(close)) return true;
    while (true) {
      std::optional<CuteExpression> member = ParseExpression();
      if (!member) return false;
      members.push_back(*std::move(member));
      if (ConsumeIf(close)) return true;
      SkipBlanks();
      if (!ConsumeIf(',')) {
        return Fail(std::string("expected ',' or '") + close + "'" + Found());
      }
      // A single member may be followed by a comma, as in Python.
      if (members.size() == 1 && ConsumeIf(close)) return true;
    }
  }

  std::optional<CuteExpression> ParseText(char quote) {
    CuteExpression result = Begin(Kind::kText);
    const size_t end = text_.find(quote, at_ + 1);
    if (end == llvm::StringRef::npos) {
      Fail("the quoted text does not end");
      return std::nullopt;
    }
    result.text = text_.slice(at_ + 1, end).str();
    at_ = end + 1;
    return result;
  }

  std::optional<CuteExpression> ParseName() {
    CuteExpression result = Begin(Kind::kName);
    while (IsNamePart(Peek()) || (Peek() == ':' && PeekAfter() == ':')) {
      at_ += Peek() == ':' ? 2 : 1;
    }
    result.text = text_.slice(result.offset, at_).str();
    if (result.text == "Sw" && ConsumeIf('<')) {
      result.kind = Kind::kSwizzle;
      if (!ParseList('>', result.operands)) return std::nullopt;
      if (result.operands.size() == 3) return result;
      FailAt(result.offset, "a swizzle has three numbers, Sw<bits,base,shift>");
      return std::nullopt;
    }
    if (!ConsumeIf('(')) return result;
    result.kind = Kind::kCall;
    if (!ParseList(')', result.operands)) return std::nullopt;
    return result;
  }

  std::optional<CuteExpression> ParseInteger() {
    CuteExpression result = Begin(Kind::kInteger);
    TupleInteger& integer = result.integer;
    if (Peek() == '_') {
      ++at_;
      integer.kind = IntegerKind::kStatic;
      if (Peek() != '-' && !llvm::isDigit(Peek())) {
        if (!IsNamePart(Peek())) {
          result.kind = Kind::kUnderscore;
          return result;
        }
        Fail("expected digits after '_'" + Found());
        return std::nullopt;
      }
    }
    if (!ParseNumber(integer.value)) return std::nullopt;
    if (Peek() == '{' && !ParseDivisor(integer)) return std::nullopt;
    std::vector<int64_t> axes;
    while (Peek() == '@') {
      ++at_;
      axes.emplace_back();
      if (!ParseNumber(axes.back())) return std::nullopt;
    }
    // Written innermost first.
    for (const int64_t axis : axes) {
      const std::optional<AxisPath> path = integer.axes.Inside(axis);
      if (!path) {
        FailAt(result.offset, "axes lie between 0 and 254, and nest 8 deep");
        return std::nullopt;
      }
      integer.axes = *path;
    }
    return result;
  }

  bool ParseNumber(int64_t& value) {
    const size_t begin = at_;
    if (Peek() == '-') ++at_;
    while (llvm::isDigit(Peek())) ++at_;
    const llvm::StringRef digits = text_.slice(begin, at_);
    if (digits.empty() || digits == "-") return Fail("expected digits" + Found());
    if (digits.getAsInteger(10, value)) {
      return FailAt(begin, "the number does not fit in 64 bits");
    }
    return true;
  }

  bool ParseDivisor(TupleInteger& integer) {
    const size_t begin = at_;
    if (integer.is_static()) return Fail("a static integer has no divisor");
    if (!text_.substr(at_).starts_with("{div=")) return Fail("expected {div=n}");
    at_ += 5;
    if (!ParseNumber(integer.divisor) || !Expect('}')) return false;
    if (integer.divisor > 0 && integer.value % integer.divisor == 0) return true;
    return FailAt(begin, "the divisor is not positive or does not divide the integer");
  }

  llvm::StringRef text_;
  support::TextError& error_;
  size_t at_ = 0;
  int depth_ = 0;
};

absl::Status ErrorIn(llvm::StringRef text, const support::TextError& error) {
  return support::ToStatus(
      support::MakeDiagnostic({"<layout>", text}, error.offset, error.message));
}

bool HasCall(const CuteExpression& expression) {
  if (expression.kind == Kind::kCall) return true;
  for (const CuteExpression& operand : expression.operands) {
    if (HasCall(operand)) return true;
  }
  return false;
}

absl::StatusOr<CuteValue> ParseValue(llvm::StringRef text) {
  support::TextError error;
  const std::optional<CuteExpression> expression = ParseCuteExpression(text, error);
  if (!expression) return ErrorIn(text, error);
  if (HasCall(*expression)) return ErrorIn(text, {0, "a function is not a value"});
  std::optional<CuteResult> result = EvaluateCute(*expression, error);
  if (!result) return ErrorIn(text, error);
  return std::move(result->value);
}

}  // namespace

std::optional<CuteExpression> ParseCuteExpression(llvm::StringRef text, support::TextError& error) {
  return Parser(text, error).Parse();
}

absl::StatusOr<CuteLayout> ParseCuteLayout(llvm::StringRef text) {
  const absl::StatusOr<CuteValue> value = ParseValue(text);
  if (!value.ok()) return value.status();
  const auto* tensor = std::get_if<CuteTensor>(&*value);
  if (tensor != nullptr && tensor->plain() != nullptr) return *tensor->plain();
  return ErrorIn(text, {0, "expected a layout, shape:stride"});
}

absl::StatusOr<CuteTree> ParseCuteTree(llvm::StringRef text) {
  absl::StatusOr<CuteValue> value = ParseValue(text);
  if (!value.ok()) return value.status();
  if (auto* tree = std::get_if<CuteTree>(&*value)) return std::move(*tree);
  const auto* tensor = std::get_if<CuteTensor>(&*value);
  if (tensor != nullptr && tensor->plain() != nullptr) return CuteTree::Layout(*tensor->plain());
  return ErrorIn(text, {0, "expected a tuple of integers, '_' and layouts"});
}

}  // namespace hlo_indexing::layout
