#include "codegen/explain/coalescing_table.h"

#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::explain {

using indexing_analysis::Coalescing;
using indexing_analysis::MemoryAccess;

size_t CoalescingTable::Hash::operator()(const MemoryAccess& access) const {
  return llvm::hash_combine(hash_value(access.position), access.threads[0], access.threads[1],
                            access.threads[2], access.element_bits, access.vector_elements);
}

bool CoalescingTable::Equal::operator()(const MemoryAccess& a, const MemoryAccess& b) const {
  return a.threads == b.threads && a.element_bits == b.element_bits &&
         a.vector_elements == b.vector_elements && a.known_arrays == b.known_arrays &&
         a.position == b.position;
}

std::optional<Coalescing> CoalescingTable::Of(const MemoryAccess& access) {
  const auto [known, is_new] = known_.try_emplace(access);
  if (is_new) known->second = CoalescingOf(access, options_);
  return known->second;
}

}  // namespace hlo_indexing::explain
