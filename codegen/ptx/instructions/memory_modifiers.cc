#include "codegen/ptx/instructions/memory_modifiers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr std::array<std::string_view, 5> kL1Hints = {"L1::evict_normal", "L1::evict_unchanged",
                                                      "L1::evict_first", "L1::evict_last",
                                                      "L1::no_allocate"};
constexpr std::array<std::string_view, 3> kL2Hints = {"L2::evict_normal", "L2::evict_first",
                                                      "L2::evict_last"};
constexpr std::array<std::string_view, 3> kPrefetchSizes = {"L2::64B", "L2::128B", "L2::256B"};

template <size_t N>
bool IsAmong(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

absl::StatusOr<Ordering> TakeOrdering(InstructionDecoder& d) {
  Ordering ordering;
  const bool is_mmio = d.Take("mmio");
  const std::optional<int> order =
      d.TakeOneOf({"weak", "volatile", "relaxed", "acquire", "release"});
  ordering.is_volatile = order == 1;
  ordering.is_acquire = order == 3;
  ordering.is_release = order == 4;
  ordering.is_strong = order.has_value() && *order != 0;
  if (is_mmio && order != 2) return d.Error(".mmio needs .relaxed.sys");
  if (order.has_value() && *order >= 2) {
    const std::optional<int> scope = d.TakeOneOf({"cta", "cluster", "gpu", "sys"});
    if (!scope.has_value()) {
      return d.Error("a relaxed, acquire or release access needs a scope: .cta .cluster .gpu .sys");
    }
    if (is_mmio && *scope != 3) return d.Error(".mmio needs the scope .sys");
  }
  return ordering;
}

absl::StatusOr<CacheHints> TakeCacheHints(InstructionDecoder& d, bool is_store) {
  CacheHints hints;
  const std::optional<int> cache_operator = is_store ? d.TakeOneOf({"wb", "cg", "cs", "wt"})
                                                     : d.TakeOneOf({"ca", "cg", "cs", "lu", "cv"});
  bool has_l1 = false;
  bool has_l2 = false;
  bool has_size = false;
  while (const std::optional<std::string_view> hint = d.TakePrefixed("L1::")) {
    if (!IsAmong(*hint, kL1Hints) || has_l1) return d.ModifierError(*hint);
    has_l1 = true;
  }
  while (const std::optional<std::string_view> hint = d.TakePrefixed("L2::")) {
    bool* seen = nullptr;
    if (*hint == "L2::cache_hint") seen = &hints.has_policy;
    if (IsAmong(*hint, kL2Hints)) seen = &has_l2;
    if (IsAmong(*hint, kPrefetchSizes) && !is_store) seen = &has_size;
    if (seen == nullptr || *seen) return d.ModifierError(*hint);
    *seen = true;
  }
  if (cache_operator.has_value() && (has_l1 || has_l2)) {
    return d.Error("a cache operator and an eviction priority do not go together");
  }
  hints.has_operator = cache_operator.has_value();
  hints.has_level = has_l1 || has_l2 || has_size || hints.has_policy;
  hints.has_l2_priority = has_l2;
  return hints;
}

absl::Status CheckAccessModifiers(InstructionDecoder& d, const Ordering& ordering,
                                  const CacheHints& hints, Space space, int bits) {
  const bool is_global = space == Space::kGlobal || space == Space::kGeneric;
  if (ordering.is_strong && !is_global && space != Space::kShared) {
    return d.Error(
        "volatile, relaxed, acquire and release accesses are of .global, .shared and "
        "generic addresses");
  }
  if (ordering.is_strong && hints.has_operator) {
    return d.Error("a cache operator is for weak accesses only");
  }
  if (hints.has_level && !is_global) {
    return d.Error("what is asked of the caches L1 and L2 is of .global and generic addresses");
  }
  if (hints.has_l2_priority && bits != 256) {
    return d.Error("an eviction priority of L2 is for accesses of 256 bits");
  }
  return absl::OkStatus();
}

absl::Status CheckCachePolicy(InstructionDecoder& d, int i) {
  HLO_INDEXING_ASSIGN_OR_RETURN([[maybe_unused]] const Slot policy, d.Source(i, Type::kB64));
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx
