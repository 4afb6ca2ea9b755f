#include "layout/xla_layout.h"

#include "llvm/ADT/STLExtras.h"
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

// A part of a layout, by number if there are several.
enum class LayoutPart : uint8_t {
  kOrder,
  kDimension,
  kTile,
  kTileSize,
  kTailPadding,
  kSplit,
  kPhysicalShape
};

// What is wrong with which part; `second` is the size inside a tile.
struct LayoutProblem {
  std::string message;
  LayoutPart part = LayoutPart::kOrder;
  size_t first = 0;
  size_t second = 0;
};

// Where the parts of a layout stand in its text.
struct LayoutTextOffsets {
  llvm::SmallVector<size_t, 6> dimensions;
  llvm::SmallVector<size_t, 2> tiles;
  llvm::SmallVector<llvm::SmallVector<size_t, 2>, 2> tile_sizes;
  size_t tail_padding = 0;
  llvm::SmallVector<size_t, 2> splits;
  size_t physical_shape = 0;

  size_t Of(const LayoutProblem& problem) const {
    switch (problem.part) {
      case LayoutPart::kOrder:
        return 0;
      case LayoutPart::kDimension:
        return dimensions[problem.first];
      case LayoutPart::kTile:
        return tiles[problem.first];
      case LayoutPart::kTileSize:
        return tile_sizes[problem.first][problem.second];
      case LayoutPart::kTailPadding:
        return tail_padding;
      case LayoutPart::kSplit:
        return splits[problem.first];
      case LayoutPart::kPhysicalShape:
        return physical_shape;
    }
    return 0;
  }
};

std::string DimensionsText(size_t count) {
  return std::to_string(count) + (count == 1 ? " dimension" : " dimensions");
}

std::optional<LayoutProblem> FindOrderProblem(const Layout& layout, int64_t rank) {
  const size_t num_dimensions = static_cast<size_t>(rank);
  if (layout.minor_to_major.size() != num_dimensions) {
    return LayoutProblem{"the layout orders " + DimensionsText(layout.minor_to_major.size()) +
                             ", the shape has " + std::to_string(rank),
                         LayoutPart::kOrder};
  }
  llvm::SmallVector<bool, 8> seen(num_dimensions, false);
  for (size_t i = 0; i < num_dimensions; ++i) {
    const int64_t dimension = layout.minor_to_major[i];
    if (dimension < 0 || dimension >= rank || seen[static_cast<size_t>(dimension)]) {
      return LayoutProblem{"minor_to_major must name each of the dimensions 0 to " +
                               std::to_string(rank - 1) + " once",
                           LayoutPart::kDimension, i};
    }
    seen[static_cast<size_t>(dimension)] = true;
  }
  return std::nullopt;
}

std::optional<LayoutProblem> FindTileProblem(const Layout& layout, int64_t rank) {
  size_t num_dimensions = static_cast<size_t>(rank);
  for (size_t i = 0; i < layout.tiles.size(); ++i) {
    const auto& sizes = layout.tiles[i].dimensions;
    if (sizes.empty()) {
      return LayoutProblem{"a tile must have at least one dimension", LayoutPart::kTile, i};
    }
    if (sizes.back() == kCombineDimension) {
      return LayoutProblem{
          "'*' cannot be the last dimension of a tile: there is no more minor one to combine with",
          LayoutPart::kTileSize, i, sizes.size() - 1};
    }
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] != kCombineDimension && sizes[k] < 1) {
        return LayoutProblem{"a tile dimension must be at least 1", LayoutPart::kTileSize, i, k};
      }
    }
    num_dimensions += sizes.size();
    if (num_dimensions * (i + 1) > kMaxTiledDimensions) {
      return LayoutProblem{
          "too many tiles for so many dimensions: their number times the dimensions of the array "
          "and all tiles may be " +
              std::to_string(kMaxTiledDimensions),
          LayoutPart::kTile, i};
    }
  }
  return std::nullopt;
}

// Whether a level is other than dense, `D`, which may be followed by `+` and `~`.
bool IsSparse(const Layout& layout) {
  return llvm::StringRef(layout.dimension_level_types).find_first_of("CSH") !=
         llvm::StringRef::npos;
}

