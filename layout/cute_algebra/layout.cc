#include "layout/cute_algebra/layout.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/AffineExpr.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Interval;
using support::CheckedAdd;
using support::CheckedMul;

// A mode without nesting, its extent at least 2.
struct FlatMode {
  int64_t extent;
  TupleInteger stride;
};

absl::Status OutsideError(const IntTuple& coordinate, const IntTuple& shape) {
  return absl::OutOfRangeError("the coordinate " + coordinate.ToString() +
                               " is outside of the shape " + shape.ToString());
}

// The offset of an index, which must lie inside the shape.
int64_t OffsetOfIndex(int64_t index, const IntTuple& shape, const IntTuple& stride) {
  const llvm::SmallVector<TupleInteger, 4> extents = shape.Leaves();
  const llvm::SmallVector<TupleInteger, 4> strides = stride.Leaves();
  int64_t offset = 0;
  for (size_t i = 0; i < extents.size() && index != 0; ++i) {
    offset += index % extents[i].value * strides[i].value;
    index /= extents[i].value;
  }
  return offset;
}

absl::StatusOr<int64_t> OffsetOfCoordinate(const IntTuple& coordinate, const IntTuple& shape,
                                           const IntTuple& stride) {
  if (coordinate.is_integer()) {
    // A part of a shape that has a size has one too, unless another part is 0.
    const std::optional<int64_t> size = Product(shape);
    const int64_t index = coordinate.integer().value;
    if (index < 0 || !size || index >= *size) return OutsideError(coordinate, shape);
    return OffsetOfIndex(index, shape, stride);
  }
  if (shape.is_integer() || coordinate.rank() != shape.rank()) {
    return absl::InvalidArgumentError("the coordinate " + coordinate.ToString() +
                                      " does not have the nesting of the shape " +
                                      shape.ToString());
  }
  // Every sum of parts is itself the offset of an element, and those fit in 64 bits.
  int64_t offset = 0;
  for (size_t i = 0; i < coordinate.members().size(); ++i) {
    const absl::StatusOr<int64_t> part =
        OffsetOfCoordinate(coordinate.members()[i], shape.members()[i], stride.members()[i]);
    if (!part.ok()) return part;
    offset += *part;
  }
  return offset;
}

// The order of a coordinate's integers, a path before those that go on from its end.
bool ComesBefore(AxisPath a, AxisPath b) {
  for (; !a.empty() && !b.empty(); a = a.rest(), b = b.rest()) {
    if (a.first() != b.first()) return a.first() < b.first();
  }
  return a.empty() && !b.empty();
}

// The axes along which strides count, in the order of the coordinate's integers; one empty path
// if there are none.
llvm::SmallVector<AxisPath, 2> AxesOf(llvm::ArrayRef<TupleInteger> strides) {
  llvm::SmallVector<AxisPath, 2> axes;
  for (const TupleInteger& stride : strides) {
    if (!stride.axes.empty()) axes.push_back(stride.axes);
  }
  llvm::sort(axes, ComesBefore);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (axes.empty()) axes.emplace_back();
  return axes;
}

// Which of these axes it is; nullopt for another one.
std::optional<size_t> FindAxis(llvm::ArrayRef<AxisPath> axes, AxisPath axis) {
  const auto* const at = llvm::lower_bound(axes, axis, ComesBefore);
  if (at == axes.end() || *at != axis) return std::nullopt;
  return static_cast<size_t>(at - axes.begin());
}

// The smallest and the largest offset along each axis; nullopt if one does not fit in 64 bits.
std::optional<llvm::SmallVector<Interval, 2>> OffsetRanges(llvm::ArrayRef<TupleInteger> extents,
                                                           llvm::ArrayRef<TupleInteger> strides,
                                                           llvm::ArrayRef<AxisPath> axes) {
  llvm::SmallVector<Interval, 2> ranges(axes.size(), Interval::Point(0));
  for (size_t i = 0; i < extents.size(); ++i) {
    const std::optional<size_t> axis = FindAxis(axes, strides[i].axes);
    if (extents[i].value < 2 || !axis) continue;
    const std::optional<int64_t> reach = CheckedMul(extents[i].value - 1, strides[i].value);
    if (!reach) return std::nullopt;
    int64_t& end = *reach < 0 ? ranges[*axis].lower : ranges[*axis].upper;
    const std::optional<int64_t> moved = CheckedAdd(end, *reach);
    if (!moved) return std::nullopt;
    end = *moved;
  }
  return ranges;
}

bool IsPrefix(AxisPath a, AxisPath b) {
  for (; !a.empty(); a = a.rest(), b = b.rest()) {
    if (b.empty() || a.first() != b.first()) return false;
  }
  return true;
}

