#include "hlo/async.h"

#include "hlo/attribute.h"
#include "hlo/opcode.h"

namespace hlo_indexing::hlo {

const Computation* CalleeOfAsync(const Instruction& instruction) {
  const Instruction* start = &instruction.operand(0);
  while (start->opcode() == Opcode::kAsyncUpdate) start = &start->operand(0);
  return start->opcode() == Opcode::kAsyncStart ? start->Callee(AttributeName::kCalls) : nullptr;
}

}  // namespace hlo_indexing::hlo
