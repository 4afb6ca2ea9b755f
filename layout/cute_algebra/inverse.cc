#include "layout/cute_algebra/inverse.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

// A layout that overlaps itself is inverted by trial, up to this size.
constexpr int64_t kMaxTriedInverse = int64_t{1} << 16;

// A mode, and the product of the extents before it: the stride of its coordinate in the index.
struct IndexedMode {
  CuteMode mode;
  TupleInteger index_stride;
};
using IndexedModes = llvm::SmallVector<IndexedMode, 6>;

absl::Status Overflow(const std::string& name, const CuteLayout& layout) {
  return absl::OutOfRangeError(name + "(" + layout.ToString() +
                               "): a number does not fit in 64 bits");
}

// Sizes of layouts fit in 64 bits, unless one extent is 0; the index strides then do not matter.
IndexedModes WithIndexStrides(llvm::ArrayRef<CuteMode> modes) {
  IndexedModes indexed;
  TupleInteger index_stride = StaticInteger(1);
  for (const CuteMode& mode : modes) {
    indexed.push_back({mode, index_stride});
    index_stride = Times(index_stride, mode.extent).value_or(StaticInteger(0));
  }
  return indexed;
}

absl::Status CheckStrides(const std::string& name, const CuteLayout& layout,
                          const IndexedModes& modes) {
  for (const IndexedMode& indexed : modes) {
    if (!indexed.mode.stride.axes.empty()) {
      return absl::InvalidArgumentError(name + "(" + layout.ToString() +
                                        "): it maps to coordinates, not to offsets");
    }
    if (indexed.mode.stride.value < 0) {
      return absl::InvalidArgumentError(name + "(" + layout.ToString() + "): the stride " +
                                        std::to_string(indexed.mode.stride.value) + " is negative");
    }
  }
  return absl::OkStatus();
}

absl::Status NegateStrides(const std::string& name, const CuteLayout& layout, IndexedModes& modes) {
  for (IndexedMode& indexed : modes) {
    const std::optional<TupleInteger> opposite = Times(StaticInteger(-1), indexed.mode.stride);
    if (!opposite) return Overflow(name, layout);
    indexed.mode.stride = *opposite;
  }
  return absl::OkStatus();
}

// The quotient of numbers of which the second divides the first, or the part that is whole.
TupleInteger Quotient(const TupleInteger& a, const TupleInteger& b) {
  TupleInteger quotient = DividedRoundingUp(a, b);
  quotient.value = a.value / b.value;
  return quotient;
}

int64_t Evaluate(llvm::ArrayRef<CuteMode> modes, int64_t index) {
  // Wraps if a mode past its end overflows; the comparison then fails.
  uint64_t value = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    const bool last = i + 1 == modes.size();
    const int64_t extent = modes[i].extent.value;
    value += static_cast<uint64_t>(last ? index : index % extent) *
             static_cast<uint64_t>(modes[i].stride.value);
    if (!last) index /= extent;
  }
  return static_cast<int64_t>(value);
}

bool InvertsOnImage(const CuteLayout& layout, llvm::ArrayRef<CuteMode> inverse) {
  const CuteModes modes = FlatModes(layout);
  for (int64_t i = 0; i < layout.size(); ++i) {
    const int64_t value = Evaluate(modes, i);
    if (Evaluate(modes, Evaluate(inverse, value)) != value) return false;
  }
  return true;
}

absl::Status NoComplement(const std::string& name, const CuteLayout& layout, const CuteMode& mode,
                          int64_t covered, Gaps gaps) {
  std::string text =
      name + "(" + layout.ToString() + "): there is none. The mode " + mode.ToString();
  if (mode.stride.value < covered) {
    text +=
        " begins inside of what the smaller strides span, " + std::to_string(covered) + " offsets";
  } else if (gaps == Gaps::kRefused) {
    text += " does not begin at a multiple of what the smaller strides span, " +
            std::to_string(covered) + " offsets";
  }
  return absl::FailedPreconditionError(text);
}

