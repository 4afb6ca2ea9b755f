// Modifiers that memory instructions share: how an access is ordered, and what it asks of caches.
//
// Example: of `ld.relaxed.gpu.global.L1::no_allocate.u32` TakeOrdering takes "relaxed" and "gpu"
// and says that the access is strong; TakeCacheHints takes "L1::no_allocate".
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_MODIFIERS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_MODIFIERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// How an access takes part in the memory model (§8).
struct Ordering {
  /// Volatile, relaxed, acquire, release or mmio.
  bool is_strong = false;
  bool is_volatile = false;
  bool is_acquire = false;
  bool is_release = false;
};

/// Takes the modifiers of order and scope of ld and st: `.weak .volatile .relaxed .acquire .release
/// .mmio`; one with a scope needs it. An error where they do not go together.
absl::StatusOr<Ordering> TakeOrdering(InstructionDecoder& d);

/// What a load or store asks of caches; it changes no value, so it is checked and forgotten.
struct CacheHints {
  /// `.ca`, `.wb` and the like.
  bool has_operator = false;
  /// `.L1::` or `.L2::` of any kind.
  bool has_level = false;
  /// A priority of L2, as `.L2::evict_last`.
  bool has_l2_priority = false;
  /// `.L2::cache_hint`: the last operand is a cache policy.
  bool has_policy = false;
};

/// Takes cache operators (`.ca .cg .cs .lu .cv`, of stores `.wb .cg .cs .wt`), eviction priorities
/// (`.L1::evict_last`, `.L1::no_allocate`, `.L2::evict_first`), `.L2::cache_hint` and, of loads,
/// prefetch sizes (`.L2::128B`). Errors for others and for two of a kind.
absl::StatusOr<CacheHints> TakeCacheHints(InstructionDecoder& d, bool is_store);

/// Whether these go together in an access of so many bits to the space (§9.7.9.8, §9.7.9.11).
absl::Status CheckAccessModifiers(InstructionDecoder& d, const Ordering& ordering,
                                  const CacheHints& hints, Space space, int bits);

/// Checks operand `i`, a cache policy: a value of 64 bits.
absl::Status CheckCachePolicy(InstructionDecoder& d, int i);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MEMORY_MODIFIERS_H_
