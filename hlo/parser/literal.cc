// Literals in HLO text.
#include "hlo/parser/state.h"

namespace hlo_indexing::hlo {
namespace {

// A number or truth value: a word, possibly with a sign and exponent, possibly nan(0x...).
llvm::StringRef ConsumeElementText(TextCursor& cursor) {
  const size_t start = cursor.Offset();
  const llvm::StringRef rest = cursor.Rest();
  size_t length = 0;
  const auto at = [&](size_t i) { return i < rest.size() ? rest[i] : '\0'; };
  if (at(0) == '-' || at(0) == '+') ++length;
  while (llvm::isAlnum(at(length)) || at(length) == '.' || at(length) == '_' ||
         ((at(length) == '-' || at(length) == '+') && llvm::toLower(at(length - 1)) == 'e')) {
    ++length;
  }
  if (rest.take_front(length).ends_with("nan") && at(length) == '(') {
    const size_t close = rest.find(')', length);
    if (close != llvm::StringRef::npos) length = close + 1;
  }
  cursor.SetOffset(start + length);
  return rest.take_front(length);
}

// The elements of one array, checked against the nesting that its dimensions require.
class ArrayLiteralParser {
 public:
  ArrayLiteralParser(ParseState& state, const Shape& shape) : state_(state), shape_(shape) {}

  const Literal* Parse() {
    const size_t offset = state_.cursor.Offset();
    if (shape_.HasUnboundedDimension()) {
      state_.Fail("a literal cannot have an unbounded dimension");
      return nullptr;
    }
    if (ConsumeElided()) return Make(/*elided=*/true);
    const bool parsed = shape_.num_elements() == 0 ? SkipEmpty() : ParseDimension(0);
    if (!parsed) return nullptr;
    if (num_elements_ != shape_.num_elements()) {
      state_.FailAt(offset, "the literal has " + std::to_string(num_elements_) +
                                " elements, its shape has " +
                                std::to_string(shape_.num_elements()));
      return nullptr;
    }
    return Make(/*elided=*/false);
  }

 private:
  // `{...}`, or `...` alone.
  bool ConsumeElided() {
    const size_t offset = state_.cursor.Offset();
    const bool brace = state_.cursor.ConsumeIf('{');
    if (state_.cursor.ConsumeIf(llvm::StringRef("...")) &&
        (!brace || state_.cursor.ConsumeIf('}'))) {
      return true;
    }
    state_.cursor.SetOffset(offset);
    return false;
  }

  // Nested braces and commas.
  bool SkipEmpty() {
    int64_t depth = 0;
    do {
      if (state_.cursor.ConsumeIf('{')) {
        ++depth;
      } else if (depth > 0 && state_.cursor.ConsumeIf('}')) {
        --depth;
      } else if (depth == 0 || !state_.cursor.ConsumeIf(',')) {
        return state_.Fail("expected a literal without elements");
      }
    } while (depth > 0);
    return true;
  }

  bool ParseDimension(int64_t dimension) {
    if (dimension == shape_.rank()) return ParseElementOf();
    if (!state_.Expect('{', "to open a dimension of the literal")) return false;
    int64_t count = 0;
    do {
      if (!ParseDimension(dimension + 1)) return false;
      ++count;
    } while (state_.cursor.ConsumeIf(','));
    if (!state_.Expect('}', "to close a dimension of the literal")) return false;
    const int64_t size = shape_.sizes()[static_cast<size_t>(dimension)];
    if (count == size) return true;
    return state_.Fail("dimension " + std::to_string(dimension) + " of the literal has " +
                       std::to_string(count) + " entries, the shape says " + std::to_string(size));
  }

  bool ParseElementOf() {
    ++num_elements_;
    if (state_.MustStop()) return false;
    const ElementType type = shape_.element_type();
    if (ClassOf(type) != ElementClass::kComplex) return ParseReal(type);
    const ElementType part = RealPartType(type);
    if (!state_.cursor.ConsumeIf('(')) {
      // A real number stands for itself plus 0i.
      if (!ParseReal(part)) return false;
      bytes_.append(static_cast<size_t>(LiteralBytesPerElement(part)), 0);
      return true;
    }
    return ParseReal(part) && state_.Expect(',', "between real and imaginary part") &&
           ParseReal(part) && state_.Expect(')', "after the imaginary part");
  }

  bool ParseReal(ElementType type) {
    const size_t offset = state_.cursor.Offset();
    const llvm::StringRef text = ConsumeElementText(state_.cursor);
    const std::optional<std::string> error = ParseElement(type, text, bytes_);
    return !error || state_.FailAt(offset, *error);
  }

  const Literal* Make(bool elided) {
    const llvm::ArrayRef<uint8_t> bytes = bytes_;
    return state_.module.Make<Literal>(&shape_, state_.module.Copy(bytes), elided);
  }

  ParseState& state_;
  const Shape& shape_;
  llvm::SmallVector<uint8_t, 16> bytes_;
  int64_t num_elements_ = 0;
};

}  // namespace

const Literal* ParseLiteral(ParseState& state, const Shape& shape) {
  if (shape.IsArray()) return ArrayLiteralParser(state, shape).Parse();
  const NestingScope nesting(state);
  if (!nesting.Check()) return nullptr;
  if (!shape.IsTuple()) {
    state.Fail("a literal cannot have the shape " + shape.ToString());
    return nullptr;
  }
  if (!state.Expect('(', "to open a tuple literal")) return nullptr;
  llvm::SmallVector<const Literal*, 4> elements;
  for (const Shape* element : shape.elements()) {
    if (!elements.empty() && !state.Expect(',', "between tuple elements")) return nullptr;
    elements.push_back(ParseLiteral(state, *element));
    if (elements.back() == nullptr) return nullptr;
  }
  if (!state.Expect(')', "to close a tuple literal")) return nullptr;
  const llvm::ArrayRef<const Literal*> view = elements;
  return state.module.Make<Literal>(&shape, state.module.Copy(view));
}

namespace {

// Whether a `(` opens the shape of a tuple, and not literals that have their own shapes.
bool AtTupleShape(ParseState& state) {
  const size_t offset = state.cursor.Offset();
  const size_t errors = state.diagnostics.size();
  const bool is_shape = ParseShape(state) != nullptr;
  state.diagnostics.erase(state.diagnostics.begin() + static_cast<std::ptrdiff_t>(errors),
                          state.diagnostics.end());
  state.cursor.SetOffset(offset);
  return is_shape;
}

}  // namespace

const Literal* ParseShapedLiteral(ParseState& state) {
  if (state.cursor.Peek() != '(' || AtTupleShape(state)) {
    const Shape* shape = ParseShape(state);
    return shape == nullptr ? nullptr : ParseLiteral(state, *shape);
  }
  const NestingScope nesting(state);
  if (!nesting.Check()) return nullptr;
  state.cursor.ConsumeIf('(');
  llvm::SmallVector<const Literal*, 4> elements;
  llvm::SmallVector<const Shape*, 4> shapes;
  do {
    elements.push_back(ParseShapedLiteral(state));
    if (elements.back() == nullptr) return nullptr;
    shapes.push_back(&elements.back()->shape());
  } while (state.cursor.ConsumeIf(','));
  if (!state.Expect(')', "to close a tuple literal")) return nullptr;
  const Shape* shape = state.module.shapes().Tuple(shapes);
  if (shape == nullptr) {
    state.Fail("the tuple literal is too large");
    return nullptr;
  }
  const llvm::ArrayRef<const Literal*> view = elements;
  return state.module.Make<Literal>(shape, state.module.Copy(view));
}

}  // namespace hlo_indexing::hlo
