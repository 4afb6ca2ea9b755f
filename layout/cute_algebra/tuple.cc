#include "layout/cute_algebra/tuple.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

enum class Division : uint8_t { kCeil, kExact };

absl::Status Overflow(const std::string& what) {
  return absl::OutOfRangeError(what + " does not fit in 64 bits");
}

absl::Status RankError(const IntTuple& a, const IntTuple& b) {
  return absl::InvalidArgumentError(a.ToString() + " and " + b.ToString() +
                                    " differ in their number of modes");
}

absl::StatusOr<TupleInteger> DivideIntegers(const TupleInteger& a, const TupleInteger& b,
                                            Division division) {
  if (b.value == 0) return absl::InvalidArgumentError("a shape is divided by 0");
  if (a.value < 0 || b.value < 0) return absl::InvalidArgumentError("an extent is negative");
  const bool divides = a.value == 0 || a.value % b.value == 0 || b.value % a.value == 0;
  if (division == Division::kExact && a.is_static() && b.is_static() && !divides) {
    return absl::InvalidArgumentError("neither of " + IntTuple::Integer(a).ToString() + " and " +
                                      IntTuple::Integer(b).ToString() + " divides the other");
  }
  return DividedRoundingUp(a, b);
}

absl::StatusOr<IntTuple> Divide(const IntTuple& a, const IntTuple& b, Division division) {
  if (a.is_integer()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(b));
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger quotient,
                                  DivideIntegers(a.integer(), size, division));
    return IntTuple::Integer(quotient);
  }
  std::vector<IntTuple> members;
  if (!b.is_integer()) {
    if (b.rank() > a.rank()) return RankError(a, b);
    for (int64_t i = 0; i < a.rank(); ++i) {
      if (i >= b.rank()) {
        members.push_back(a.members()[i]);
        continue;
      }
      HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple quotient,
                                    Divide(a.members()[i], b.members()[i], division));
      members.push_back(std::move(quotient));
    }
    return IntTuple::Tuple(std::move(members));
  }
  // What is left of the divisor goes to the next member.
  TupleInteger rest = b.integer();
  for (const IntTuple& member : a.members()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple quotient,
                                  Divide(member, IntTuple::Integer(rest), division));
    members.push_back(std::move(quotient));
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(member));
    HLO_INDEXING_ASSIGN_OR_RETURN(rest, DivideIntegers(rest, size, Division::kCeil));
  }
  return IntTuple::Tuple(std::move(members));
}

enum class Fastest : uint8_t { kFirst, kLast };

absl::StatusOr<IntTuple> CompactStrides(const IntTuple& shape, Fastest fastest,
                                        TupleInteger& current) {
  if (shape.is_integer()) {
    const TupleInteger stride = shape.integer().is_static(1) ? StaticInteger(0) : current;
    const std::optional<TupleInteger> next = Times(current, shape.integer());
    if (!next) return Overflow("the size of a shape");
    current = *next;
    return IntTuple::Integer(stride);
  }
  std::vector<IntTuple> strides(shape.members().size());
  for (size_t i = 0; i < strides.size(); ++i) {
    const size_t at = fastest == Fastest::kFirst ? i : strides.size() - 1 - i;
    HLO_INDEXING_ASSIGN_OR_RETURN(strides[at],
                                  CompactStrides(shape.members()[at], fastest, current));
  }
  return IntTuple::Tuple(std::move(strides));
}

// An order in the profile of the shape: an integer stands for all leaves below.
// A leaf of an order, and the leaves of the shape below it: those from `first` on, up to those of
// the next step.
struct OrderStep {
  TupleInteger rank;
  size_t first;
};

absl::Status AppendSteps(const IntTuple& order, const IntTuple& shape, size_t& leaf,
                         std::vector<OrderStep>& steps) {
  if (order.is_integer()) {
    steps.push_back({order.integer(), leaf});
    leaf += shape.Leaves().size();
    return absl::OkStatus();
  }
  if (shape.is_integer() || order.rank() != shape.rank()) return RankError(shape, order);
  for (int64_t i = 0; i < order.rank(); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(AppendSteps(order.members()[i], shape.members()[i], leaf, steps));
  }
  return absl::OkStatus();
}

