// From text to indexing maps.
#include <algorithm>

#include "indexing_analysis/maps/expression_limits.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "simplifier/checked_affine.h"
#include "support/diagnostics.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::StringRef;
using mlir::AffineExpr;
using simplifier::CheckedAdd;
using simplifier::CheckedCeilDiv;
using simplifier::CheckedFloorDiv;
using simplifier::CheckedMod;
using simplifier::CheckedMul;

// Parentheses nest no deeper: the parser recurses.
constexpr int kMaxNesting = 500;

enum class VariableKind : uint8_t { kDimension, kRange, kRuntime };

// A variable as the text declares it.
struct Declared {
  VariableKind kind;
  unsigned number;
};

// A recursive descent parser; the first error stops it.
class MapParser {
 public:
  MapParser(StringRef text, mlir::MLIRContext* context, support::TextError& error)
      : text_(text), context_(context), error_(error) {}

  std::optional<IndexingMap> Parse() {
    IndexingMap map;
    if (!ParseMap(map)) return std::nullopt;
    return map;
  }

 private:
  bool ParseMap(IndexingMap& map) {
    if (TakeWords("KNOWN", "EMPTY")) {
      map = IndexingMap::KnownEmpty(IndexingMap(mlir::AffineMap::get(context_), {}, {}, {}, {}));
      return ExpectEnd();
    }
    if (TakeWord("UNKNOWN") || TakeWord("UNDEFINED")) return ExpectEnd();
    if (!ParseVariables() || !ParseResults()) return false;
    bool known_empty = false;
    if (TakeIf(',') && !ParseDomain(known_empty)) return false;
    if (!ExpectEnd()) return false;
    if (!known_empty && !CheckBounds()) return false;
    map = Build();
    if (known_empty) map = IndexingMap::KnownEmpty(map);
    return true;
  }

  // (d0, d1)[s0]{rt0} ->
  bool ParseVariables() {
    if (Peek() != '(') {
      return Fail("expected the dimension variables: '(' names ')', KNOWN EMPTY or UNKNOWN");
    }
    if (!ParseNames('(', ')', VariableKind::kDimension)) return false;
    if (Peek() == '[' && !ParseNames('[', ']', VariableKind::kRange)) return false;
    if (Peek() == '{' && !ParseNames('{', '}', VariableKind::kRuntime)) return false;
    SkipBlanks();
    if (!text_.drop_front(position_).starts_with("->")) return Fail("expected '->'");
    position_ += 2;
    return true;
  }

  bool ParseNames(char open, char close, VariableKind kind) {
    if (!Expect(open)) return false;
    if (TakeIf(close)) return true;
    do {
      SkipBlanks();
      const size_t offset = position_;
      const StringRef name = TakeName();
      if (name.empty()) return Fail("expected the name of a variable");
      auto& list = ListOf(kind);
      const Declared declared = {kind, static_cast<unsigned>(list.size())};
      if (!declared_.try_emplace(name, declared).second) {
        return FailAt(offset, "variable '" + name.str() + "' is declared twice");
      }
      list.push_back({std::nullopt, name.str(), offset});
    } while (TakeIf(','));
    return Expect(close);
  }

  bool ParseResults() {
    if (!Expect('(')) return false;
    if (TakeIf(')')) return true;
    do {
      AffineExpr& result = results_.emplace_back();
      if (!ParseWhole(result)) return false;
    } while (TakeIf(','));
    return Expect(')');
  }

  bool ParseDomain(bool& known_empty) {
    if (!TakeWord("domain")) return Fail("expected 'domain'");
    if (!Expect(':')) return false;
    known_empty = TakeWords("KNOWN", "EMPTY");
    if (known_empty) return true;
    do {
      SkipBlanks();
      if (position_ == text_.size()) return true;
      if (!ParseItem()) return false;
    } while (TakeIf(','));
    return true;
  }

  // name in [lower, upper], or expr in [lower, upper]. What is said of a variable first are its
  // bounds; the rest are constraints.
  bool ParseItem() {
    const size_t offset = position_;
    const StringRef name = TakeName();
    const auto found = declared_.find(name);
    if (found != declared_.end() && TakeWord("in")) {
      Entry& entry = ListOf(found->second.kind)[found->second.number];
      Interval bounds;
      if (!ParseInterval(bounds)) return false;
      if (entry.bounds) {
        constraints_.push_back({ExpressionOf(found->second), bounds});
      } else {
        entry.bounds = bounds;
      }
      return true;
    }
    position_ = offset;
    MapConstraint constraint;
    if (!ParseWhole(constraint.expression)) return false;
    if (!TakeWord("in")) return Fail("expected 'in [lower, upper]'");
    if (!ParseInterval(constraint.bounds)) return false;
    constraints_.push_back(constraint);
    return true;
  }

  bool ParseInterval(Interval& interval) {
    return Expect('[') && ParseLower(interval.lower) && Expect(',') && ParseUpper(interval.upper) &&
           Expect(']');
  }

  // An integer, or `-inf`: there is no lower end.
  bool ParseLower(int64_t& value) {
    const bool negative = TakeIf('-');
    if (!negative || !TakeWord("inf")) return ParseInteger(value, negative);
    value = Interval::kMinusInfinity;
    return true;
  }

