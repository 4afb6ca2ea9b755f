// Shapes in HLO text.
#include "hlo/parser/state.h"

namespace hlo_indexing::hlo {
namespace {

using llvm::CachedHashStringRef;

// A layout follows a shape's dimensions if the brace is followed by a digit, a colon, or, right
// after the bracket of a scalar, by the closing brace; any other brace opens a computation.
bool AtLayout(llvm::StringRef rest, bool is_scalar) {
  const llvm::StringRef trimmed = rest.ltrim();
  if (!trimmed.starts_with("{")) return false;
  const llvm::StringRef inside = trimmed.drop_front().ltrim();
  if (inside.empty()) return false;
  if (llvm::isDigit(inside.front()) || inside.front() == ':') return true;
  return is_scalar && rest.starts_with("{}");
}

// The length of the array shape at the start of `text`, layout included, or 0 if it has a form that
// only the full parser reads (blanks, comments).
size_t LengthOfPlainArray(llvm::StringRef text) {
  constexpr size_t kLongestTypeName = 16;
  const size_t open = text.take_front(kLongestTypeName).find('[');
  if (open == llvm::StringRef::npos) return 0;
  size_t i = open + 1;
  while (i < text.size() && text[i] != ']') {
    if (!llvm::isDigit(text[i]) && text[i] != ',') return 0;
    ++i;
  }
  if (i >= text.size()) return 0;
  ++i;
  if (i >= text.size() || text[i] != '{') {
    return AtLayout(text.drop_front(i), /*is_scalar=*/false) ? 0 : i;
  }
  if (!AtLayout(text.drop_front(i), /*is_scalar=*/i == open + 2)) return i;
  for (; i < text.size(); ++i) {
    if (text[i] == '}') return i + 1;
    if (text[i] == ' ' || text[i] == '\n') return 0;
  }
  return 0;
}

bool ParseDimension(ParseState& state, Dimension& dimension) {
  if (state.cursor.ConsumeIf('?')) {
    dimension = {kUnboundedSize, true};
    return true;
  }
  dimension.is_dynamic = state.cursor.ConsumeIf(llvm::StringRef("<="));
  const size_t offset = state.cursor.Offset();
  const std::optional<int64_t> size = state.cursor.ConsumeInteger();
  if (!size) return state.FailAt(offset, "expected a dimension: an integer, '<=' and one, or '?'");
  if (*size < 0) return state.FailAt(offset, "a dimension cannot be negative");
  dimension.size = *size;
  return true;
}

bool ParseLayoutOf(ParseState& state, int64_t rank, layout::Layout& layout) {
  const size_t offset = state.cursor.Offset();
  support::TextError error;
  const std::optional<size_t> length =
      layout::ParseLayoutPrefix(state.cursor.Rest(), rank, layout, error);
  if (!length) return state.FailAt(offset + error.offset, error.message);
  state.cursor.SetOffset(offset + *length);
  return true;
}

const Shape* ParseArray(ParseState& state, ElementType type, size_t offset) {
  // More than any program has; literals and values nest as deep, and some questions about an array
  // take the square of their number.
  constexpr size_t kMostDimensions = 256;
  llvm::SmallVector<Dimension, 6> dimensions;
  if (!state.Expect('[', "after the element type")) return nullptr;
  if (!state.cursor.ConsumeIf(']')) {
    do {
      if (dimensions.size() == kMostDimensions) {
        state.Fail("an array has at most " + std::to_string(kMostDimensions) + " dimensions");
        return nullptr;
      }
      if (!ParseDimension(state, dimensions.emplace_back())) return nullptr;
    } while (state.cursor.ConsumeIf(','));
    if (!state.Expect(']', "after the dimensions")) return nullptr;
  }
  layout::Layout layout;
  bool has_layout = false;
  if (AtLayout(state.cursor.Rest(), dimensions.empty())) {
    has_layout = true;
    if (!ParseLayoutOf(state, static_cast<int64_t>(dimensions.size()), layout)) return nullptr;
    const int64_t bits = layout.element_size_in_bits;
    if (bits != 0 && bits < ElementBits(type)) {
      state.FailAt(offset, ElementTypeName(type).str() + " does not fit in " +
                               std::to_string(bits) + " bits");
      return nullptr;
    }
  }
  if (type == ElementType::kToken || type == ElementType::kOpaque) {
    if (!dimensions.empty()) {
      state.FailAt(offset, ElementTypeName(type).str() + " has no dimensions");
      return nullptr;
    }
    return type == ElementType::kToken ? state.module.shapes().Token()
                                       : state.module.shapes().Opaque();
  }
  const Shape* shape =
      state.module.shapes().Array(type, dimensions, has_layout ? &layout : nullptr);
  if (shape == nullptr) {
    state.FailAt(offset, "the size of the array in bytes does not fit in 64 bits");
  }
  return shape;
}

const Shape* ParseTuple(ParseState& state) {
  const NestingScope nesting(state);
  if (!nesting.Check()) return nullptr;
  const size_t offset = state.cursor.Offset();
  state.cursor.ConsumeIf('(');
  llvm::SmallVector<const Shape*, 8> elements;
  if (!state.cursor.ConsumeIf(')')) {
    do {
      elements.push_back(ParseShape(state));
      if (elements.back() == nullptr) return nullptr;
    } while (state.cursor.ConsumeIf(','));
    if (!state.Expect(')', "after the tuple's shapes")) return nullptr;
  }
  const Shape* shape = state.module.shapes().Tuple(elements);
  if (shape == nullptr) state.FailAt(offset, "the tuple has too many elements or nests too deep");
  return shape;
}

const Shape* ParseBuffer(ParseState& state) {
  const NestingScope nesting(state);
  if (!nesting.Check()) return nullptr;
  state.cursor.ConsumeIf('(');
  const Shape* contents = ParseShape(state);
  if (contents == nullptr || !state.Expect(')', "after the buffer's shape")) return nullptr;
  return state.module.shapes().Buffer(contents);
}

}  // namespace

bool AtShape(ParseState& state) {
  if (state.cursor.Peek() == '(') return true;
  const size_t offset = state.cursor.Offset();
  const llvm::StringRef word = state.cursor.ConsumeWord();
  const char next = state.cursor.Peek();
  state.cursor.SetOffset(offset);
  return (next == '[' && !word.empty()) || (next == '(' && word == "b");
}

const Shape* ParseShape(ParseState& state) {
  if (state.cursor.Peek() == '(') return ParseTuple(state);
  const size_t offset = state.cursor.Offset();
  const size_t length = LengthOfPlainArray(state.cursor.Rest());
  const CachedHashStringRef key(state.cursor.Rest().take_front(length));
  if (length != 0) {
    const auto known = state.shapes_by_text.find(key);
    if (known != state.shapes_by_text.end()) {
      state.cursor.SetOffset(offset + length);
      return known->second;
    }
  }
  const llvm::StringRef word = state.cursor.ConsumeWord();
  if (word == "b" && state.cursor.Peek() == '(') return ParseBuffer(state);
  const std::optional<ElementType> type = ParseElementType(word);
  if (!type) {
    llvm::SmallVector<llvm::StringRef, 32> names;
    for (int i = 0; i <= static_cast<int>(ElementType::kOpaque); ++i) {
      names.push_back(ElementTypeName(static_cast<ElementType>(i)));
    }
    state.FailAt(offset, word.empty() ? "expected a shape"
                                      : "unknown element type '" + support::Quotable(word) + "'" +
                                            support::DidYouMean(word, names));
    return nullptr;
  }
  const Shape* shape = ParseArray(state, *type, offset);
  if (shape != nullptr && length != 0) state.shapes_by_text[key] = shape;
  return shape;
}

const Shape* ParseShapeText(llvm::StringRef text, Module& module, const ParseOptions& options,
                            std::vector<support::Diagnostic>& diagnostics) {
  ParseState state({options.file_name, text}, 0, text.size(), options, module, diagnostics);
  const Shape* shape = ParseShape(state);
  if (shape == nullptr) return nullptr;
  if (!state.cursor.AtEnd()) {
    state.Fail(state.cursor.Peek() == '{'
                   ? "expected a layout: '{', then dimensions from minor to major or ':'"
                   : "unexpected text after the shape");
    return nullptr;
  }
  return shape;
}

}  // namespace hlo_indexing::hlo