// What of a space lies beyond what is covered: one mode, or two if static extents come before
// dynamic ones, so that the static part stays known. False if a number does not fit.
bool AppendRest(const IntTuple& target, const TupleInteger& size, const TupleInteger& covered,
                CuteModes& result) {
  TupleInteger known = StaticInteger(1);
  TupleInteger dynamic = StaticInteger(1);
  const llvm::SmallVector<TupleInteger, 4> extents = target.Leaves();
  for (const TupleInteger& extent : extents) {
    TupleInteger& part = extent.is_static() && dynamic.is_static() ? known : dynamic;
    const std::optional<TupleInteger> product = Times(part, extent);
    if (!product) return false;
    part = *product;
  }
  const bool divides =
      known.value > 1 && (known.value % covered.value == 0 || covered.value % known.value == 0);
  // Otherwise two quotients rounded up would make more than one.
  if (dynamic.is_static() || !divides) {
    result.push_back({DividedRoundingUp(size, covered), covered});
    return true;
  }
  const TupleInteger quotient = DividedRoundingUp(known, covered);
  const std::optional<TupleInteger> end = Times(covered, quotient);
  if (!end) return false;
  result.push_back({quotient, covered});
  result.push_back({DividedRoundingUp(dynamic, DividedRoundingUp(covered, known)), *end});
  return true;
}

// What lies between the modes of a layout, of which the smallest has the stride 1, and up to where
// all of them reach.
struct Between {
  CuteModes gaps;
  TupleInteger covered = StaticInteger(1);
  /// CuTe has no complement of several modes with dynamic strides, and so no form for it.
  bool by_value = false;

  absl::StatusOr<CuteLayout> AsLayout() const {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        const CuteModes least,
        by_value ? CoalescedByValue(gaps) : CoalescedModes(gaps, LastMode::kLikeOthers));
    return LayoutOf(least);
  }
};

absl::StatusOr<Between> FindGaps(const std::string& name, const CuteLayout& layout, Gaps policy) {
  if (layout.size() == 0) {
    return absl::InvalidArgumentError(name + "(" + layout.ToString() +
                                      "): the layout has no elements");
  }
  Between result;
  IndexedModes modes = WithIndexStrides(FlatModes(layout));
  llvm::erase_if(modes, [](const IndexedMode& p) { return p.mode.IsStaticallyConstant(); });
  result.by_value = llvm::any_of(modes, [&](const IndexedMode& indexed) {
    return !indexed.mode.stride.is_static() && (modes.size() > 1 || indexed.mode.stride.value == 0);
  });
  llvm::erase_if(modes, [](const IndexedMode& indexed) { return indexed.mode.IsConstant(); });
  HLO_INDEXING_RETURN_IF_ERROR(CheckStrides(name, layout, modes));
  std::stable_sort(modes.begin(), modes.end(), [](const IndexedMode& a, const IndexedMode& b) {
    return std::pair(a.mode.stride.value, a.mode.extent.value) <
           std::pair(b.mode.stride.value, b.mode.extent.value);
  });
  TupleInteger& covered = result.covered;
  for (const IndexedMode& indexed : modes) {
    const TupleInteger& stride = indexed.mode.stride;
    const bool fits = policy == Gaps::kSkipped ? stride.value >= covered.value
                                               : stride.value % covered.value == 0;
    if (!fits) return NoComplement(name, layout, indexed.mode, covered.value, policy);
    result.gaps.push_back({Quotient(stride, covered), covered});
    const std::optional<TupleInteger> reached = Times(indexed.mode.extent, stride);
    if (!reached) return Overflow(name, layout);
    covered = *reached;
  }
  return result;
}

}  // namespace

absl::StatusOr<CuteLayout> Complement(const CuteLayout& layout, const IntTuple& target, Gaps gaps) {
  const std::string name = "complement";
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(target));
  if (size.value < 0) return absl::InvalidArgumentError(name + ": the size is negative");
  HLO_INDEXING_ASSIGN_OR_RETURN(Between between, FindGaps(name, layout, gaps));
  if (!AppendRest(target, size, between.covered, between.gaps)) return Overflow(name, layout);
  return between.AsLayout();
}