IntTuple WithLeaves(const IntTuple& profile, llvm::ArrayRef<TupleInteger>& leaves) {
  if (profile.is_integer()) {
    const TupleInteger leaf = leaves.front();
    leaves = leaves.drop_front();
    return IntTuple::Integer(leaf);
  }
  std::vector<IntTuple> members;
  for (const IntTuple& member : profile.members()) members.push_back(WithLeaves(member, leaves));
  return IntTuple::Tuple(std::move(members));
}

TupleInteger Truth(bool value, IntegerKind kind) { return {value ? 1 : 0, kind, 1, {}}; }

// Static if both are.
IntegerKind CommonKind(const TupleInteger& a, const TupleInteger& b) {
  return a.is_static() && b.is_static() ? IntegerKind::kStatic : IntegerKind::kDynamic;
}

// Whether all are true: a static false decides, static trues do not matter.
TupleInteger All(llvm::ArrayRef<TupleInteger> conditions) {
  TupleInteger all = StaticInteger(1);
  for (const TupleInteger& condition : conditions) {
    if (condition.is_static(0)) return condition;
    if (condition.is_static()) continue;
    all = Truth(all.value != 0 && condition.value != 0, IntegerKind::kDynamic);
  }
  return all;
}

// The rest and the quotient by which an index runs through the modes of a shape.
TupleInteger IndexRest(const TupleInteger& index, const TupleInteger& extent) {
  if (index.is_static(0) || extent.is_static(1)) return StaticInteger(0);
  return {index.value % extent.value, CommonKind(index, extent), 1, {}};
}

TupleInteger IndexQuotient(const TupleInteger& index, const TupleInteger& extent) {
  if (index.is_static(0)) return index;
  if (extent.is_static(1)) return index;
  return {index.value / extent.value, CommonKind(index, extent), 1, {}};
}

// A sum of strides: an offset, or one number for each axis. Its text is that of a coordinate.
class Position {
 public:
  absl::Status Add(const TupleInteger& coordinate, const TupleInteger& stride) {
    const std::optional<TupleInteger> part = Times(coordinate, stride);
    if (!part) return Overflow("an offset");
    if (part->axes.empty()) return AddTo(offset_, *part);
    const auto [known, is_new] = along_axes_.emplace(part->axes, *part);
    return is_new ? absl::OkStatus() : AddTo(known->second, *part);
  }

  absl::StatusOr<IntTuple> Get() const {
    if (along_axes_.empty()) return IntTuple::Integer(offset_);
    std::vector<TupleInteger> parts;
    for (const auto& [axes, part] : along_axes_) parts.push_back(part);
    return Nested(parts);
  }

 private:
  static absl::Status AddTo(TupleInteger& sum, const TupleInteger& part) {
    const std::optional<TupleInteger> result = Plus(sum, part);
    if (!result) return Overflow("an offset");
    sum = *result;
    return absl::OkStatus();
  }

  static absl::StatusOr<IntTuple> Nested(llvm::ArrayRef<TupleInteger> parts) {
    if (parts.size() == 1 && parts.front().axes.empty()) return IntTuple::Integer(parts.front());
    int64_t rank = 0;
    for (const TupleInteger& part : parts) {
      if (part.axes.empty()) {
        return absl::InvalidArgumentError("the strides do not belong to one coordinate");
      }
      rank = std::max(rank, part.axes.first() + 1);
    }
    std::vector<IntTuple> members;
    for (int64_t axis = 0; axis < rank; ++axis) {
      std::vector<TupleInteger> below;
      for (TupleInteger part : parts) {
        if (part.axes.first() != axis) continue;
        part.axes = part.axes.rest();
        below.push_back(part);
      }
      if (below.empty()) {
        members.push_back(IntTuple::Static(0));
        continue;
      }
      HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple member, Nested(below));
      members.push_back(std::move(member));
    }
    return IntTuple::Tuple(std::move(members));
  }

  TupleInteger offset_ = StaticInteger(0);
  std::map<AxisPath, TupleInteger> along_axes_;
};

