#include "layout/cute_algebra/linear_layout.h"

#include <bit>
#include <string>

#include "absl/status/status.h"
#include "layout/cute_algebra/modes.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Bases = llvm::SmallVector<int64_t, 8>;

constexpr int64_t kMostTried = int64_t{1} << 20;

absl::Status NotLinear(const std::string& text, const std::string& why) {
  return absl::FailedPreconditionError(text + " is not linear: " + why);
}

// Sums without a bit in common are xors; with one they differ by twice what they have in common.
absl::Status CheckDisjoint(llvm::ArrayRef<int64_t> bases, const std::string& text) {
  int64_t taken = 0;
  for (const int64_t basis : bases) {
    if ((basis & taken) != 0) {
      return NotLinear(text, "the offset " + std::to_string(basis) +
                                 " has a bit in common with those of smaller powers of two, so "
                                 "that their sum is not their xor");
    }
    taken |= basis;
  }
  return absl::OkStatus();
}

absl::StatusOr<Bases> BasesOfLayout(const CuteLayout& layout) {
  const std::string text = layout.ToString();
  if (layout.has_axes()) return NotLinear(text, "it maps to coordinates");
  if (layout.size() == 0 || !std::has_single_bit(static_cast<uint64_t>(layout.size()))) {
    return NotLinear(text, "its size is not a power of two");
  }
  Bases bases;
  for (int64_t power = 1; power < layout.size() && power > 0; power *= 2) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t offset, layout.Offset(power));
    bases.push_back(offset);
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckDisjoint(bases, text));
  return bases;
}

// By trying all indices.
absl::StatusOr<Bases> BasesByTrial(const ComposedLayout& layout) {
  const int64_t size = layout.inner.size();
  if (size > kMostTried) {
    return absl::ResourceExhaustedError(
        "whether so large a composed layout is linear is not tried");
  }
  if (size == 0 || !std::has_single_bit(static_cast<uint64_t>(size))) {
    return NotLinear(layout.ToString(), "its size is not a power of two");
  }
  Bases bases;
  for (int64_t i = 0; i < size; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t offset, layout.Offset(i));
    if (std::has_single_bit(static_cast<uint64_t>(i))) bases.push_back(offset);
    int64_t expected = 0;
    for (size_t bit = 0; bit < bases.size(); ++bit) {
      if ((i >> bit & 1) != 0) expected ^= bases[bit];
    }
    if (offset != expected) {
      return NotLinear(layout.ToString(), "index " + std::to_string(i) + " is at " +
                                              std::to_string(offset) + ", the xor of its bits at " +
                                              std::to_string(expected));
    }
  }
  return bases;
}

}  // namespace

absl::StatusOr<llvm::SmallVector<int64_t, 8>> LinearBases(const CuteTensor& tensor) {
  if (!tensor.begins_at_zero()) return NotLinear(tensor.LayoutText(), "it does not begin at 0");
  if (tensor.plain() != nullptr) return BasesOfLayout(*tensor.plain());
  const ComposedLayout& composed = *tensor.composed();
  const auto* swizzle = std::get_if<CuteSwizzle>(&composed.outer);
  if (swizzle == nullptr) return BasesByTrial(composed);
  // A swizzle is linear and a bijection.
  if (composed.offset.value != 0) {
    return NotLinear(composed.ToString(), "index 0 is not at 0");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(Bases bases, BasesOfLayout(composed.inner));
  for (int64_t& basis : bases) basis = swizzle->Apply(basis);
  return bases;
}

absl::StatusOr<CuteLayout> LayoutOfBases(llvm::ArrayRef<int64_t> bases) {
  HLO_INDEXING_RETURN_IF_ERROR(CheckDisjoint(bases, "the layout of these bases"));
  CuteModes modes;
  for (const int64_t basis : bases) modes.push_back({StaticInteger(2), StaticInteger(basis)});
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes least, CoalescedByValue(modes));
  return LayoutOf(least);
}

}  // namespace hlo_indexing::layout
