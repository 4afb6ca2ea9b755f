#include "codegen/explain/coalescing_table.h"

#include <algorithm>

#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::explain {

using indexing_analysis::Coalescing;
using indexing_analysis::MemoryAccess;

size_t CoalescingTable::Hash::operator()(const MemoryAccess& access) const {
  return llvm::hash_combine(hash_value(access.position), access.threads[0], access.threads[1],
                            access.threads[2], access.element_bits, access.vector_elements,
                            access.repetitions, access.num_positions);
}

bool CoalescingTable::Equal::operator()(const MemoryAccess& a, const MemoryAccess& b) const {
  return a.threads == b.threads && a.element_bits == b.element_bits &&
         a.vector_elements == b.vector_elements && a.repetitions == b.repetitions &&
         a.num_positions == b.num_positions && a.known_arrays == b.known_arrays &&
         a.position == b.position;
}

std::optional<Coalescing> CoalescingTable::Of(const MemoryAccess& access) {
  const auto [known, is_new] = known_.try_emplace(access);
  if (is_new) known->second = CoalescingOf(access, options_);
  return known->second;
}

std::optional<Coalescing> CoalescingTable::Of(const MemoryAccess& access, int64_t& budget) {
  const auto known = known_.find(access);
  const bool is_known = known != known_.end() &&
                        (!known->second.has_value() || known->second->lane_accesses <= budget);
  std::optional<Coalescing> coalescing;
  if (is_known || budget >= options_.max_lane_accesses) {
    coalescing = Of(access);
  } else {
    indexing_analysis::CoalescingOptions options = options_;
    options.max_lane_accesses = budget;
    options.max_uncertain_lane_accesses = std::min(budget, options.max_uncertain_lane_accesses);
    coalescing = CoalescingOf(access, options);
    // Another budget may give another answer.
    if (!coalescing.has_value() || !coalescing->is_cut) known_.try_emplace(access, coalescing);
  }
  if (coalescing.has_value()) budget -= std::min(budget, coalescing->lane_accesses);
  return coalescing;
}

}  // namespace hlo_indexing::explain