// The strides of an index keep their axes even if it is 0, so that the profile of the result
// does not depend on values.
absl::Status AddIndex(TupleInteger index, const IntTuple& shape, const IntTuple& stride,
                      Position& sum) {
  if (shape.is_integer()) return sum.Add(index, stride.integer());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const IntTuple& mode = shape.members()[i];
    if (i + 1 == shape.rank()) return AddIndex(index, mode, stride.members()[i], sum);
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(mode));
    if (size.value <= 0) return absl::OutOfRangeError("the shape has no elements");
    HLO_INDEXING_RETURN_IF_ERROR(AddIndex(IndexRest(index, size), mode, stride.members()[i], sum));
    index = IndexQuotient(index, size);
  }
  return absl::OkStatus();
}

absl::Status AddCoordinate(const IntTuple& coordinate, const IntTuple& shape,
                           const IntTuple& stride, Position& sum) {
  if (coordinate.is_integer()) {
    if (!coordinate.integer().axes.empty()) {
      return absl::InvalidArgumentError("the coordinate " + coordinate.ToString() +
                                        " has an axis, as only strides have");
    }
    return AddIndex(coordinate.integer(), shape, stride, sum);
  }
  if (shape.is_integer() || coordinate.rank() != shape.rank()) {
    return absl::InvalidArgumentError("the coordinate " + coordinate.ToString() +
                                      " does not have the nesting of the shape " +
                                      shape.ToString());
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(
        AddCoordinate(coordinate.members()[i], shape.members()[i], stride.members()[i], sum));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TupleInteger> SizeOf(const IntTuple& shape) {
  if (const std::optional<TupleInteger> size = ProductWithKind(shape)) return *size;
  return Overflow("the size of " + shape.ToString());
}

absl::StatusOr<IntTuple> CeilDivide(const IntTuple& a, const IntTuple& b) {
  return Divide(a, b, Division::kCeil);
}

absl::StatusOr<IntTuple> ShapeDivide(const IntTuple& a, const IntTuple& b) {
  return Divide(a, b, Division::kExact);
}

absl::StatusOr<IntTuple> CompactColumnMajor(const IntTuple& shape) {
  TupleInteger current = StaticInteger(1);
  return CompactStrides(shape, Fastest::kFirst, current);
}

absl::StatusOr<IntTuple> CompactRowMajor(const IntTuple& shape) {
  TupleInteger current = StaticInteger(1);
  return CompactStrides(shape, Fastest::kLast, current);
}

absl::StatusOr<IntTuple> OrderedStrides(const IntTuple& shape, const IntTuple& order) {
  std::vector<OrderStep> steps;
  size_t num_leaves = 0;
  HLO_INDEXING_RETURN_IF_ERROR(AppendSteps(order, shape, num_leaves, steps));
  const auto comes_before = [&](size_t a, size_t b) {
    const TupleInteger& x = steps[a].rank;
    const TupleInteger& y = steps[b].rank;
    if (x.is_static() && y.is_static()) return x.value < y.value;
    return x.is_static() != y.is_static() ? x.is_static() : a < b;
  };
  std::vector<size_t> sorted(steps.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  llvm::stable_sort(sorted, comes_before);
  const llvm::SmallVector<TupleInteger, 4> extents = shape.Leaves();
  std::vector<TupleInteger> strides(extents.size());
  // The product of all extents so far, and where the steps of this rank begin: they do not count
  // each other. Nothing if it does not fit.
  std::optional<TupleInteger> reached = StaticInteger(1);
  std::optional<TupleInteger> begin = reached;
  for (size_t k = 0; k < sorted.size(); ++k) {
    const size_t step = sorted[k];
    if (k > 0 && comes_before(sorted[k - 1], step)) begin = reached;
    std::optional<TupleInteger> stride = begin;
    const size_t end = step + 1 < steps.size() ? steps[step + 1].first : num_leaves;
    for (size_t i = steps[step].first; i < end; ++i) {
      if (!stride) return Overflow("the size of " + shape.ToString());
      strides[i] = extents[i].is_static(1) ? StaticInteger(0) : *stride;
      stride = Times(*stride, extents[i]);
      if (reached) reached = Times(*reached, extents[i]);
    }
  }
  llvm::ArrayRef<TupleInteger> leaves = strides;
  return WithLeaves(shape, leaves);
}

bool IsWeaklyCongruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_integer()) return true;
  if (b.is_integer()) return false;
  return std::equal(a.members().begin(), a.members().end(), b.members().begin(), b.members().end(),
                    IsWeaklyCongruent);
}

absl::StatusOr<TupleInteger> IsCompatible(const IntTuple& a, const IntTuple& b) {
  if (a.is_integer()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(b));
    return Truth(a.integer().value == size.value, CommonKind(a.integer(), size));
  }
  if (b.is_integer() || a.rank() != b.rank()) return StaticInteger(0);
  std::vector<TupleInteger> conditions;
  for (int64_t i = 0; i < a.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger condition,
                                  IsCompatible(a.members()[i], b.members()[i]));
    conditions.push_back(condition);
  }
  return All(conditions);
}

