#include "layout/tpu_layout.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::layout {
namespace {

constexpr int64_t kLanes = 128;
constexpr int64_t kWordBits = 32;
constexpr int64_t kRegisterRows = 8;

// How many rows the usual tile has for a second minor dimension of that size.
int64_t UsualRows(int64_t second_minor_size) {
  if (second_minor_size <= 2) return 2;
  return second_minor_size <= 4 ? 4 : kRegisterRows;
}

// Collects the formats of one array; stops at the first error.
class FormatList {
 public:
  FormatList(llvm::ArrayRef<int64_t> dimensions, int64_t element_bits, const Layout& untiled)
      : dimensions_(dimensions), element_bits_(element_bits), untiled_(untiled) {}

  // With `bits_in_layout` other than 0 elements are of that size.
  void Add(std::string name, llvm::ArrayRef<Tile> tiles, int64_t bits_in_layout, bool is_usual) {
    if (!status_.ok()) return;
    Layout layout = untiled_;
    layout.tiles.assign(tiles.begin(), tiles.end());
    if (bits_in_layout != 0) layout.element_size_in_bits = bits_in_layout;
    absl::StatusOr<TiledLayout> tiled =
        TiledLayout::Create(dimensions_, element_bits_, std::move(layout));
    if (!tiled.ok()) {
      status_ = tiled.status();
      return;
    }
    formats_.push_back({std::move(name), std::move(*tiled), is_usual});
  }

  absl::StatusOr<std::vector<TpuFormat>> Finish() {
    if (!status_.ok()) return status_;
    return std::move(formats_);
  }

 private:
  llvm::ArrayRef<int64_t> dimensions_;
  int64_t element_bits_;
  const Layout& untiled_;
  absl::Status status_;
  std::vector<TpuFormat> formats_;
};

// A register of words in which elements of less than a byte from so many rows are packed.
void AddPackedBits(FormatList& formats, int64_t bits, int64_t bits_in_layout) {
  const int64_t elements_per_word = kWordBits / bits;
  const int64_t rows = std::max(kRegisterRows, elements_per_word);
  const Tile tiles[] = {{{rows, kLanes}}, {{elements_per_word, 1}}};
  std::string name = std::to_string(rows) + "x" + std::to_string(kLanes) + " packed by " +
                     std::to_string(elements_per_word);
  if (bits == 1) name += ", one bit each";
  formats.Add(std::move(name), tiles, bits_in_layout, false);
}

}  // namespace

absl::StatusOr<std::vector<TpuFormat>> TpuFormats(llvm::ArrayRef<int64_t> dimensions,
                                                  int64_t element_bits, ElementContent content,
                                                  const Layout& layout) {
  Layout untiled = layout;
  untiled.tiles.clear();
  const auto rank = static_cast<int64_t>(dimensions.size());
  if (const auto error = FindLayoutError(untiled, rank)) return absl::InvalidArgumentError(*error);
  FormatList formats(dimensions, element_bits, untiled);
  formats.Add("untiled", {}, 0, false);
  const int64_t bits =
      layout.element_size_in_bits == 0 ? element_bits : layout.element_size_in_bits;
  if (bits == 1 || bits == 2 || bits == 4) AddPackedBits(formats, bits, 0);
  const bool is_packed = bits == 16 || bits == 8;
  if (!is_packed && bits != kWordBits) return formats.Finish();

  const int64_t elements_per_word = kWordBits / bits;
  const int64_t second_minor_size =
      rank < 2 ? 1 : dimensions[static_cast<size_t>(layout.minor_to_major[1])];
  // A word of elements from several rows takes a tile of as many.
  const int64_t usual_rows = std::max(UsualRows(second_minor_size), elements_per_word);
  for (int64_t rows = kRegisterRows; rows >= 2 && rows >= elements_per_word; rows /= 2) {
    llvm::SmallVector<Tile, 2> tiles = {{{rows, kLanes}}};
    std::string name = std::to_string(rows) + "x" + std::to_string(kLanes);
    if (rows < kRegisterRows) name += " compact second minor";
    if (is_packed) {
      tiles.push_back({{elements_per_word, 1}});
      name += " packed by " + std::to_string(elements_per_word);
    }
    formats.Add(std::move(name), tiles, 0, rows == usual_rows);
  }
  if (content == ElementContent::kBoolean) AddPackedBits(formats, 1, 1);
  return formats.Finish();
}

absl::StatusOr<TiledLayout> TpuLayout(llvm::ArrayRef<int64_t> dimensions, int64_t element_bits,
                                      llvm::ArrayRef<int64_t> minor_to_major) {
  Layout order;
  order.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  auto formats = TpuFormats(dimensions, element_bits, ElementContent::kNumber, order);
  if (!formats.ok()) return formats.status();
  for (TpuFormat& format : *formats) {
    if (format.is_usual) return std::move(format.layout);
  }
  return absl::UnimplementedError("there is no tiled format for elements of " +
                                  std::to_string(element_bits) + " bits");
}

}  // namespace hlo_indexing::layout
