#include "layout/cute_algebra/recast.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using ModeTransform = llvm::function_ref<absl::StatusOr<CuteMode>(const CuteMode&)>;

absl::StatusOr<CuteLayout> TransformModes(const CuteLayout& layout, ModeTransform transform) {
  if (layout.shape().is_integer()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteMode mode,
                                  transform({layout.shape().integer(), layout.stride().integer()}));
    return CuteLayout::Create(IntTuple::Integer(mode.extent), IntTuple::Integer(mode.stride));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  for (CuteLayout& mode : modes) {
    HLO_INDEXING_ASSIGN_OR_RETURN(mode, TransformModes(mode, transform));
  }
  return Concatenate(modes);
}

absl::Status CheckFactor(const std::string& name, int64_t n) {
  if (n > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(name + ": the factor " + std::to_string(n) +
                                    " is not positive");
}

absl::StatusOr<CuteMode> UpcastMode(const CuteMode& mode, int64_t n) {
  const int64_t stride = mode.stride.value;
  if (n == 1 || stride == 0 || !mode.stride.axes.empty()) return mode;
  CuteMode result = mode;
  if (stride % n == 0) {
    result.stride.value = stride / n;
    const int64_t divisor = mode.stride.divisor;
    result.stride.divisor = divisor % n == 0 ? divisor / n : 1;
    return result;
  }
  if (stride < 0 && mode.extent.value > 1) {
    return absl::FailedPreconditionError(
        "upcast by " + std::to_string(n) + ": there is no such layout. The mode " +
        IntTuple::Integer(mode.extent).ToString() + ":" +
        IntTuple::Integer(mode.stride).ToString() +
        " runs backwards through the parts of an element, whose first part comes first");
  }
  // The stride is not a multiple of n, so it is not the least number of 64 bits.
  const int64_t step = stride < 0 ? -stride : stride;
  const int64_t elements = n / step;
  if (n % step != 0 || mode.extent.value % elements != 0) {
    return absl::FailedPreconditionError("upcast by " + std::to_string(n) + ": the mode " +
                                         IntTuple::Integer(mode.extent).ToString() + ":" +
                                         IntTuple::Integer(mode.stride).ToString() +
                                         " does not consist of whole groups of " +
                                         std::to_string(n) + " adjacent elements");
  }
  result.extent = DividedRoundingUp(mode.extent, StaticInteger(elements));
  result.stride.value = 1;
  result.stride.divisor = 1;
  return result;
}

// In which direction elements change: they become wider, or narrower.
enum class Direction : uint8_t { kUp, kDown };

// A number of elements, in the units of others.
absl::StatusOr<TupleInteger> ScaledOffset(const TupleInteger& offset, int64_t n,
                                          Direction direction) {
  if (direction == Direction::kDown) {
    const std::optional<TupleInteger> product = Times(offset, StaticInteger(n));
    if (!product) return absl::OutOfRangeError("downcast: an offset does not fit in 64 bits");
    return *product;
  }
  if (offset.value % n != 0) {
    return absl::FailedPreconditionError("upcast: the offset " + std::to_string(offset.value) +
                                         " is not that of a group of " + std::to_string(n) +
                                         " elements");
  }
  TupleInteger quotient = offset;
  quotient.value = offset.value / n;
  quotient.divisor = offset.divisor % n == 0 ? offset.divisor / n : 1;
  return quotient;
}

// The swizzle of the bits that the number of an element has in the other units.
absl::StatusOr<CuteSwizzle> MovedSwizzle(const CuteSwizzle& swizzle, int64_t n,
                                         Direction direction) {
  const std::string name = direction == Direction::kUp ? "upcast" : "downcast";
  const int64_t log = std::bit_width(static_cast<uint64_t>(n)) - 1;
  const bool moves = swizzle.bits() > 0;
  if (moves && !std::has_single_bit(static_cast<uint64_t>(n))) {
    return absl::FailedPreconditionError(name + ": behind the swizzle " + swizzle.ToString() +
                                         " the factor must be a power of 2, not " +
                                         std::to_string(n));
  }
  if (direction == Direction::kUp && moves && swizzle.base() < log) {
    return absl::FailedPreconditionError(name + ": the swizzle " + swizzle.ToString() +
                                         " takes groups of " + std::to_string(n) +
                                         " elements apart");
  }
  const int64_t base = direction == Direction::kUp ? swizzle.base() - log : swizzle.base() + log;
  return CuteSwizzle::Create(swizzle.bits(), std::max<int64_t>(base, 0), swizzle.shift());
}

absl::StatusOr<CuteTensor> Scaled(const CuteTensor& tensor, int64_t n, Direction direction) {
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout modes, direction == Direction::kUp
                                                      ? Upcast(tensor.modes(), n)
                                                      : Downcast(tensor.modes(), n));
  IntTuple begin = tensor.offset;
  if (begin.is_integer()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger scaled,
                                  ScaledOffset(begin.integer(), n, direction));
    begin = IntTuple::Integer(scaled);
  }
  const ComposedLayout* composed = tensor.composed();
  if (composed == nullptr) return CuteTensor{std::move(modes), std::move(begin)};
  const auto* swizzle = std::get_if<CuteSwizzle>(&composed->outer);
  if (swizzle == nullptr) {
    if (n == 1) return tensor;
    return absl::FailedPreconditionError("the layout " + composed->ToString() +
                                         " has no strides to scale: its outer function is one of "
                                         "elements, not of memory");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteSwizzle moved, MovedSwizzle(*swizzle, n, direction));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger offset,
                                ScaledOffset(composed->offset, n, direction));
  return CuteTensor{ComposedLayout{moved, offset, std::move(modes)}, std::move(begin)};
}

}  // namespace