absl::StatusOr<IntTuple> CoordinateToIndex(const IntTuple& coordinate, const IntTuple& shape,
                                           const IntTuple& stride) {
  if (!AreCongruent(shape, stride)) {
    return absl::InvalidArgumentError("the shape " + shape.ToString() + " and the strides " +
                                      stride.ToString() + " differ in nesting");
  }
  Position sum;
  HLO_INDEXING_RETURN_IF_ERROR(AddCoordinate(coordinate, shape, stride, sum));
  return sum.Get();
}

absl::StatusOr<IntTuple> IndexToCoordinate(const IntTuple& index, const IntTuple& shape) {
  if (!index.is_integer()) {
    if (shape.is_integer() || index.rank() != shape.rank()) return RankError(index, shape);
    std::vector<IntTuple> members;
    for (int64_t i = 0; i < index.rank(); ++i) {
      HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple member,
                                    IndexToCoordinate(index.members()[i], shape.members()[i]));
      members.push_back(std::move(member));
    }
    return IntTuple::Tuple(std::move(members));
  }
  if (shape.is_integer()) return index;
  std::vector<IntTuple> members;
  TupleInteger rest = index.integer();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const IntTuple& mode = shape.members()[i];
    const bool last = i + 1 == shape.rank();
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(mode));
    if (!last && size.value <= 0) return absl::OutOfRangeError("the shape has no elements");
    const TupleInteger digit = last ? rest : IndexRest(rest, size);
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple member,
                                  IndexToCoordinate(IntTuple::Integer(digit), mode));
    members.push_back(std::move(member));
    if (!last) rest = IndexQuotient(rest, size);
  }
  return IntTuple::Tuple(std::move(members));
}

absl::StatusOr<IntTuple> OffsetToCoordinate(const IntTuple& offset, const IntTuple& shape,
                                            const IntTuple& stride) {
  if (shape.is_integer()) {
    if (!stride.is_integer()) return RankError(shape, stride);
    const TupleInteger& extent = shape.integer();
    if (extent.is_static(1)) return IntTuple::Static(0);
    // A mode of stride 0 has one coordinate for each offset.
    if (stride.integer().value == 0) return IntTuple::Dynamic(0);
    if (extent.value <= 0) return absl::OutOfRangeError("the shape has no elements");
    if (stride.integer().value < 0) {
      return absl::InvalidArgumentError("the coordinate of an offset needs strides above 0");
    }
    if (!offset.is_integer()) return RankError(offset, stride);
    return IntTuple::Integer(IndexRest(IndexQuotient(offset.integer(), stride.integer()), extent));
  }
  if (stride.is_integer() || stride.rank() != shape.rank()) return RankError(shape, stride);
  if (!offset.is_integer() && offset.rank() != shape.rank()) return RankError(offset, shape);
  std::vector<IntTuple> members;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        IntTuple member, OffsetToCoordinate(offset.is_integer() ? offset : offset.members()[i],
                                            shape.members()[i], stride.members()[i]));
    members.push_back(std::move(member));
  }
  return IntTuple::Tuple(std::move(members));
}

