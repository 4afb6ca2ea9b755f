// Another layout of an operand that would help a kernel, if its effect has been computed.
//
// Example: for f32[1024,1024] that a transpose in a loop reads with 32 sectors per request, the
// layout {0,1}, in which these reads are 4 sectors.
//
// plan_cures.h has the changes for which a kernel is planned again.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_CURES_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_CURES_H_

#include <cstdint>
#include <vector>

#include "codegen/explain/access_report.h"
#include "codegen/explain/coalescing_table.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::explain {

/// Another layout of an operand.
struct LayoutCure {
  int64_t operand = 0;
  int64_t leaf = 0;
  llvm::SmallVector<int64_t, 6> minor_to_major;
  /// Of all loads of the operand in this kernel, now and in that layout; the worst cases.
  llvm::DynamicAPInt sectors_now;
  llvm::DynamicAPInt sectors_then;
  /// What a kernel that copies the operand to that layout, both sides coalesced, moves.
  int64_t copy_bytes = 0;
};

/// For each operand whose loads waste sectors: the layout in which they touch fewest, if that saves
/// a quarter at least. Tried are all layouts that make another dimension the most minor one.
std::vector<LayoutCure> LayoutCures(llvm::ArrayRef<AccessReport> accesses,
                                    mlir::MLIRContext* context, CoalescingTable& table);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_CURES_H_
