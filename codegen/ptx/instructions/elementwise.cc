#include "codegen/ptx/instructions/elementwise.h"

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {

bool HasWideVectors() {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}

absl::Status EmitElementwise(InstructionDecoder& d, Pipe pipe, Execute execute, Type result,
                             std::initializer_list<Type> sources) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(static_cast<int>(sources.size()) + 1));
  Operation operation;
  operation.execute = execute;
  operation.pipe = pipe;
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, result));
  int i = 1;
  for (const Type type : sources) {
    Slot& slot = operation.slots[static_cast<size_t>(i)];
    if (type == Type::kPred) {
      HLO_INDEXING_ASSIGN_OR_RETURN(slot, d.PredicateSource(d.operand(i)));
    } else {
      HLO_INDEXING_ASSIGN_OR_RETURN(slot, d.Source(i, type));
    }
    ++i;
  }
  return d.Emit(std::move(operation));
}

}  // namespace hlo_indexing::ptx
