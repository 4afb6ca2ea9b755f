// Constants of a fused computation that a kernel has in memory: arrays of different values. One
// value is part of the code.
//
// Example: in { c = s32[4] constant({3, 1, 4, 1}), p = s32[8,4] parameter(0),
//   b = s32[8,4] broadcast(c), dimensions={1}, ROOT r = s32[8,4] add(p, b) }
// each element of r loads one of p and one of c.
#ifndef HLO_INDEXING_CODEGEN_PLAN_CONSTANTS_H_
#define HLO_INDEXING_CODEGEN_PLAN_CONSTANTS_H_

#include <cstdint>
#include <string>

#include "hlo/literal.h"
#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::plan {

/// Whether all elements of an array are the same; there must be some, and their values.
bool IsSplat(const hlo::Literal& literal);

/// Whether kernels load the values of an instruction, which is a constant. Values that the text
/// leaves out, {...}, count as different.
bool IsConstantInMemory(const hlo::Instruction& instruction);

/// Those of a computation, and those of all computations that its instructions call.
llvm::SmallVector<const hlo::Instruction*, 2> ConstantsInMemory(
    const hlo::Computation& computation);
llvm::SmallVector<const hlo::Instruction*, 2> ConstantsInMemoryOfCallees(
    const hlo::Computation& computation);

/// Where the elements lie, whatever the layout of the shape: row-major, each in `BitsInMemory`.
indexing_analysis::IndexingMap PositionsOfConstant(const hlo::Shape& shape,
                                                   mlir::MLIRContext* context);
/// Whether an access to these positions is to one element, which is then a number in the code.
bool IsOneElement(const indexing_analysis::IndexingMap& position);
/// Why LLVM may make code of what is accessed at these positions, instead of loads; empty if it
/// does not.
std::string WhyPartOfCode(const hlo::Instruction& constant,
                          const indexing_analysis::IndexingMap& position);
/// A byte at least, unlike elsewhere.
int64_t BitsInMemory(const hlo::Shape& shape);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_CONSTANTS_H_
