#include "layout/xla_layout.h"

#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::layout {
namespace {

std::string Join(llvm::ArrayRef<int64_t> values) {
  std::string result;
  for (const int64_t value : values) {
    if (!result.empty()) result += ',';
    result += value == kCombineDimension ? "*" : std::to_string(value);
  }
  return result;
}

// Reads one layout; the first error stops it.
class LayoutParser {
 public:
  LayoutParser(llvm::StringRef text, Layout& layout, support::TextError& error)
      : text_(text), layout_(layout), error_(error) {}

  std::optional<size_t> Parse() {
    if (!Expect('{')) return std::nullopt;
    SkipBlanks();
    if (llvm::isDigit(Peek()) && !ParseIntegers(layout_.minor_to_major)) return std::nullopt;
    SkipBlanks();
    if (TakeIf(':') && !ParseProperties()) return std::nullopt;
    if (!Expect('}')) return std::nullopt;
    return position_;
  }

 private:
  // The properties after the colon. XLA prints them in one order; any order is read.
  bool ParseProperties() {
    while (true) {
      SkipBlanks();
      const llvm::StringRef rest = text_.drop_front(position_);
      if (rest.empty() || rest.front() == '}') return true;
      if (rest.starts_with("SC")) {
        position_ += 2;
        if (!ParseSplitConfigs()) return false;
        continue;
      }
      ++position_;
      if (!ParseProperty(rest.front())) return false;
    }
  }

  bool ParseProperty(char property) {
    switch (property) {
      case 'T':
        return ParseTiles();
      case 'D':
        return ParseRaw(layout_.dimension_level_types);
      case '#':
        return ParseRaw(layout_.index_type);
      case '*':
        return ParseRaw(layout_.pointer_type);
      case 'P':
        return ParseRaw(layout_.physical_shape);
      case 'L':
        return ParseNumber(layout_.tail_padding_alignment);
      case 'E':
        return ParseNumber(layout_.element_size_in_bits);
      case 'S':
        return ParseNumber(layout_.memory_space);
      case 'M':
        return ParseNumber(layout_.dynamic_shape_metadata_prefix_bytes);
      default:
        --position_;
        return Fail("expected a layout property: T, D, L, E, S, SC, P, M, '#' or '*'");
    }
  }

  bool ParseTiles() {
    do {
      Tile& tile = layout_.tiles.emplace_back();
      if (!Expect('(')) return false;
      SkipBlanks();
      if (TakeIf(')')) continue;
      do {
        SkipBlanks();
        int64_t size = kCombineDimension;
        if (!TakeIf('*') && !ParseInteger(size)) return false;
        tile.dimensions.push_back(size);
        SkipBlanks();
      } while (TakeIf(','));
      if (!Expect(')')) return false;
      SkipBlanks();
    } while (Peek() == '(');
    return true;
  }

  bool ParseSplitConfigs() {
    do {
      SplitConfig& split = layout_.split_configs.emplace_back();
      if (!Expect('(') || !ParseInteger(split.dimension) || !Expect(':')) return false;
      if (!ParseIntegers(split.indices) || !Expect(')')) return false;
      SkipBlanks();
    } while (Peek() == '(');
    return true;
  }

  // The text between balanced parentheses.
  bool ParseRaw(std::string& raw) {
    if (!Expect('(')) return false;
    const size_t start = position_;
    int depth = 1;
    for (; position_ < text_.size(); ++position_) {
      if (text_[position_] == '(') ++depth;
      if (text_[position_] == ')' && --depth == 0) break;
    }
    if (depth != 0) return Fail("expected ')'");
    raw = text_.slice(start, position_).trim().str();
    ++position_;
    return true;
  }

  bool ParseNumber(int64_t& value) { return Expect('(') && ParseInteger(value) && Expect(')'); }

  template <typename Vector>
  bool ParseIntegers(Vector& values) {
    do {
      int64_t value = 0;
      if (!ParseInteger(value)) return false;
      values.push_back(value);
      SkipBlanks();
    } while (TakeIf(','));
    return true;
  }

  bool ParseInteger(int64_t& value) {
    SkipBlanks();
    llvm::StringRef digits = text_.drop_front(position_).take_while(llvm::isDigit);
    if (digits.empty()) return Fail("expected an integer");
    if (digits.getAsInteger(10, value)) return Fail("integer does not fit in 64 bits");
    position_ += digits.size();
    return true;
  }

  void SkipBlanks() {
    while (position_ < text_.size() && llvm::isSpace(text_[position_])) ++position_;
  }

  char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool TakeIf(char c) {
    if (Peek() != c) return false;
    ++position_;
    return true;
  }