absl::StatusOr<CuteLayout> Upcast(const CuteLayout& layout, int64_t n) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckFactor("upcast", n));
  const int64_t num_parts = llvm::count_if(FlatModes(layout), [&](const CuteMode& mode) {
    return mode.extent.value > 1 && mode.stride.value % n != 0;
  });
  if (num_parts > 1) {
    return absl::FailedPreconditionError(
        "upcast(" + layout.ToString() + ") by " + std::to_string(n) +
        ": several modes have strides that are no multiples of it, and their sums carry over");
  }
  return TransformModes(layout, [&](const CuteMode& mode) { return UpcastMode(mode, n); });
}

absl::StatusOr<CuteLayout> Downcast(const CuteLayout& layout, int64_t n) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckFactor("downcast", n));
  if (n == 1) return layout;
  for (const CuteMode& mode : FlatModes(layout)) {
    if (mode.stride.value != -1 || !mode.stride.axes.empty() || mode.extent.value < 2) continue;
    return absl::FailedPreconditionError(
        "downcast(" + layout.ToString() +
        "): there is no such layout. A mode has the stride -1, and the parts of an element follow "
        "each other upwards");
  }
  const auto is_unit = [](const CuteMode& mode) { return mode.stride.value == 1; };
  if (!llvm::any_of(FlatModes(layout), is_unit)) {
    return absl::FailedPreconditionError("downcast(" + layout.ToString() +
                                         "): no mode has the stride 1, so that the parts of an "
                                         "element have none");
  }
  const int64_t num_units = llvm::count_if(FlatModes(layout), [&](const CuteMode& mode) {
    return mode.extent.value > 1 && is_unit(mode);
  });
  if (num_units > 1) {
    return absl::FailedPreconditionError(
        "downcast(" + layout.ToString() +
        "): several modes have the stride 1, so that parts of elements would be counted twice");
  }
  bool is_taken_apart = false;
  return TransformModes(layout, [&](const CuteMode& mode) -> absl::StatusOr<CuteMode> {
    CuteMode result = mode;
    // Of the modes of stride 1, that which has elements; if none has, the first.
    const bool takes_apart =
        is_unit(mode) && !is_taken_apart && (num_units == 0 || mode.extent.value > 1);
    is_taken_apart = is_taken_apart || takes_apart;
    TupleInteger& scaled = takes_apart ? result.extent : result.stride;
    const std::optional<TupleInteger> product = Times(scaled, StaticInteger(n));
    if (!product) return absl::OutOfRangeError("downcast: a number does not fit in 64 bits");
    scaled = *product;
    return result;
  });
}

absl::StatusOr<CuteTensor> Upcast(const CuteTensor& tensor, int64_t n) {
  return Scaled(tensor, n, Direction::kUp);
}

absl::StatusOr<CuteTensor> Downcast(const CuteTensor& tensor, int64_t n) {
  return Scaled(tensor, n, Direction::kDown);
}

namespace {

template <class T>
absl::StatusOr<T> RecastInParts(const T& value, int64_t old_bits, int64_t new_bits) {
  if (old_bits <= 0 || new_bits <= 0) {
    return absl::InvalidArgumentError("recast: the width of an element is not positive");
  }
  const int64_t common = std::gcd(old_bits, new_bits);
  HLO_INDEXING_ASSIGN_OR_RETURN(const T parts, Downcast(value, old_bits / common));
  return Upcast(parts, new_bits / common);
}

}  // namespace

absl::StatusOr<CuteLayout> Recast(const CuteLayout& layout, int64_t old_bits, int64_t new_bits) {
  return RecastInParts(layout, old_bits, new_bits);
}

absl::StatusOr<CuteTensor> Recast(const CuteTensor& tensor, int64_t old_bits, int64_t new_bits) {
  return RecastInParts(tensor, old_bits, new_bits);
}

}  // namespace hlo_indexing::layout
