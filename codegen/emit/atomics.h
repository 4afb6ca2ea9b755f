// Elements of a buffer that several threads update. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_ATOMICS_H_
#define HLO_INDEXING_CODEGEN_EMIT_ATOMICS_H_

#include "codegen/emit/buffers.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "codegen/plan/atomics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// buffer[position] = combiner(buffer[position], update) in one step, for an element of 1, 2, 4 or
/// 8 bytes: by the instruction that does it (plan/atomics.h), else by compare and swap until no
/// other thread comes in between, for which `combine` makes the code. The buffer must be whole
/// words of 4 bytes.
void EmitAtomicUpdate(KernelBuilder& builder, const Buffer& buffer, mlir::Value position,
                      plan::AtomicOperation operation, const Number& update,
                      llvm::function_ref<Number(const Number& old)> combine);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_ATOMICS_H_
