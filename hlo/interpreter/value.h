// Values that the interpreter computes with: arrays, tuples of values, tokens.
#ifndef HLO_INDEXING_HLO_INTERPRETER_VALUE_H_
#define HLO_INDEXING_HLO_INTERPRETER_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/interpreter/element_value.h"
#include "hlo/literal.h"
#include "hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::hlo {

/// Counts the bytes that values hold, up to a limit. Shared by the values that it counts.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t max_bytes) : max_bytes_(max_bytes) {}
  /// False if that would exceed the limit.
  bool Reserve(int64_t bytes);
  void Release(int64_t bytes) { used_ -= bytes; }
  int64_t max_bytes() const { return max_bytes_; }

 private:
  int64_t max_bytes_;
  int64_t used_ = 0;
};

/// Bytes reserved from a budget, released by the destructor.
class MemoryReservation {
 public:
  MemoryReservation(std::shared_ptr<MemoryBudget> budget, int64_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {}
  ~MemoryReservation() { budget_->Release(bytes_); }
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

 private:
  std::shared_ptr<MemoryBudget> budget_;
  int64_t bytes_;
};

/// An array: its elements in row-major order of the logical index, in the bytes of a Literal, and
/// what each was read from if that is traced. Bytes and sources move together.
class ArrayValue {
 public:
  /// All elements 0. The shape must be an array without unbounded dimensions, and must outlive
  /// this.
  explicit ArrayValue(const Shape* shape);
  ~ArrayValue();
  ArrayValue(const ArrayValue&) = delete;
  ArrayValue& operator=(const ArrayValue&) = delete;

  /// The same array for another owner; null if the budget does not allow it.
  static std::shared_ptr<ArrayValue> Make(const Shape* shape, std::shared_ptr<MemoryBudget> budget);

  const Shape& shape() const { return *shape_; }
  ElementType type() const { return type_; }
  int64_t size() const { return shape_->num_elements(); }

  Element Get(int64_t position) const {
    Element element = LoadElement(type_, bytes_.data() + position * width_);
    if (!sources_.empty()) element.sources = sources_[position];
    return element;
  }
  /// The value of an integer or pred element.
  int64_t Integer(int64_t position) const { return Get(position).integer; }
  SourceSet SourcesOf(int64_t position) const {
    return sources_.empty() ? kNoSources : sources_[position];
  }
  /// Writes an element, rounded to the array's type.
  void Set(int64_t position, const Element& element) {
    StoreElement(type_, element, bytes_.data() + position * width_);
    SetSources(position, element.sources);
  }
  void SetSources(int64_t position, SourceSet sources) {
    if (sources_.empty() && sources == kNoSources) return;
    WriteSources(position, sources);
  }
  /// Copies an element of another array, its sources included: to the last bit if the types are
  /// equal, converted if they are not.
  void CopyFrom(int64_t position, const ArrayValue& other, int64_t other_position);

  llvm::ArrayRef<uint8_t> bytes() const { return bytes_; }
  llvm::MutableArrayRef<uint8_t> mutable_bytes() { return bytes_; }
  bool has_sources() const { return !sources_.empty(); }

  /// The size of a dimension: of a dynamic one the size that it has now.
  int64_t DimensionSize(int64_t dimension) const;
  /// Gives a dynamic dimension its size.
  void SetDimensionSize(int64_t dimension, int64_t size);
  /// Whether a dimension is smaller than its bound.
  bool IsPartlyFilled() const;
  void CopyDimensionSizes(const ArrayValue& other) { dimension_sizes_ = other.dimension_sizes_; }

 private:
  void WriteSources(int64_t position, SourceSet sources);

  const Shape* shape_;
  ElementType type_;
  int64_t width_;
  std::vector<uint8_t> bytes_;
  // Empty if no element has any.
  std::vector<SourceSet> sources_;
  // Empty if every dimension has the size that the shape says.
  llvm::SmallVector<int64_t, 0> dimension_sizes_;
  std::shared_ptr<MemoryBudget> budget_;
  int64_t reserved_bytes_ = 0;
};

/// An array, a tuple of values, or a token; immutable, cheap to copy. The module that its shape
/// belongs to must outlive it.
class Value {
 public:
  Value() = default;
  explicit Value(std::shared_ptr<const ArrayValue> array)
      : shape_(&array->shape()), array_(std::move(array)) {}
  static Value Tuple(const Shape* shape, std::vector<Value> elements);
  /// A token or an opaque value: it holds nothing.
  static Value Token(const Shape* shape);

  /// The value of a literal; an error if one of its arrays is elided.
  static absl::StatusOr<Value> FromLiteral(const Literal& literal);
  /// A value of that shape whose arrays are given in tuple order as bytes of literals, each as many
  /// bytes as the shape says.
  /// Example: (f32[2], s32[]), {8 bytes, 4 bytes}
  static absl::StatusOr<Value> FromBytes(const Shape& shape,
                                         llvm::ArrayRef<llvm::ArrayRef<uint8_t>> leaves);

  /// False for the value that the default constructor makes.
  bool HasValue() const { return shape_ != nullptr; }
  const Shape& shape() const { return *shape_; }
  bool IsArray() const { return array_ != nullptr; }
  const ArrayValue& array() const { return *array_; }
  const std::shared_ptr<const ArrayValue>& shared_array() const { return array_; }
  llvm::ArrayRef<Value> elements() const {
    return elements_ == nullptr ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(*elements_);
  }
  /// The arrays in tuple order, as Shape::ArrayLeaf numbers them.
  std::vector<const ArrayValue*> ArrayLeaves() const;
  /// As the text of a literal: `{{1, 2}, {3, 4}}`, `(true, {1.5})`; a token is `token`.
  std::string ToString() const;

 private:
  const Shape* shape_ = nullptr;
  std::shared_ptr<const ArrayValue> array_;
  std::shared_ptr<const std::vector<Value>> elements_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_VALUE_H_
