#include "layout/cute_layout.h"

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
  int64_t stride;
};

absl::Status OutsideError(const IntTuple& coordinate, const IntTuple& shape) {
  return absl::OutOfRangeError("the coordinate " + coordinate.ToString() +
                               " is outside of the shape " + shape.ToString());
}

// The smallest and the largest offset; nothing where one does not fit in 64 bits.
std::optional<Interval> OffsetRange(llvm::ArrayRef<TupleInteger> extents,
                                    llvm::ArrayRef<TupleInteger> strides) {
  Interval range = Interval::Point(0);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].value < 2) continue;
    const std::optional<int64_t> reach = CheckedMul(extents[i].value - 1, strides[i].value);
    if (!reach) return std::nullopt;
    int64_t& end = *reach < 0 ? range.lower : range.upper;
    const std::optional<int64_t> moved = CheckedAdd(end, *reach);
    if (!moved) return std::nullopt;
    end = *moved;
  }
  return range;
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

// The modes of more than one element, neighbours that continue each other joined:
// (_4,_1,_8):(_1,_7,_4) -> 32:1.
llvm::SmallVector<FlatMode, 4> JoinedModes(const CuteLayout& layout) {
  const llvm::SmallVector<TupleInteger, 4> extents = layout.shape().Leaves();
  const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
  llvm::SmallVector<FlatMode, 4> modes;
  for (size_t i = 0; i < extents.size(); ++i) {
    const FlatMode mode = {extents[i].value, strides[i].value};
    if (mode.extent == 1) continue;
    if (!modes.empty() && CheckedMul(modes.back().extent, modes.back().stride) == mode.stride) {
      modes.back().extent *= mode.extent;
    } else {
      modes.push_back(mode);
    }
  }
  return modes;
}

mlir::AffineExpr OffsetOfIndexExpression(const CuteLayout& layout, mlir::MLIRContext* context) {
  const mlir::AffineExpr index = mlir::getAffineDimExpr(0, context);
  mlir::AffineExpr offset = mlir::getAffineConstantExpr(0, context);
  int64_t place = 1;
  for (const FlatMode& mode : JoinedModes(layout)) {
    mlir::AffineExpr digit = place == 1 ? index : index.floorDiv(place);
    place *= mode.extent;
    // The index ends with the last digit.
    if (place != layout.size()) digit = digit % mode.extent;
    offset = offset + digit * mode.stride;
  }
  return offset;
}

}  // namespace

absl::StatusOr<CuteLayout> CuteLayout::Create(IntTuple shape, IntTuple stride) {
  const auto error = [&](const std::string& message) {
    return absl::InvalidArgumentError("the layout " + shape.ToString() + ":" + stride.ToString() +
                                      ": " + message);
  };
  if (!AreCongruent(shape, stride)) return error("shape and stride differ in nesting");
  const llvm::SmallVector<TupleInteger, 4> extents = shape.Leaves();
  for (const TupleInteger& extent : extents) {
    if (extent.value < 0) return error("an extent is negative");
  }
  const std::optional<int64_t> size = Product(shape);
  if (!size) return error("its size does not fit in 64 bits");
  if (*size == 0) {
    return CuteLayout(std::move(shape), std::move(stride), 0, Interval::Empty());
  }
  const std::optional<Interval> offsets = OffsetRange(extents, stride.Leaves());
  if (!offsets) return error("its offsets do not fit in 64 bits");
  return CuteLayout(std::move(shape), std::move(stride), *size, *offsets);
}

int64_t CuteLayout::cosize() const {
  if (size_ == 0) return 0;
  const std::optional<int64_t> span = support::CheckedSub(offsets_.upper, offsets_.lower);
  return span ? CheckedAdd(*span, 1).value_or(support::kInt64Max) : support::kInt64Max;
}

absl::StatusOr<int64_t> CuteLayout::Offset(int64_t index) const {
  return Offset(IntTuple::Dynamic(index));
}

absl::StatusOr<int64_t> CuteLayout::Offset(const IntTuple& coordinate) const {
  return OffsetOfCoordinate(coordinate, shape_, stride_);
}

std::string CuteLayout::ToString() const { return shape_.ToString() + ":" + stride_.ToString(); }

BoundedAffineMap ToAffineMap(const CuteLayout& layout, LayoutDomain domain,
                             mlir::MLIRContext* context) {
  BoundedAffineMap result;
  mlir::AffineExpr offset = mlir::getAffineConstantExpr(0, context);
  if (domain == LayoutDomain::kIndex) {
    result.dimension_bounds.push_back({0, layout.size() - 1});
    if (layout.size() > 0) offset = OffsetOfIndexExpression(layout, context);
  } else {
    const llvm::SmallVector<TupleInteger, 4> strides = layout.stride().Leaves();
    for (const auto& [i, extent] : llvm::enumerate(layout.shape().Leaves())) {
      result.dimension_bounds.push_back({0, extent.value - 1});
      if (layout.size() == 0 || extent.value < 2) continue;
      const auto position = static_cast<unsigned>(i);
      offset = offset + mlir::getAffineDimExpr(position, context) * strides[i].value;
    }
  }
  result.map =
      mlir::AffineMap::get(static_cast<unsigned>(result.dimension_bounds.size()), 0, offset);
  return result;
}

}  // namespace hlo_indexing::layout
