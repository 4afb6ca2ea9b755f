#include "hlo/memory_layout.h"

namespace hlo_indexing::hlo {

layout::Layout LayoutOrDefault(const Shape& shape) {
  return shape.layout() == nullptr ? layout::DefaultLayout(shape.rank()) : *shape.layout();
}

absl::StatusOr<layout::TiledLayout> MemoryLayoutOf(const Shape& shape) {
  return layout::TiledLayout::Create(shape.sizes(), shape.StorageBits(), LayoutOrDefault(shape));
}

bool AnyBitsAreElements(const Shape& array) {
  return array.element_type() != ElementType::kPred &&
         ElementBits(array.element_type()) == array.StorageBits();
}

}  // namespace hlo_indexing::hlo
