// cp.reduce.async.bulk: which operation is done on the elements of two arrays.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_BULK_REDUCTION_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_BULK_REDUCTION_H_

#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/async_copies.h"

namespace hlo_indexing::ptx {

/// Takes operation and type. Example: of `.add.noftz.f16`, the function that adds f16 to f16
absl::StatusOr<ReduceBytes> TakeBulkReduction(InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_BULK_REDUCTION_H_