// What is wrong with strides that count along axes; nullopt if they belong to one coordinate.
std::optional<std::string> FindAxesError(llvm::ArrayRef<TupleInteger> extents,
                                         llvm::ArrayRef<TupleInteger> strides,
                                         llvm::ArrayRef<AxisPath> axes) {
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i].axes.empty() && strides[i].value != 0 && extents[i].value > 1) {
      return "some strides count along axes and others do not";
    }
  }
  // What a path is the beginning of follows it.
  for (size_t i = 1; i < axes.size(); ++i) {
    if (IsPrefix(axes[i - 1], axes[i])) {
      return "the axes " + axes[i - 1].ToString() + " and " + axes[i].ToString() +
             " do not belong to one coordinate";
    }
  }
  return std::nullopt;
}

// The modes of more than one element, neighbours that continue each other joined:
// (_4,_1,_8):(_1,_7,_4) -> 32:1.
llvm::SmallVector<FlatMode, 4> JoinedModes(const CuteLayout& layout) {
  const llvm::SmallVector<TupleInteger, 4> extents = layout.shape().Leaves();
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  llvm::SmallVector<FlatMode, 4> modes;
  for (size_t i = 0; i < extents.size(); ++i) {
    const FlatMode mode = {extents[i].value, strides[i]};
    if (mode.extent == 1) continue;
    if (!modes.empty() && modes.back().stride.axes == mode.stride.axes &&
        CheckedMul(modes.back().extent, modes.back().stride.value) == mode.stride.value) {
      modes.back().extent *= mode.extent;
    } else {
      modes.push_back(mode);
    }
  }
  return modes;
}

using Expressions = llvm::SmallVector<mlir::AffineExpr, 4>;

// Adds the offset of index d0 along each axis.
void AddOffsetsOfIndex(const CuteLayout& layout, llvm::ArrayRef<AxisPath> axes,
                       mlir::MLIRContext* context, Expressions& offsets) {
  const mlir::AffineExpr index = mlir::getAffineDimExpr(0, context);
  int64_t index_stride = 1;
  for (const FlatMode& mode : JoinedModes(layout)) {
    mlir::AffineExpr digit = index_stride == 1 ? index : index.floorDiv(index_stride);
    index_stride *= mode.extent;
    // The index ends with the last digit.
    if (index_stride != layout.size()) digit = digit % mode.extent;
    const std::optional<size_t> axis = FindAxis(axes, mode.stride.axes);
    if (axis) offsets[*axis] = offsets[*axis] + digit * mode.stride.value;
  }
}

// The same of d0, d1, ..., the index along each mode.
void AddOffsetsOfModes(const CuteLayout& layout, llvm::ArrayRef<AxisPath> axes,
                       mlir::MLIRContext* context, Expressions& offsets) {
  const llvm::SmallVector<TupleInteger, 4> extents = layout.shape().Leaves();
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  for (size_t i = 0; i < extents.size(); ++i) {
    const std::optional<size_t> axis = FindAxis(axes, strides[i].axes);
    if (extents[i].value < 2 || !axis) continue;
    const mlir::AffineExpr index = mlir::getAffineDimExpr(static_cast<unsigned>(i), context);
    offsets[*axis] = offsets[*axis] + index * strides[i].value;
  }
}

// The size and the offsets of a layout, in one pass and without allocations: for the usual layouts,
// which have elements and map to offsets, and are not in error.
class Measure {
 public:
  void Add(const IntTuple& shape, const IntTuple& stride) {
    if (shape.is_integer() != stride.is_integer() ||
        shape.members().size() != stride.members().size()) {
      is_plain_ = false;
    } else if (shape.is_integer()) {
      AddMode(shape.integer(), stride.integer());
    } else {
      for (size_t i = 0; is_plain_ && i < shape.members().size(); ++i) {
        Add(shape.members()[i], stride.members()[i]);
      }
    }
  }

  bool is_plain() const { return is_plain_; }
  int64_t size() const { return size_; }
  const Interval& offsets() const { return offsets_; }

 private:
  void AddMode(const TupleInteger& extent, const TupleInteger& stride) {
    int64_t reach = 0;
    const bool fits = extent.value > 0 && extent.axes.empty() && stride.axes.empty() &&
                      !__builtin_mul_overflow(size_, extent.value, &size_) &&
                      !__builtin_mul_overflow(extent.value - 1, stride.value, &reach);
    int64_t& end = reach < 0 ? offsets_.lower : offsets_.upper;
    is_plain_ = is_plain_ && fits && !__builtin_add_overflow(end, reach, &end);
  }

  bool is_plain_ = true;
  int64_t size_ = 1;
  Interval offsets_ = Interval::Point(0);
};

}  // namespace

