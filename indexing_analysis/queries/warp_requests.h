// The requests of an access: what the warps of a grid ask of a memory, and what that costs. Private
// to the folder.
//
// The threads of a MemoryAccess become lanes of warps, its last loop is cut into the widest vectors
// that its positions allow, and a RequestCounter adds up the requests of all warps.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_WARP_REQUESTS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_WARP_REQUESTS_H_

#include <cstdint>
#include <functional>

#include "indexing_analysis/queries/coalescing.h"
#include "indexing_analysis/queries/request_counter.h"

namespace hlo_indexing::indexing_analysis {

/// A memory as requests see it.
struct RequestMemory {
  /// What a request costs whose lanes access `width` bits each.
  std::function<RequestSectors(llvm::ArrayRef<int64_t> lanes,
                               llvm::MutableArrayRef<int64_t> offsets, int64_t width)>
      cost;
  /// As in RequestProblem.
  int64_t period_bits = 0;
  int64_t unit_bits = 0;
};

struct WarpRequests {
  /// Over the whole grid.
  RequestTotals totals;
  /// Elements that a thread accesses at a time.
  int64_t vector_elements = 1;
  /// Whether no thread accesses anything.
  bool is_empty = false;
};

/// Of an access whose position is known.
WarpRequests CountRequests(const MemoryAccess& access, const CoalescingOptions& options,
                           const RequestMemory& memory);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_WARP_REQUESTS_H_
