// The expressions of indexing maps as integer code of a kernel. Private to the folder.
//
// Example: (d0) -> (d0 floordiv 10, d0 mod 10), d0 in [0, 99], becomes
//
//   q = divui d0, 10      r = subi d0, (muli q, 10)
//
// in 32 bits where all that is divided fits (simplifier/emission_form.h).
#ifndef HLO_INDEXING_CODEGEN_EMIT_INDEX_CODE_H_
#define HLO_INDEXING_CODEGEN_EMIT_INDEX_CODE_H_

#include "codegen/emit/kernel_builder.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// What the variables of a map are in the kernel: integers of 32 or 64 bits. A variable that no
/// expression mentions may be null.
struct VariableValues {
  llvm::ArrayRef<mlir::Value> dimensions;
  llvm::ArrayRef<mlir::Value> ranges;
  llvm::ArrayRef<mlir::Value> runtime;
};

/// The results of the map, of 32 or 64 bits each.
Values EmitResults(KernelBuilder& builder, const indexing_analysis::IndexingMap& map,
                   const VariableValues& variables);

/// A value and how far beyond it an index is, which as a part of an address costs nothing.
struct IndexSum {
  mlir::Value value;
  int64_t constant = 0;
};

/// The one result of the map, its constant apart if it is a positive multiple of `divisor`, and
/// what is left is never negative: an address without the constant would be of no array.
/// Example: (d0) -> (d0 * 4 + 64), divisor 4 -> d0 * 4 and 64; divisor 128 -> d0 * 4 + 64 and 0
IndexSum EmitSum(KernelBuilder& builder, const indexing_analysis::IndexingMap& map,
                 const VariableValues& variables, int64_t divisor);

/// What the code of the results costs (simplifier::TargetCosts).
int CostOfResults(const indexing_analysis::IndexingMap& map);

/// Whether the results of the map lie in these bounds, one for each: null if they always do.
mlir::Value EmitConditions(KernelBuilder& builder, const indexing_analysis::IndexingMap& map,
                           llvm::ArrayRef<indexing_analysis::Interval> bounds,
                           const VariableValues& variables);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_INDEX_CODE_H_