  // An integer, or `inf`: there is no upper end.
  bool ParseUpper(int64_t& value) {
    if (!TakeWord("inf")) return ParseInteger(value, TakeIf('-'));
    value = Interval::kPlusInfinity;
    return true;
  }

  // Digits of a number whose sign has been read.
  bool ParseInteger(int64_t& value, bool negative) {
    SkipBlanks();
    const size_t offset = position_;
    const StringRef digits = text_.drop_front(position_).take_while(llvm::isDigit);
    uint64_t magnitude = 0;
    if (digits.empty()) return Fail("expected an integer");
    const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    if (digits.getAsInteger(10, magnitude) || magnitude > limit) {
      return FailAt(offset, "the integer does not fit in 64 bits");
    }
    position_ += digits.size();
    value = static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
    return true;
  }

  // An expression that is part of no other one.
  bool ParseWhole(AffineExpr& expression) {
    operators_ = 0;
    return ParseExpression(expression);
  }

  bool ParseExpression(AffineExpr& expression) {
    if (++nesting_ > kMaxNesting) {
      return Fail("nested deeper than " + std::to_string(kMaxNesting) + " levels");
    }
    if (!ParseTerm(expression)) return false;
    while (Peek() == '+' || (Peek() == '-' && !AtArrow())) {
      const size_t offset = position_;
      const bool minus = text_[position_++] == '-';
      AffineExpr term;
      if (!CountOperator() || !ParseTerm(term)) return false;
      if (minus && !Take(CheckedMul(term, MinusOne()), offset, term)) return false;
      if (!Take(CheckedAdd(expression, term), offset, expression)) return false;
    }
    --nesting_;
    return true;
  }

  bool AtArrow() const { return text_.drop_front(position_).starts_with("->"); }

  bool ParseTerm(AffineExpr& term) {
    if (!ParseFactor(term)) return false;
    while (true) {
      SkipBlanks();
      const size_t offset = position_;
      AffineExpr factor;
      if (TakeIf('*')) {
        if (!CountOperator() || !ParseFactor(factor)) return false;
        if (!Take(CheckedMul(term, factor), offset, term)) return false;
      } else if (TakeIf('/') || TakeWord("floordiv") || TakeWord("floorDiv")) {
        if (!ParseDivisor(factor, offset)) return false;
        if (!Take(CheckedFloorDiv(term, factor), offset, term)) return false;
      } else if (TakeWord("ceildiv") || TakeWord("ceilDiv")) {
        if (!ParseDivisor(factor, offset)) return false;
        if (!Take(CheckedCeilDiv(term, factor), offset, term)) return false;
      } else if (TakeWord("mod")) {
        if (!ParseDivisor(factor, offset)) return false;
        if (!Take(CheckedMod(term, factor), offset, term)) return false;
      } else {
        return true;
      }
    }
  }

  // What an operator at `offset` has given.
  bool Take(std::optional<AffineExpr> value, size_t offset, AffineExpr& expression) {
    if (!value) return FailAt(offset, "the constants of this operation do not fit 64 bits");
    expression = *value;
    return depths_.Of(expression).IsWithinLimits() || FailAt(offset, DepthLimitsText());
  }

  AffineExpr MinusOne() const { return mlir::getAffineConstantExpr(-1, context_); }

  bool ParseDivisor(AffineExpr& divisor, size_t operator_offset) {
    if (!CountOperator() || !ParseFactor(divisor)) return false;
    const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(divisor);
    if (constant && constant.getValue() == 0) return FailAt(operator_offset, "division by zero");
    return true;
  }

  bool ParseFactor(AffineExpr& factor) {
    SkipBlanks();
    const size_t offset = position_;
    bool negative = false;
    while (TakeIf('-')) {
      negative = !negative;
      if (!CountOperator()) return false;
    }
    SkipBlanks();
    if (llvm::isDigit(Peek())) {
      int64_t value = 0;
      if (!ParseInteger(value, negative)) return false;
      factor = mlir::getAffineConstantExpr(value, context_);
      return true;
    }
    if (TakeIf('(')) {
      if (!ParseExpression(factor) || !Expect(')')) return false;
    } else if (!ParseVariable(factor)) {
      return false;
    }
    return !negative || Take(CheckedMul(factor, MinusOne()), offset, factor);
  }

  bool ParseVariable(AffineExpr& variable) {
    const size_t offset = position_;
    const StringRef name = TakeName();
    if (name.empty()) return Fail("expected an expression");
    const auto found = declared_.find(name);
    if (found == declared_.end()) {
      if ((name == "min" || name == "max") && Peek() == '(') {
        return FailAt(offset, name.str() + " is not affine; state it as constraints of the domain");
      }
      llvm::SmallVector<StringRef, 8> names;
      for (const auto& entry : declared_) names.push_back(entry.getKey());
      llvm::sort(names);
      return FailAt(offset, "unknown variable '" + support::Quotable(name) + "'" +
                                support::DidYouMean(name, names));
    }
    variable = ExpressionOf(found->second);
    return true;
  }