std::optional<LayoutProblem> FindProblem(const Layout& layout, int64_t rank) {
  if (auto problem = FindOrderProblem(layout, rank)) return problem;
  if (auto problem = FindTileProblem(layout, rank)) return problem;
  if (layout.tail_padding_alignment < 1) {
    return LayoutProblem{"the tail padding alignment must be at least 1", LayoutPart::kTailPadding};
  }
  for (size_t i = 0; i < layout.split_configs.size(); ++i) {
    const int64_t dimension = layout.split_configs[i].dimension;
    if (dimension < 0 || dimension >= rank) {
      return LayoutProblem{"a split configuration names a dimension out of range",
                           LayoutPart::kSplit, i};
    }
  }
  if (!layout.physical_shape.empty() && !IsSparse(layout)) {
    return LayoutProblem{"only a sparse array has a physical shape", LayoutPart::kPhysicalShape};
  }
  return std::nullopt;
}

// Reads one layout; the first error stops it.
class LayoutParser {
 public:
  LayoutParser(llvm::StringRef text, Layout& layout, support::TextError& error)
      : text_(text), layout_(layout), error_(error) {}

  const LayoutTextOffsets& offsets() const { return offsets_; }

  std::optional<size_t> Parse() {
    if (!Expect('{')) return std::nullopt;
    SkipBlanks();
    if (llvm::isDigit(Peek()) && !ParseIntegers(layout_.minor_to_major, &offsets_.dimensions)) {
      return std::nullopt;
    }
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
      const llvm::StringRef name = rest.take_front(rest.starts_with("SC") ? 2 : 1);
      if (llvm::is_contained(properties_, name)) {
        return Fail("the property " + name.str() + " is given twice");
      }
      properties_.push_back(name);
      position_ += name.size();
      if (!(name == "SC" ? ParseSplitConfigs() : ParseProperty(name.front()))) return false;
    }
  }

  bool ParseProperty(char property) {
    switch (property) {
      case 'T':
        return ParseTiles();
      case 'D':
        return ParseRaw(layout_.dimension_level_types);
      case '#':
        return ParseUnsignedType(layout_.index_type);
      case '*':
        return ParseUnsignedType(layout_.pointer_type);
      case 'P':
        offsets_.physical_shape = position_;
        return ParseRaw(layout_.physical_shape);
      case 'L':
        offsets_.tail_padding = position_;
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
      SkipBlanks();
      offsets_.tiles.push_back(position_);
      auto& size_places = offsets_.tile_sizes.emplace_back();
      if (!Expect('(')) return false;
      SkipBlanks();
      if (TakeIf(')')) continue;
      do {
        SkipBlanks();
        size_places.push_back(position_);
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
      SkipBlanks();
      offsets_.splits.push_back(position_);
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

  // The element type of an index or pointer array.
  bool ParseUnsignedType(std::string& type) {
    if (!Expect('(')) return false;
    SkipBlanks();
    const llvm::StringRef word = text_.drop_front(position_).take_while(llvm::isAlnum);
    constexpr llvm::StringLiteral kTypes[] = {"u1", "u2", "u4", "u8", "u16", "u32", "u64"};
    if (!llvm::is_contained(kTypes, word)) return Fail("expected an unsigned integer type");
    type = word.str();
    position_ += word.size();
    return Expect(')');
  }

  bool ParseNumber(int64_t& value) { return Expect('(') && ParseInteger(value) && Expect(')'); }

  template <typename Vector>
  bool ParseIntegers(Vector& values, llvm::SmallVectorImpl<size_t>* offsets = nullptr) {
    do {
      SkipBlanks();
      if (offsets != nullptr) offsets->push_back(position_);
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
  LayoutTextOffsets offsets_;
  // Those that have been read.
  llvm::SmallVector<llvm::StringRef, 4> properties_;
};

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

std::optional<size_t> ParseLayoutPrefix(llvm::StringRef text, int64_t rank, Layout& layout,
                                        support::TextError& error) {
  LayoutParser parser(text, layout, error);
  const std::optional<size_t> length = parser.Parse();
  if (!length) return std::nullopt;
  if (const std::optional<LayoutProblem> problem = FindProblem(layout, rank)) {
    error = {parser.offsets().Of(*problem), problem->message};
    return std::nullopt;
  }
  return length;
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
  const std::optional<LayoutProblem> problem = FindProblem(layout, rank);
  return problem ? std::optional(problem->message) : std::nullopt;
}

}  // namespace hlo_indexing::layout
