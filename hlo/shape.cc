#include "hlo/shape.h"

#include <algorithm>
#include <memory>

#include "support/checked_math.h"

namespace hlo_indexing::hlo {
namespace {

template <typename T>
llvm::ArrayRef<T> CopyInto(llvm::BumpPtrAllocator& allocator, llvm::ArrayRef<T> values) {
  if (values.empty()) return {};
  T* copies = allocator.Allocate<T>(values.size());
  std::uninitialized_copy(values.begin(), values.end(), copies);
  return llvm::ArrayRef<T>(copies, values.size());
}

void AppendShape(const Shape& shape, std::string& out) {
  if (shape.IsTuple() || shape.element_type() == ElementType::kBuffer) {
    out += shape.IsTuple() ? "(" : "b(";
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      if (i != 0) out += ", ";
      if (i != 0 && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
      AppendShape(*shape.elements()[i], out);
    }
    out += ')';
    return;
  }
  out += ElementTypeName(shape.element_type());
  out += '[';
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i != 0) out += ',';
    const int64_t size = shape.sizes()[static_cast<size_t>(i)];
    if (size == kUnboundedSize) {
      out += '?';
    } else {
      if (shape.IsDynamic(i)) out += "<=";
      out += std::to_string(size);
    }
  }
  out += ']';
  if (const layout::Layout* layout = shape.layout()) {
    if (shape.rank() != 0 || !layout->IsDefault()) out += layout->ToString();
  }
}

}  // namespace

int64_t Shape::StorageBits() const {
  if (layout_ != nullptr && layout_->element_size_in_bits > 0) return layout_->element_size_in_bits;
  return DefaultStorageBits(element_type_);
}

const Shape& Shape::ArrayLeaf(int64_t leaf) const {
  const Shape* shape = this;
  while (!shape->IsArray()) {
    const int64_t element = shape->ElementOfLeaf(leaf);
    leaf -= shape->FirstLeafOfElement(element);
    shape = shape->elements_[static_cast<size_t>(element)];
  }
  return *shape;
}

int64_t Shape::ElementOfLeaf(int64_t leaf) const {
  // Most tuples hold arrays only.
  const auto same = static_cast<size_t>(leaf);
  const bool is_last = same + 1 == first_leaves_.size();
  if (same < first_leaves_.size() && first_leaves_[same] == leaf &&
      (is_last || first_leaves_[same + 1] > leaf)) {
    return leaf;
  }
  // The last element that starts at or before the leaf; empty elements before it start there too.
  const auto* after = std::upper_bound(first_leaves_.begin(), first_leaves_.end(), leaf);
  return after - first_leaves_.begin() - 1;
}

std::string Shape::ToString() const {
  std::string result;
  AppendShape(*this, result);
  return result;
}

void Shape::Profile(llvm::FoldingSetNodeID& node_id) const {
  node_id.AddInteger(static_cast<unsigned>(element_type_));
  node_id.AddPointer(layout_);
  node_id.AddInteger(static_cast<unsigned>(sizes_.size()));
  for (const int64_t size : sizes_) node_id.AddInteger(size);
  for (const bool dynamic : dynamic_) node_id.AddBoolean(dynamic);
  for (const Shape* element : elements_) node_id.AddPointer(element);
}

const Shape* ShapePool::Array(ElementType type, llvm::ArrayRef<Dimension> dimensions,
                              const layout::Layout* layout) {
  llvm::SmallVector<int64_t, 6> sizes;
  llvm::SmallVector<bool, 6> dynamic;
  Shape shape;
  shape.element_type_ = type;
  bool any_dynamic = false;
  for (const Dimension& dimension : dimensions) {
    sizes.push_back(dimension.size);
    dynamic.push_back(dimension.is_dynamic);
    any_dynamic |= dimension.is_dynamic;
    shape.has_unbounded_dimension_ |= dimension.size == kUnboundedSize;
  }
  std::optional<int64_t> elements = shape.has_unbounded_dimension_ ? -1 : 1;
  for (const int64_t size : sizes) {
    if (shape.has_unbounded_dimension_) break;
    elements = support::CheckedMul(*elements, size);
    if (!elements) return nullptr;
  }
  // XLA, too, wants arrays whose bytes can be counted; and INT64_MAX stands for infinity in bounds.
  const int64_t bytes_each = std::max<int64_t>(ElementBits(type) / 8, 1);
  if (!support::CheckedMul(*elements, bytes_each) || *elements == INT64_MAX) return nullptr;
  shape.num_elements_ = *elements;
  shape.num_array_leaves_ = 1;
  shape.sizes_ = sizes;
  if (any_dynamic) shape.dynamic_ = dynamic;
  shape.layout_ = InternLayout(layout);
  return Intern(shape);
}

