// Where the buffers of a frame lie: two share memory if they are not needed at the same time.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_FRAME_LAYOUT_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_FRAME_LAYOUT_H_

#include <cstdint>

#include "codegen/program/program.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::program {

struct FrameSize {
  int64_t bytes = 0;
  /// The most that is needed at a time.
  int64_t live_bytes = 0;
};

/// Sets the offsets of the buffers, each a multiple of kFrameAlignment: in the order of their first
/// steps, each in the smallest gap that is free then and holds it, else at the end.
/// Example: 256 bytes in steps 0 to 1, 512 in 1 to 2, 256 in 2 to 3 -> 0, 256, 0; 768 bytes
FrameSize LayOutFrame(llvm::MutableArrayRef<FrameBuffer> buffers);

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_FRAME_LAYOUT_H_
