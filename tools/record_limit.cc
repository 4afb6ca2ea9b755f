#include "tools/record_limit.h"

#include <optional>
#include <string>

#include "hlo/opcode.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

bool IsWithinRecordLimit(const hlo::Instruction& instruction, Pairs pairs, uint64_t most) {
  int64_t operands = 0;
  for (const hlo::Instruction* operand : instruction.operands()) {
    operands += operand->shape().num_array_leaves();
  }
  const int64_t outputs = instruction.shape().num_array_leaves();
  const bool has_one_each =
      pairs == Pairs::kDependent && instruction.opcode() == hlo::Opcode::kTuple;
  const std::optional<int64_t> records =
      has_one_each ? outputs : support::CheckedMul(outputs, operands);
  if (records && static_cast<uint64_t>(*records) <= most) return true;
  const hlo::Module& module = instruction.parent().parent();
  Report({support::MakeDiagnostic(
      module.source(), instruction.offset(),
      "instruction '" + instruction.name().str() + "' has " + std::to_string(outputs) +
          " output and " + std::to_string(operands) +
          " operand arrays, more pairs than the limit (--max-records)")});
  return false;
}

}  // namespace hlo_indexing::tools