absl::StatusOr<CuteLayout> CuteLayout::Create(IntTuple shape, IntTuple stride) {
  Measure measure;
  measure.Add(shape, stride);
  if (measure.is_plain()) {
    return CuteLayout(std::move(shape), std::move(stride), measure.size(), measure.offsets(),
                      /*has_axes=*/false);
  }
  return CreateWithChecks(std::move(shape), std::move(stride));
}

// For what is in error, has axes, or has no elements.
absl::StatusOr<CuteLayout> CuteLayout::CreateWithChecks(IntTuple shape, IntTuple stride) {
  const auto error = [&](const std::string& message) {
    return absl::InvalidArgumentError("the layout " + shape.ToString() + ":" + stride.ToString() +
                                      ": " + message);
  };
  if (!AreCongruent(shape, stride)) return error("shape and stride differ in nesting");
  const llvm::SmallVector<TupleInteger, 4> extents = shape.Leaves();
  for (const TupleInteger& extent : extents) {
    if (extent.value < 0) return error("an extent is negative");
    if (!extent.axes.empty()) return error("an extent has an axis");
  }
  const std::optional<int64_t> size = Product(shape);
  if (!size) return error("its size does not fit in 64 bits");
  const llvm::SmallVector<TupleInteger, 4> strides = stride.Leaves();
  const bool has_axes =
      llvm::any_of(strides, [](const TupleInteger& leaf) { return !leaf.axes.empty(); });
  Interval offsets = Interval::Empty();
  if (has_axes) {
    const llvm::SmallVector<AxisPath, 2> axes = AxesOf(strides);
    if (const auto wrong = FindAxesError(extents, strides, axes)) return error(*wrong);
    if (!OffsetRanges(extents, strides, axes)) {
      return error("its coordinates do not fit in 64 bits");
    }
  } else if (*size != 0) {
    const auto ranges = OffsetRanges(extents, strides, AxisPath());
    if (!ranges) return error("its offsets do not fit in 64 bits");
    offsets = ranges->front();
  }
  return CuteLayout(std::move(shape), std::move(stride), *size, offsets, has_axes);
}

std::optional<int64_t> CuteLayout::cosize() const {
  if (size_ == 0) return 0;
  const auto length = [](const Interval& range) {
    const std::optional<int64_t> span = support::CheckedSub(range.upper, range.lower);
    return span ? CheckedAdd(*span, 1) : std::nullopt;
  };
  if (!has_axes_) return length(offsets_);
  const llvm::SmallVector<TupleInteger, 4> extents = shape_.Leaves();
  const llvm::SmallVector<TupleInteger, 4> strides = stride_.Leaves();
  std::optional<int64_t> volume = 1;
  const auto ranges = OffsetRanges(extents, strides, AxesOf(strides));
  for (const Interval& range : *ranges) {
    const std::optional<int64_t> side = length(range);
    volume = volume && side ? CheckedMul(*volume, *side) : std::nullopt;
  }
  return volume;
}

absl::StatusOr<int64_t> CuteLayout::Offset(int64_t index) const {
  return Offset(IntTuple::Dynamic(index));
}

absl::StatusOr<int64_t> CuteLayout::Offset(const IntTuple& coordinate) const {
  if (has_axes_) {
    return absl::InvalidArgumentError("the layout " + ToString() +
                                      " maps to coordinates, not to offsets");
  }
  return OffsetOfCoordinate(coordinate, shape_, stride_);
}

std::string CuteLayout::ToString() const { return shape_.ToString() + ":" + stride_.ToString(); }

BoundedAffineMap ToAffineMap(const CuteLayout& layout, LayoutDomain domain,
                             mlir::MLIRContext* context) {
  BoundedAffineMap result;
  if (domain == LayoutDomain::kIndex) {
    result.dimension_bounds.push_back({0, layout.size() - 1});
  } else {
    const llvm::SmallVector<TupleInteger, 4> extents = layout.shape().Leaves();
    for (const TupleInteger& extent : extents) {
      result.dimension_bounds.push_back({0, extent.value - 1});
    }
  }
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  const llvm::SmallVector<AxisPath, 2> axes = AxesOf(strides);
  Expressions results(axes.size(), mlir::getAffineConstantExpr(0, context));
  if (layout.size() != 0) {
    (domain == LayoutDomain::kIndex ? AddOffsetsOfIndex : AddOffsetsOfModes)(layout, axes, context,
                                                                             results);
  }
  result.map = mlir::AffineMap::get(static_cast<unsigned>(result.dimension_bounds.size()), 0,
                                    results, context);
  return result;
}

}  // namespace hlo_indexing::layout