  AffineExpr ExpressionOf(const Declared& declared) const {
    switch (declared.kind) {
      case VariableKind::kDimension:
        return mlir::getAffineDimExpr(declared.number, context_);
      case VariableKind::kRange:
        return mlir::getAffineSymbolExpr(declared.number, context_);
      case VariableKind::kRuntime:
        return mlir::getAffineSymbolExpr(static_cast<unsigned>(ranges_.size()) + declared.number,
                                         context_);
    }
    llvm_unreachable("no such kind");
  }

  bool CheckBounds() {
    for (const auto* list : {&dimensions_, &ranges_, &runtime_}) {
      for (const Entry& entry : *list) {
        if (entry.bounds) continue;
        return FailAt(entry.offset, "the domain gives no bounds for variable '" + entry.name + "'");
      }
    }
    return true;
  }

  // A variable in the making.
  struct Entry {
    std::optional<Interval> bounds;
    std::string name;
    size_t offset;
  };

  std::vector<Entry>& ListOf(VariableKind kind) {
    return kind == VariableKind::kDimension ? dimensions_
                                            : (kind == VariableKind::kRange ? ranges_ : runtime_);
  }

  // The bounds and, unless it is the default one, the name of a variable.
  static void Fill(const Entry& entry, StringRef prefix, size_t number, Interval& bounds,
                   std::string& name) {
    bounds = entry.bounds.value_or(Interval::Empty());
    if (entry.name != prefix.str() + std::to_string(number)) name = entry.name;
  }

  IndexingMap Build() const {
    std::vector<Variable> dimensions(dimensions_.size());
    std::vector<Variable> ranges(ranges_.size());
    std::vector<RuntimeVariable> runtime(runtime_.size());
    for (size_t i = 0; i < dimensions.size(); ++i) {
      Fill(dimensions_[i], "d", i, dimensions[i].bounds, dimensions[i].name);
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      Fill(ranges_[i], "s", i, ranges[i].bounds, ranges[i].name);
    }
    for (size_t i = 0; i < runtime.size(); ++i) {
      Fill(runtime_[i], "rt", i, runtime[i].bounds, runtime[i].name);
    }
    const mlir::AffineMap map = mlir::AffineMap::get(
        static_cast<unsigned>(dimensions.size()),
        static_cast<unsigned>(ranges.size() + runtime.size()), results_, context_);
    return IndexingMap(map, std::move(dimensions), std::move(ranges), std::move(runtime),
                       constraints_);
  }

  void SkipBlanks() {
    while (position_ < text_.size() && llvm::isSpace(text_[position_])) ++position_;
  }

  char Peek() {
    SkipBlanks();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool TakeIf(char c) {
    if (Peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }

  StringRef TakeName() {
    SkipBlanks();
    StringRef rest = text_.drop_front(position_);
    if (rest.empty() || (!llvm::isAlpha(rest.front()) && rest.front() != '_')) return {};
    const StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    position_ += name.size();
    return name;
  }

  // Takes the word if it comes next as a whole.
  bool TakeWord(StringRef word) {
    SkipBlanks();
    const size_t start = position_;
    if (TakeName() == word) return true;
    position_ = start;
    return false;
  }

  bool TakeWords(StringRef first, StringRef second) {
    const size_t start = position_;
    if (TakeWord(first) && TakeWord(second)) return true;
    position_ = start;
    return false;
  }

  bool Expect(char c) { return TakeIf(c) || Fail(std::string("expected '") + c + "'"); }

  bool ExpectEnd() {
    SkipBlanks();
    return position_ == text_.size() || Fail("unexpected text after the map");
  }

  bool CountOperator() {
    if (++operators_ <= kMaxOperators) return true;
    return Fail("more than " + std::to_string(kMaxOperators) + " operators");
  }

  bool Fail(std::string message) { return FailAt(position_, std::move(message)); }

  bool FailAt(size_t offset, std::string message) {
    error_ = {offset, std::move(message)};
    return false;
  }

  StringRef text_;
  mlir::MLIRContext* context_;
  support::TextError& error_;
  size_t position_ = 0;
  int nesting_ = 0;
  int operators_ = 0;
  ExpressionDepths depths_;
  std::vector<Entry> dimensions_;
  std::vector<Entry> ranges_;
  std::vector<Entry> runtime_;
  llvm::StringMap<Declared> declared_;
  llvm::SmallVector<AffineExpr> results_;
  llvm::SmallVector<MapConstraint> constraints_;
};

}  // namespace

std::optional<IndexingMap> ParseIndexingMap(StringRef text, mlir::MLIRContext* context,
                                            support::TextError& error) {
  return MapParser(text, context, error).Parse();
}

absl::StatusOr<IndexingMap> ParseIndexingMap(StringRef text, mlir::MLIRContext* context) {
  support::TextError error;
  if (std::optional<IndexingMap> map = ParseIndexingMap(text, context, error)) return *map;
  return support::ToStatus(support::MakeDiagnostic({"<map>", text}, error.offset, error.message));
}

}  // namespace hlo_indexing::indexing_analysis
