// Dot products of packed integers (dp4a, dp2a; PTX ISA 9.7.1.22 and 9.7.1.23), and vabsdiff2 and
// vabsdiff4 of the video instructions (9.7.18). Their rows are among those of integer.cc.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DOT_PRODUCT_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DOT_PRODUCT_H_

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

/// dp4a.ATYPE.BTYPE: c plus the sum of the four products of bytes.
absl::Status DecodeDp4a(InstructionDecoder& d);
/// dp2a.MODE.ATYPE.BTYPE: c plus the products of a's two halves and two bytes of b.
absl::Status DecodeDp2a(InstructionDecoder& d);
/// vabsdiff2, vabsdiff4.DTYPE.ATYPE.BTYPE{.add}: differences of halves or bytes, side by side or
/// added to c. Masks and selections of elements are refused.
absl::Status DecodeVabsdiff(InstructionDecoder& d);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_DOT_PRODUCT_H_