absl::StatusOr<CuteLayout> PlacesOfCopies(const CuteLayout& layout, const TupleInteger& count) {
  const std::string name = "product";
  HLO_INDEXING_ASSIGN_OR_RETURN(Between between, FindGaps(name, layout, Gaps::kSkipped));
  std::optional<TupleInteger> inside = StaticInteger(1);
  for (const CuteMode& gap : between.gaps) {
    if (inside) inside = Times(*inside, gap.extent);
  }
  // More gaps than numbers of 64 bits hold all copies.
  if (inside) between.gaps.push_back({DividedRoundingUp(count, *inside), between.covered});
  return between.AsLayout();
}

namespace {

// What tells which mode is next in an inverse: static numbers alone, as in CuTe's types, or the
// values of all.
enum class InverseBy : uint8_t { kStaticNumbers, kValues };

absl::StatusOr<CuteLayout> RightInverseBy(const CuteLayout& layout, InverseBy by) {
  if (layout.size() == 0) return LayoutOf({});
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes coalesced,
                                CoalescedModes(FlatModes(layout), LastMode::kLikeOthers));
  const IndexedModes modes = WithIndexStrides(coalesced);
  const bool by_value = by == InverseBy::kValues;
  CuteModes result;
  int64_t reached = 1;
  while (true) {
    const IndexedMode* best = nullptr;
    for (const IndexedMode& indexed : modes) {
      const CuteMode& mode = indexed.mode;
      if (mode.stride.value != reached || !mode.stride.axes.empty()) continue;
      if (mode.extent.value < 2 && (by_value || mode.extent.is_static())) continue;
      if (!by_value && !mode.stride.is_static()) continue;
      if (best == nullptr || mode.extent.value > best->mode.extent.value) best = &indexed;
    }
    if (best == nullptr) break;
    result.push_back({best->mode.extent, best->index_stride});
    // What lies beyond 2^63 no stride reaches.
    const std::optional<int64_t> next = support::CheckedMul(reached, best->mode.extent.value);
    if (!next || (!by_value && !best->mode.extent.is_static())) break;
    reached = *next;
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes least,
                                CoalescedModes(result, LastMode::kLikeOthers));
  return LayoutOf(least);
}

bool IsAllDynamic(const CuteLayout& layout) {
  return llvm::none_of(FlatModes(layout), [](const CuteMode& mode) {
    return mode.extent.is_static() || mode.stride.is_static();
  });
}

// As far as is known statically; if all is dynamic, by values.
absl::StatusOr<CuteLayout> KnownRightInverse(const CuteLayout& layout) {
  return RightInverseBy(layout,
                        IsAllDynamic(layout) ? InverseBy::kValues : InverseBy::kStaticNumbers);
}

}  // namespace

absl::StatusOr<CuteLayout> RightInverse(const CuteLayout& layout) {
  const bool has_dynamic_stride = llvm::any_of(FlatModes(layout), [](const CuteMode& mode) {
    return !mode.IsStaticallyConstant() && !mode.stride.is_static();
  });
  const bool by_value = has_dynamic_stride || IsAllDynamic(layout);
  return RightInverseBy(layout, by_value ? InverseBy::kValues : InverseBy::kStaticNumbers);
}

