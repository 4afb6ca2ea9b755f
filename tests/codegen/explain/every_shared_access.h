// The wavefronts of an access to shared memory by trying all threads of the grid, as the virtual
// GPU counts them.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_SHARED_ACCESS_H_
#define HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_SHARED_ACCESS_H_

#include <cstdint>

#include "codegen/plan/kernel_plan.h"

namespace hlo_indexing::explain {

struct SharedTraffic {
  int64_t requests = 0;
  int64_t wavefronts = 0;
  int64_t ideal_wavefronts = 0;
};

/// Of an access whose threads have so many bytes at a time; it is a failure if these are no
/// vectors.
SharedTraffic CountSharedByEveryThread(const plan::KernelPlan& plan, const plan::SharedTile& tile,
                                       const plan::SharedAccess& access, int64_t vector_bytes);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_SHARED_ACCESS_H_