  bool Expect(char c) {
    SkipBlanks();
    return TakeIf(c) || Fail(std::string("expected '") + c + "' in the layout");
  }

  bool Fail(std::string message) {
    error_ = {position_, std::move(message)};
    return false;
  }

  llvm::StringRef text_;
  Layout& layout_;
  support::TextError& error_;
  size_t position_ = 0;
};

std::optional<std::string> FindTileError(const Tile& tile) {
  if (tile.dimensions.empty()) return "a tile must have at least one dimension";
  if (tile.dimensions.back() == kCombineDimension) {
    return "'*' cannot be the last dimension of a tile: there is no more minor one to combine with";
  }
  for (const int64_t size : tile.dimensions) {
    if (size != kCombineDimension && size < 1) return "a tile dimension must be at least 1";
  }
  return std::nullopt;
}

}  // namespace

bool Layout::HasOnlyOrder() const {
  Layout order;
  order.minor_to_major = minor_to_major;
  return *this == order;
}

bool Layout::IsDefault() const {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return HasOnlyOrder();
}

std::string Layout::ToString() const {
  std::string properties;
  const auto append = [&](llvm::StringRef name, const std::string& value) {
    if (!value.empty()) properties += name.str() + "(" + value + ")";
  };
  const auto append_number = [&](llvm::StringRef name, int64_t value, int64_t default_value) {
    if (value != default_value) append(name, std::to_string(value));
  };
  append("D", dimension_level_types);
  if (!tiles.empty()) properties += "T";
  for (const Tile& tile : tiles) properties += "(" + Join(tile.dimensions) + ")";
  append_number("L", tail_padding_alignment, 1);
  append("#", index_type);
  append("*", pointer_type);
  append_number("E", element_size_in_bits, 0);
  append_number("S", memory_space, 0);
  if (!split_configs.empty()) properties += "SC";
  for (const SplitConfig& split : split_configs) {
    properties += "(" + std::to_string(split.dimension) + ":" + Join(split.indices) + ")";
  }
  append("P", physical_shape);
  append_number("M", dynamic_shape_metadata_prefix_bytes, 0);
  std::string result = "{" + Join(minor_to_major);
  if (!properties.empty()) result += ":" + properties;
  return result + "}";
}

Layout DefaultLayout(int64_t rank) {
  Layout layout;
  for (int64_t dimension = rank - 1; dimension >= 0; --dimension) {
    layout.minor_to_major.push_back(dimension);
  }
  return layout;
}

std::optional<size_t> ParseLayoutPrefix(llvm::StringRef text, Layout& layout,
                                        support::TextError& error) {
  return LayoutParser(text, layout, error).Parse();
}

absl::StatusOr<Layout> ParseLayout(llvm::StringRef text) {
  Layout layout;
  support::TextError error;
  const std::optional<size_t> length = ParseLayoutPrefix(text, layout, error);
  if (length && !text.drop_front(*length).trim().empty()) {
    error = {*length, "unexpected text after the layout"};
  } else if (length) {
    return layout;
  }
  return support::ToStatus(
      support::MakeDiagnostic({"<layout>", text}, error.offset, error.message));
}

std::optional<std::string> FindLayoutError(const Layout& layout, int64_t rank) {
  if (static_cast<int64_t>(layout.minor_to_major.size()) != rank) {
    return "the layout orders " + std::to_string(layout.minor_to_major.size()) +
           " dimensions, the shape has " + std::to_string(rank);
  }
  llvm::SmallVector<bool, 8> seen(static_cast<size_t>(rank), false);
  for (const int64_t dimension : layout.minor_to_major) {
    if (dimension < 0 || dimension >= rank || seen[static_cast<size_t>(dimension)]) {
      return "minor_to_major must name each of the dimensions 0 to " + std::to_string(rank - 1) +
             " once";
    }
    seen[static_cast<size_t>(dimension)] = true;
  }
  size_t num_dimensions = static_cast<size_t>(rank);
  for (const Tile& tile : layout.tiles) {
    if (std::optional<std::string> error = FindTileError(tile)) return error;
    num_dimensions += tile.dimensions.size();
  }
  if (num_dimensions * layout.tiles.size() > kMaxTiledDimensions) {
    return "the layout has too many tiles for so many dimensions: their product may be " +
           std::to_string(kMaxTiledDimensions);
  }
  if (layout.tail_padding_alignment < 1) return "the tail padding alignment must be at least 1";
  for (const SplitConfig& split : layout.split_configs) {
    if (split.dimension >= rank) return "a split configuration names a dimension out of range";
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::layout