absl::StatusOr<IntTuple> TileExtent(const IntTuple& shape, const IntTuple& tiler,
                                    const IntTuple& coordinate) {
  if (!tiler.is_integer()) {
    if (shape.is_integer() || shape.rank() != tiler.rank()) return RankError(shape, tiler);
    if (coordinate.is_integer() || coordinate.rank() != tiler.rank()) {
      return RankError(coordinate, tiler);
    }
    std::vector<IntTuple> members;
    for (int64_t i = 0; i < tiler.rank(); ++i) {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          IntTuple member,
          TileExtent(shape.members()[i], tiler.members()[i], coordinate.members()[i]));
      members.push_back(std::move(member));
    }
    return IntTuple::Tuple(std::move(members));
  }
  if (!coordinate.is_integer()) return RankError(coordinate, tiler);
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger extent, SizeOf(shape));
  const int64_t tile = tiler.integer().value;
  const std::optional<int64_t> begin = support::CheckedMul(coordinate.integer().value, tile);
  const std::optional<int64_t> rest =
      begin ? support::CheckedSub(extent.value, *begin) : std::nullopt;
  if (!rest) return Overflow("the start of a tile");
  return IntTuple::Dynamic(std::clamp<int64_t>(*rest, 0, std::max<int64_t>(tile, 0)));
}

bool IsBelow(const IntTuple& coordinate, const IntTuple& extents) {
  if (coordinate.is_integer()) {
    const std::optional<int64_t> size = Product(extents);
    return !size || coordinate.integer().value < *size;
  }
  for (int64_t i = 0; i < coordinate.rank(); ++i) {
    if (!IsBelow(Modes(coordinate)[i], Modes(extents)[i])) return false;
  }
  return true;
}

absl::StatusOr<IntTuple> ModeAt(const IntTuple& tuple, int64_t index) {
  if (index < 0 || index >= tuple.rank()) {
    return absl::InvalidArgumentError(tuple.ToString() + " has no mode " + std::to_string(index));
  }
  return tuple.is_integer() ? tuple : tuple.members()[index];
}

llvm::ArrayRef<IntTuple> Modes(const IntTuple& tuple) {
  return tuple.is_integer() ? llvm::ArrayRef<IntTuple>(tuple) : tuple.members();
}

IntTuple Flattened(const IntTuple& tuple) {
  if (tuple.is_integer()) return tuple;
  std::vector<IntTuple> members;
  const llvm::SmallVector<TupleInteger, 4> leaves = tuple.Leaves();
  for (const TupleInteger& leaf : leaves) members.push_back(IntTuple::Integer(leaf));
  return IntTuple::Tuple(std::move(members));
}

absl::StatusOr<IntTuple> ProductEach(const IntTuple& shape) {
  if (shape.is_integer()) return shape;
  std::vector<IntTuple> members;
  for (const IntTuple& mode : shape.members()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(mode));
    members.push_back(IntTuple::Integer(size));
  }
  return IntTuple::Tuple(std::move(members));
}

IntTuple TransformLeaves(const IntTuple& tuple,
                         llvm::function_ref<TupleInteger(const TupleInteger&)> f) {
  if (tuple.is_integer()) return IntTuple::Integer(f(tuple.integer()));
  std::vector<IntTuple> members;
  for (const IntTuple& member : tuple.members()) members.push_back(TransformLeaves(member, f));
  return IntTuple::Tuple(std::move(members));
}

}  // namespace hlo_indexing::layout
