// Bank conflicts: how many wavefronts a block's accesses to shared memory take, and how many they
// would have to.
//
// Shared memory has 32 banks of 4 bytes. Example: one warp reads a column of a tile f32[32,32] that
// a row of 32 threads has filled,
//
//   position  (th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (th_x * 32 + s0), s0 in [0, 31]
//
// All lanes want the same bank: 32 requests take 1,024 wavefronts where 32 would do. With rows of
// 33 elements, or behind the swizzle Sw<5,0,5>, they take 32.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_BANK_CONFLICTS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_BANK_CONFLICTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/queries/coalescing.h"
#include "layout/cute_algebra/swizzle.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

/// What all warps of a grid do to shared memory by one access. Ranges as in Coalescing.
struct BankConflicts {
  /// Warp instructions that access at least one element.
  Image::Count requests;
  /// Passes over the banks. Accesses of up to 4 bytes are served for the whole warp at once, of 8
  /// bytes for each half and of 16 for each quarter of it; lanes that want the same word share it
  /// (CUDA C++ Programming Guide, "Shared Memory").
  Image::Count wavefronts;
  /// As many if no two words of a pass were in one bank.
  Image::Count ideal_wavefronts;
  /// Bytes that a thread accesses at a time; 0 for less than one byte.
  int64_t vector_bytes = 0;
  /// Why counts are ranges; empty if they are exact.
  std::string reason;

  bool IsExact() const { return requests.IsExact() && wavefronts.IsExact(); }
  /// Whether some wavefront is one too many.
  bool HasConflicts() const { return wavefronts.upper > ideal_wavefronts.upper; }

  /// Writes `requests: 32, wavefronts: 1024, ideal: 32, vector: 4 bytes`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// Counts as CoalescingOf does. The position is that in the block's array, in elements, from an
/// address that is a multiple of 128 bytes; the swizzle, if there is one, says where it lies.
/// nullopt if the position is unknown. Example: {.position = *position, .threads = {32, 1, 1},
/// .element_bits = 32}
std::optional<BankConflicts> BankConflictsOf(const MemoryAccess& access,
                                             const std::optional<layout::CuteSwizzle>& swizzle = {},
                                             const CoalescingOptions& options = {});

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_BANK_CONFLICTS_H_
