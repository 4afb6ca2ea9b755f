#include "indexing_analysis/instruction_classes.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

InstructionClass* InstructionClasses::Of(const Instruction& instruction, int64_t output_leaf) {
  Slot& slot = SlotOf(instruction, output_leaf);
  if (!slot) slot = Find(instruction, output_leaf);
  return *slot;
}

InstructionClasses::Slot& InstructionClasses::SlotOf(const Instruction& instruction,
                                                     int64_t output_leaf) {
  if (output_leaf != 0) return other_arrays_[{&instruction, output_leaf}];
  const hlo::Computation& computation = instruction.parent();
  if (last_computation_ != &computation) {
    last_computation_ = &computation;
    std::unique_ptr<Slot[]>& slots = first_arrays_[&computation];
    if (slots == nullptr) slots = std::make_unique<Slot[]>(computation.instructions().size());
    last_slots_ = slots.get();
  }
  return last_slots_[instruction.index()];
}

InstructionClass* InstructionClasses::Find(const Instruction& instruction, int64_t output_leaf) {
  profile_.clear();
  const Sharing sharing =
      ProfileInstruction(instruction, output_leaf, options_.custom_calls, profile_);
  if (sharing == Sharing::kNothing) return nullptr;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(profile_.data()),
                              profile_.size_in_bytes());
  const auto [found, is_new] = classes_.try_emplace(bytes);
  if (is_new) {
    found->second.sharing = sharing;
    if (sharing == Sharing::kMapsButValues) found->second.example = &instruction;
  }
  return &found->second;
}

}  // namespace hlo_indexing::indexing_analysis