absl::StatusOr<CuteLayout> LeftInverse(const CuteLayout& layout) {
  const std::string name = "left_inverse";
  if (layout.size() == 0) return LayoutOf({});
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes coalesced,
                                CoalescedModes(FlatModes(layout), LastMode::kLikeOthers));
  IndexedModes modes = WithIndexStrides(coalesced);
  llvm::erase_if(modes, [](const IndexedMode& indexed) { return indexed.mode.IsConstant(); });
  // Division rounds towards 0, so the inverse at -x is that at x of the opposite strides.
  const bool negative =
      llvm::all_of(modes, [](const IndexedMode& indexed) { return indexed.mode.stride.value < 0; });
  if (negative) HLO_INDEXING_RETURN_IF_ERROR(NegateStrides(name, layout, modes));
  HLO_INDEXING_RETURN_IF_ERROR(CheckStrides(name, layout, modes));
  std::stable_sort(modes.begin(), modes.end(), [](const IndexedMode& a, const IndexedMode& b) {
    return a.mode.stride.value < b.mode.stride.value;
  });
  // A value is a sum of digits times strides. The digit of a stride is what is left when it is
  // divided out, modulo the next stride.
  CuteModes pieces;
  bool disjoint = true;
  if (!modes.empty()) pieces.push_back({modes.front().mode.stride, StaticInteger(0)});
  for (size_t i = 0; i < modes.size(); ++i) {
    const CuteMode& mode = modes[i].mode;
    if (i + 1 == modes.size()) {
      pieces.push_back({mode.extent, modes[i].index_stride});
      break;
    }
    const CuteMode& next = modes[i + 1].mode;
    if (next.stride.value % mode.stride.value != 0) {
      return absl::FailedPreconditionError(
          name + "(" + layout.ToString() + "): there is none, or none that is known. The stride " +
          std::to_string(next.stride.value) + " is not a multiple of the next smaller one, " +
          std::to_string(mode.stride.value));
    }
    const TupleInteger period = Quotient(next.stride, mode.stride);
    disjoint = disjoint && mode.extent.value <= period.value;
    pieces.push_back({period, modes[i].index_stride});
  }
  if (negative) {
    for (CuteMode& piece : pieces) piece.stride = *Times(StaticInteger(-1), piece.stride);
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes inverse,
                                CoalescedModes(pieces, LastMode::kLikeOthers));
  if (!disjoint && (layout.size() > kMaxTriedInverse || !InvertsOnImage(layout, inverse))) {
    return absl::FailedPreconditionError(name + "(" + layout.ToString() +
                                         "): there is none that is known, for modes overlap");
  }
  return LayoutOf(inverse);
}

absl::StatusOr<CuteLayout> NullSpace(const CuteLayout& layout) {
  CuteModes zeros;
  for (const IndexedMode& indexed : WithIndexStrides(FlatModes(layout))) {
    if (!indexed.mode.stride.is_static() || indexed.mode.stride.value != 0) continue;
    const TupleInteger& extent = indexed.mode.extent;
    const bool one = extent.is_static() && extent.value == 1;
    zeros.push_back({extent, one ? StaticInteger(0) : indexed.index_stride});
  }
  return LayoutOf(zeros);
}

absl::StatusOr<CuteLayout> MaxCommonLayout(const CuteLayout& a, const CuteLayout& b) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout inverse, KnownRightInverse(b));
  const absl::StatusOr<CuteLayout> composed = Compose(a, inverse);
  if (!composed.ok()) return LayoutOf({});
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes common,
                                CoalescedModes(FlatModes(*composed), LastMode::kLikeOthers));
  const CuteMode& first = common.front();
  if (!first.extent.is_static() || !(first.stride == StaticInteger(1))) return LayoutOf({});
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout prefix,
                                LayoutOf({{first.extent, StaticInteger(1)}}));
  absl::StatusOr<CuteLayout> result = Compose(inverse, prefix);
  return result.ok() ? result : LayoutOf({});
}

absl::StatusOr<TupleInteger> MaxCommonVector(const CuteLayout& a, const CuteLayout& b) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout common, MaxCommonLayout(a, b));
  return SizeOf(common.shape());
}

absl::StatusOr<TupleInteger> MaxAlignment(const CuteLayout& layout) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout filled, KnownRightInverse(layout));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(filled.shape()));
  return size.is_static() ? size : StaticInteger(1);
}

absl::StatusOr<CuteLayout> DomainDistribute(const IntTuple& shape, const TupleInteger& n) {
  if (n.value <= 0) return absl::InvalidArgumentError("domain_distribute: n must be positive");
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger size, SizeOf(shape));
  if (size.value <= 0) return absl::InvalidArgumentError("domain_distribute: an empty shape");
  TupleInteger rest = n;
  TupleInteger index_stride = StaticInteger(1);
  CuteModes result;
  const llvm::SmallVector<TupleInteger, 4> extents = shape.Leaves();
  for (const TupleInteger& extent : extents) {
    if (extent.value < 0) return absl::InvalidArgumentError("an extent is negative");
    TupleInteger part = StaticInteger(std::gcd(extent.value, rest.value));
    if (!extent.is_static() || !rest.is_static()) part.kind = IntegerKind::kDynamic;
    result.push_back({part, index_stride});
    rest = Quotient(rest, part);
    index_stride = *Times(index_stride, extent);
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes least,
                                CoalescedModes(result, LastMode::kLikeOthers));
  return LayoutOf(least);
}

}  // namespace hlo_indexing::layout
