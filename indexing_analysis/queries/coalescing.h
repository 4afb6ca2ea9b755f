// How well a kernel's accesses to global memory are coalesced: how many sectors its warps touch,
// and how many they would have to.
//
// An access is a map from threads, blocks and loops to a position in an array. Example: a matrix
// f32[1024,1024] read by columns, one element for each thread of 128:
//
//   const std::optional<IndexingMap> position = ParseIndexingMap(
//       "(th_x, th_y, th_z, bl_x, bl_y, bl_z) -> ((th_x + (bl_x mod 8) * 128) * 1024"
//       " + bl_x floordiv 8), domain: ...", &context, error);
//   const Coalescing result = CoalescingOf({.position = *position, .threads = {128, 1, 1},
//                                           .element_bits = 32});
//
// gives 32,768 requests, 1,048,576 sectors (32 per request) where 131,072 would do, and the
// neighbouring lanes are 4,096 bytes apart.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COALESCING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COALESCING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

/// Integers in row-major order: the array that a value known at run time is an element of.
struct KnownArray {
  llvm::SmallVector<int64_t, 4> sizes;
  std::vector<int64_t> values;
};

/// A load or store of a kernel: one instruction, executed by threads in loops.
struct MemoryAccess {
  /// (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops]{values known at run time} -> the position of the
  /// element in the array's memory, counted in elements; see PositionMap (layout_maps.h).
  IndexingMap position;
  /// The threads of a block; the map may speak of fewer, those that access something.
  std::array<int64_t, 3> threads = {1, 1, 1};
  int64_t element_bits = 32;
  /// Positions that the array has; 0 if that is not known.
  int64_t num_positions = 0;
  /// How many iterations of the last range variable the kernel may join to one vector access; fewer
  /// are joined where positions are not consecutive or not aligned, or where some iterations are
  /// outside of the domain.
  int64_t vector_elements = 1;
  /// How often all of this is executed: the turns of loops that the position does not depend on,
  /// but in which a loop stands that it depends on.
  int64_t repetitions = 1;
  /// By runtime variable of the position, the array whose elements its values are, null if it is
  /// not known; empty if none is. With all of them, counts are exact.
  std::vector<std::shared_ptr<const KnownArray>> known_arrays;
};

struct CoalescingOptions {
  int64_t sector_bytes = 32;
  /// The widest access of a thread.
  int64_t max_vector_bytes = 16;
  /// How many accesses of lanes are tried before the answer becomes a range.
  int64_t max_lane_accesses = int64_t{1} << 22;
  /// The same where values known at run time decide which lanes access anything: the answer is a
  /// range all the same.
  int64_t max_uncertain_lane_accesses = int64_t{1} << 17;
  /// Whether distinct sectors are counted, which may take longer than all else; if not, nothing is
  /// said of them.
  /// Whether they are counted: CoalescingOptions.
  bool counts_distinct_sectors = true;
};

/// What all warps of a grid do by one access. Where values that are known at run time only decide,
/// counts are ranges from the best to the worst case.
struct Coalescing {
  /// Warp instructions that access at least one element.
  Image::Count requests;
  /// Different sectors of each request, in sum.
  Image::Count sectors;
  /// The least sum for the same requests: as if the bytes of each lay side by side.
  Image::Count ideal_sectors;
  /// Different sectors of all requests together: what comes from DRAM at least.
  Image::Count distinct_sectors;
  bool counts_distinct_sectors = true;
  /// Bytes that a thread accesses at a time; 0 for less than one byte.
  int64_t vector_bytes = 0;
  int64_t vector_elements = 1;
  /// The distance in bits of the accesses of neighbouring lanes, if it is the same for all that are
  /// active.
  std::optional<int64_t> lane_stride_bits;
  /// Why counts are ranges; empty if they are exact.
  std::string reason;
  /// How many accesses of lanes were tried, and whether a limit of the options was met.
  int64_t lane_accesses = 0;
  bool is_cut = false;

  /// Whether what is moved is exact.
  bool IsTrafficExact() const {
    return requests.IsExact() && sectors.IsExact() && ideal_sectors.IsExact();
  }
  /// Whether all counts are; if different sectors are not counted, the others.
  bool IsExact() const {
    return IsTrafficExact() && (!counts_distinct_sectors || distinct_sectors.IsExact());
  }
  /// ideal_sectors / sectors, 1 if there are none: of a range, where most sectors are touched.
  double Efficiency() const;

  /// Writes `requests: 32768, sectors: 1048576, ideal: 131072, distinct: 131072, vector: 4 bytes`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// Counts exactly, also for 2^31 blocks: coordinates of the grid on which the position depends
/// linearly count by their residues modulo a sector, others by their period. Only what is left is
/// tried point by point; `tests/indexing_analysis/queries/coalescing_test.cc` tries all threads
/// instead.
///
/// A request is what the 32 threads of one warp access by one instruction, in one iteration of the
/// loops; loops that the position does not depend on run once, as the access is invariant, unless
/// MemoryAccess::repetitions counts them. Threads
/// of a block are numbered th_x + threads[0] * (th_y + threads[1] * th_z), 32 to a warp (PTX ISA,
/// "Special Registers"). Arrays begin at a multiple of the sector and of the vector. nullopt if the
/// position is unknown.
std::optional<Coalescing> CoalescingOf(const MemoryAccess& access,
                                       const CoalescingOptions& options = {});

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COALESCING_H_