const Shape* ShapePool::Array(ElementType type, llvm::ArrayRef<int64_t> sizes,
                              const layout::Layout* layout) {
  llvm::SmallVector<Dimension, 6> dimensions;
  for (const int64_t size : sizes) dimensions.push_back({size, false});
  return Array(type, dimensions, layout);
}

const Shape* ShapePool::Tuple(llvm::ArrayRef<const Shape*> elements) {
  Shape shape;
  shape.element_type_ = ElementType::kTuple;
  shape.elements_ = elements;
  llvm::SmallVector<int64_t, 8> first_leaves;
  for (const Shape* element : elements) {
    first_leaves.push_back(shape.num_array_leaves_);
    shape.num_array_leaves_ += element->num_array_leaves();
    shape.num_subshapes_ += element->num_subshapes_;
    shape.depth_ = std::max(shape.depth_, element->depth_ + 1);
    if (shape.num_subshapes_ > kMaxSubshapes || shape.depth_ > kMaxTupleDepth) return nullptr;
  }
  shape.first_leaves_ = first_leaves;
  return Intern(shape);
}

const Shape* ShapePool::Buffer(const Shape* contents) {
  Shape shape;
  shape.element_type_ = ElementType::kBuffer;
  shape.depth_ = contents->depth_ + 1;
  const int64_t first_leaf = 0;
  shape.elements_ = contents;
  shape.first_leaves_ = first_leaf;
  shape.num_array_leaves_ = contents->num_array_leaves();
  return Intern(shape);
}

const Shape* ShapePool::Special(ElementType type) {
  Shape shape;
  shape.element_type_ = type;
  return Intern(shape);
}

const Shape* ShapePool::Intern(Shape shape) {
  llvm::FoldingSetNodeID node_id;
  shape.Profile(node_id);
  void* insert_position = nullptr;
  if (const Shape* known = shapes_.FindNodeOrInsertPos(node_id, insert_position)) return known;
  shape.sizes_ = CopyInto(allocator_, shape.sizes_);
  shape.dynamic_ = CopyInto(allocator_, shape.dynamic_);
  shape.elements_ = CopyInto(allocator_, shape.elements_);
  shape.first_leaves_ = CopyInto(allocator_, shape.first_leaves_);
  Shape* made = new (allocator_.Allocate<Shape>()) Shape(shape);
  shapes_.InsertNode(made, insert_position);
  made->untyped_ = Untyped(shape);
  return made;
}

// Of a shape whose elements are unique.
const Shape* ShapePool::Untyped(Shape shape) {
  if (shape.IsArray()) shape.element_type_ = ElementType::kPred;
  shape.layout_ = nullptr;
  llvm::SmallVector<const Shape*, 8> elements;
  for (const Shape* element : shape.elements_) elements.push_back(element->untyped_);
  shape.elements_ = elements;
  return Intern(shape);
}

const layout::Layout* ShapePool::InternLayout(const layout::Layout* layout) {
  if (layout == nullptr) return nullptr;
  return &layouts_.try_emplace(layout->ToString(), *layout).first->second;
}

bool Compatible(const Shape& a, const Shape& b, ShapeAspects aspects) {
  if (&a == &b) return true;
  const bool same_kind = a.IsArray() && b.IsArray() && aspects == ShapeAspects::kDimensions;
  if (!same_kind && a.element_type() != b.element_type()) return false;
  if (a.rank() != b.rank() || a.elements().size() != b.elements().size()) return false;
  for (size_t i = 0; i < a.sizes().size(); ++i) {
    const bool unbounded = a.sizes()[i] == kUnboundedSize || b.sizes()[i] == kUnboundedSize;
    if (!unbounded && a.sizes()[i] != b.sizes()[i]) return false;
  }
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!Compatible(*a.elements()[i], *b.elements()[i], aspects)) return false;
  }
  return true;
}

}  // namespace hlo_indexing::hlo
