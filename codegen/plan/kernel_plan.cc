#include "codegen/plan/kernel_plan.h"

#include "hlo/opcode.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

llvm::StringRef EmitterName(Emitter emitter) {
  constexpr std::array<llvm::StringRef, 6> kNames = {
      "loop", "transpose", "reduction", "concatenate", "dynamic_update_slice", "scatter"};
  return kNames[static_cast<size_t>(emitter)];
}

llvm::ArrayRef<const hlo::Instruction*> KernelPlan::Inputs() const {
  return is_computation ? instruction->parent().parameters() : instruction->operands();
}

std::optional<int64_t> KernelPlan::InputNumber(const hlo::Instruction& computed) const {
  if (is_computation || instruction->opcode() == hlo::Opcode::kFusion) {
    if (computed.opcode() != hlo::Opcode::kParameter) return std::nullopt;
    return computed.parameter_number();
  }
  const auto* const position = llvm::find(instruction->operands(), &computed);
  if (position == instruction->operands().end()) return std::nullopt;
  return position - instruction->operands().begin();
}

void KernelPlan::Print(llvm::raw_ostream& out) const {
  const auto sizes = [&](const std::array<int64_t, 3>& of) {
    out << '[' << of[0] << ", " << of[1] << ", " << of[2] << ']';
  };
  out << "emitter  " << EmitterName(emitter);
  if (!variant.empty() && variant != EmitterName(emitter)) out << " (" << variant << ')';
  out << "\nlaunch   blocks ";
  sizes(launch.blocks);
  out << ", threads ";
  sizes(launch.threads);
  out << '\n';
  if (shared_memory_bytes != 0) out << "shared   " << shared_memory_bytes << " bytes\n";
  for (const ElementPass& pass : passes) {
    out << "computes %" << pass.instruction->name();
    if (pass.output.has_value()) out << " (output " << *pass.output << ')';
    out << ": ";
    pass.map.Print(out);
    out << '\n';
  }
  for (const HeroRead& read : heroes) {
    out << "reads    operand " << read.operand << " of %" << read.hero->name() << ": ";
    read.map.Print(out);
    out << '\n';
  }
}

}  // namespace hlo_indexing::plan
