// What an instruction of clusters is where a block is a cluster of its own.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CLUSTER_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CLUSTER_H_

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// barrier.cluster.arrive and .wait, from behind `.cluster` on.
absl::Status DecodeClusterBarrier(InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_CLUSTER_H_
