// Shapes: element type and dimensions of an array with its layout, or a tuple of shapes.
#ifndef HLO_INDEXING_HLO_SHAPE_H_
#define HLO_INDEXING_HLO_SHAPE_H_

#include <cstdint>
#include <string>

#include "hlo/element_type.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace hlo_indexing::hlo {

/// The size of a dimension written `?`, whose extent is not even bounded.
inline constexpr int64_t kUnboundedSize = INT64_MIN;

/// One dimension of an array: `8`, `<=8` (at most 8, known at run time) or `?`.
struct Dimension {
  int64_t size = 0;
  bool is_dynamic = false;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// An immutable shape, unique in its ShapePool: two shapes of a pool are equal, layout included,
/// if their addresses are.
class Shape : public llvm::FoldingSetNode {
 public:
  ElementType element_type() const { return element_type_; }
  bool IsArray() const { return element_type_ < ElementType::kToken; }
  bool IsTuple() const { return element_type_ == ElementType::kTuple; }
  bool IsToken() const { return element_type_ == ElementType::kToken; }
  bool IsScalar() const { return IsArray() && sizes_.empty(); }

  /// Arrays: the sizes of the dimensions, bounds if dynamic, kUnboundedSize for `?`.
  llvm::ArrayRef<int64_t> sizes() const { return sizes_; }
  int64_t rank() const { return static_cast<int64_t>(sizes_.size()); }
  bool IsDynamic(int64_t dimension) const {
    return !dynamic_.empty() && dynamic_[static_cast<size_t>(dimension)];
  }
  bool HasUnboundedDimension() const { return has_unbounded_dimension_; }
  /// Arrays: the number of elements, dynamic dimensions taken at their bounds; -1 if a dimension
  /// is unbounded.
  int64_t num_elements() const { return num_elements_; }
  /// Arrays: the layout, or null if the text gave none; then it is row-major.
  const layout::Layout* layout() const { return layout_; }
  /// Bits that one element takes in memory: the layout's E(bits), or whole bytes.
  int64_t StorageBits() const;

  /// Tuples: the elements. A buffer `b(...)`: the shape inside.
  llvm::ArrayRef<const Shape*> elements() const { return elements_; }

  /// The arrays in this shape in tuple order, a buffer's array included; tokens and opaque values
  /// are no arrays.
  /// Example: (f32[2], (s32[], token[])) -> 2
  int64_t num_array_leaves() const { return num_array_leaves_; }
  /// The array leaf of that number.
  /// Example: (f32[2], (s32[], token[])), 1 -> s32[]
  const Shape& ArrayLeaf(int64_t leaf) const;
  /// Tuples: the number of array leaves before element `index`.
  int64_t FirstLeafOfElement(int64_t index) const {
    return first_leaves_[static_cast<size_t>(index)];
  }
  /// Tuples: the element that holds the array leaf of that number.
  int64_t ElementOfLeaf(int64_t leaf) const;

  /// The same dimensions with neither element types nor layouts: every array is one of pred. Unique
  /// in the pool too.
  /// Example: (f32[2]{0}, token[]) -> (pred[2], token[])
  const Shape& untyped() const { return *untyped_; }

  /// The shape in HLO text, with layouts if they are set.
  /// Example: "f32[2,<=3]{1,0}"
  std::string ToString() const;

  void Profile(llvm::FoldingSetNodeID& node_id) const;

 private:
  friend class ShapePool;
  ElementType element_type_ = ElementType::kTuple;
  bool has_unbounded_dimension_ = false;
  llvm::ArrayRef<int64_t> sizes_;
  llvm::ArrayRef<bool> dynamic_;
  const layout::Layout* layout_ = nullptr;
  llvm::ArrayRef<const Shape*> elements_;
  llvm::ArrayRef<int64_t> first_leaves_;
  int64_t num_elements_ = 0;
  int64_t num_array_leaves_ = 0;
  const Shape* untyped_ = nullptr;
  int64_t num_subshapes_ = 1;
  int depth_ = 0;
};

/// Makes shapes and owns them.
class ShapePool {
 public:
  ShapePool() = default;
  ShapePool(const ShapePool&) = delete;
  ShapePool& operator=(const ShapePool&) = delete;

  /// An array; `layout` may be null. Null if its size in bytes does not fit in 64 bits.
  const Shape* Array(ElementType type, llvm::ArrayRef<Dimension> dimensions,
                     const layout::Layout* layout = nullptr);
  /// An array of static dimensions.
  const Shape* Array(ElementType type, llvm::ArrayRef<int64_t> sizes,
                     const layout::Layout* layout = nullptr);
  const Shape* Scalar(ElementType type) { return Array(type, llvm::ArrayRef<int64_t>()); }
  /// A tuple. Null if it would hold more than kMaxSubshapes shapes, nested ones counted, or nest
  /// deeper than kMaxTupleDepth: tuples of tuples grow exponentially in the length of a program.
  const Shape* Tuple(llvm::ArrayRef<const Shape*> elements);
  const Shape* Token() { return Special(ElementType::kToken); }
  const Shape* Opaque() { return Special(ElementType::kOpaque); }
  const Shape* Buffer(const Shape* contents);

 private:
  const Shape* Special(ElementType type);
  const Shape* Intern(Shape shape);
  const Shape* Untyped(Shape shape);
  const layout::Layout* InternLayout(const layout::Layout* layout);

  llvm::BumpPtrAllocator allocator_;
  llvm::FoldingSet<Shape> shapes_;
  // By their texts.
  llvm::StringMap<layout::Layout> layouts_;
};

/// The most shapes that a tuple may hold, nested ones counted.
inline constexpr int64_t kMaxSubshapes = int64_t{1} << 20;

/// How deep tuples may nest: functions on shapes recurse.
inline constexpr int kMaxTupleDepth = 500;

/// What two shapes must share to be compatible.
enum class ShapeAspects : uint8_t {
  kDimensions,         // tuple structure, array or token, ranks and sizes
  kTypeAndDimensions,  // that and the element types
};

/// Whether the shapes agree in these aspects, layouts aside. An unbounded dimension agrees with
/// any.
bool Compatible(const Shape& a, const Shape& b, ShapeAspects aspects);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_H_
