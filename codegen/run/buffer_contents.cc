#include "codegen/run/buffer_contents.h"

#include <cstring>
#include <utility>

#include "hlo/element_type.h"
#include "hlo/memory_layout.h"
#include "layout/tiled_layout.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/SmallVector.h"
#include "support/status_macros.h"

namespace hlo_indexing::run {

using hlo::ArrayValue;
using hlo::Shape;
using layout::TiledLayout;

namespace {

bool IsRowMajor(const TiledLayout& layout) {
  return layout.layout().tiles.empty() && layout.num_positions() == layout.num_elements() &&
         layout.layout().minor_to_major == layout::DefaultLayout(layout.rank()).minor_to_major;
}

// Copies elements between row-major order, whole bytes each, and a layout.
class ElementCopy {
 public:
  ElementCopy(const TiledLayout& layout, size_t element_bytes)
      : layout_(layout),
        element_bytes_(element_bytes),
        bits_(layout.element_bits()),
        is_identical_(IsRowMajor(layout) && bits_ == static_cast<int64_t>(element_bytes) * 8) {}

  void ToBuffer(llvm::ArrayRef<uint8_t> elements, llvm::MutableArrayRef<uint8_t> buffer) {
    if (is_identical_) {
      if (!elements.empty()) std::memcpy(buffer.data(), elements.data(), elements.size());
      return;
    }
    ForEach([&](size_t element, int64_t position) {
      const uint8_t* const from = elements.data() + element * element_bytes_;
      uint8_t* const to = buffer.data() + layout_.ByteOffset(position);
      if (bits_ >= 8) {
        std::memcpy(to, from, element_bytes_);
      } else {
        const int64_t place = layout_.BitInByte(position);
        const int mask = (1 << bits_) - 1;
        *to = static_cast<uint8_t>(*to | ((*from & mask) << place));
      }
    });
  }

  void FromBuffer(llvm::ArrayRef<uint8_t> buffer, llvm::MutableArrayRef<uint8_t> elements,
                  bool is_signed) {
    if (is_identical_) {
      if (!elements.empty()) std::memcpy(elements.data(), buffer.data(), elements.size());
      return;
    }
    ForEach([&](size_t element, int64_t position) {
      uint8_t* const to = elements.data() + element * element_bytes_;
      const uint8_t* const from = buffer.data() + layout_.ByteOffset(position);
      if (bits_ >= 8) {
        std::memcpy(to, from, element_bytes_);
      } else {
        const int64_t place = layout_.BitInByte(position);
        const int value = (*from >> place) & ((1 << bits_) - 1);
        const int sign = is_signed ? (value >> (bits_ - 1)) << bits_ : 0;
        *to = static_cast<uint8_t>(value - sign);
      }
    });
  }

 private:
  template <typename Visit>
  void ForEach(Visit visit) {
    llvm::SmallVector<int64_t, 6> index(layout_.dimensions().size(), 0);
    for (int64_t element = 0; element < layout_.num_elements(); ++element) {
      visit(static_cast<size_t>(element), layout_.Position(index));
      for (size_t i = index.size(); i > 0; --i) {
        if (++index[i - 1] < layout_.dimensions()[i - 1]) break;
        index[i - 1] = 0;
      }
    }
  }

  const TiledLayout& layout_;
  size_t element_bytes_;
  int64_t bits_;
  bool is_identical_;
};

size_t ElementBytes(const ArrayValue& array) {
  return array.size() == 0 ? 1 : array.bytes().size() / static_cast<size_t>(array.size());
}

}  // namespace

absl::StatusOr<int64_t> BufferBytes(const Shape& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const TiledLayout layout, hlo::MemoryLayoutOf(shape));
  return layout.bytes();
}

absl::StatusOr<std::vector<uint8_t>> BufferOf(const ArrayValue& array) {
  return BufferOf(array, array.shape());
}

absl::StatusOr<std::vector<uint8_t>> BufferOf(const ArrayValue& array, const Shape& shape) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const TiledLayout layout, hlo::MemoryLayoutOf(shape));
  std::vector<uint8_t> buffer(static_cast<size_t>(layout.bytes()));
  ElementCopy(layout, ElementBytes(array)).ToBuffer(array.bytes(), buffer);
  return buffer;
}

absl::StatusOr<std::shared_ptr<const ArrayValue>> ArrayOf(const Shape& shape,
                                                          llvm::ArrayRef<uint8_t> buffer) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const TiledLayout layout, hlo::MemoryLayoutOf(shape));
  auto array = std::make_shared<ArrayValue>(&shape);
  const bool is_signed = hlo::ClassOf(shape.element_type()) == hlo::ElementClass::kSigned;
  ElementCopy(layout, ElementBytes(*array)).FromBuffer(buffer, array->mutable_bytes(), is_signed);
  return std::shared_ptr<const ArrayValue>(std::move(array));
}

}  // namespace hlo_indexing::run
