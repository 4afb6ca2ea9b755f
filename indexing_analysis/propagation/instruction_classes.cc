#include "indexing_analysis/propagation/instruction_classes.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

InstructionClass* InstructionClasses::Of(const Instruction& instruction, int64_t output_leaf) {
  Slot& slot = SlotOf(instruction, output_leaf);
  const bool is_known =
      slot && !options_.disabled_memo_tables.IsDisabled(MemoTable::kClassOfInstruction);
  if (!is_known) slot = Find(instruction, output_leaf);
  return *slot;
}

InstructionClasses::Slot& InstructionClasses::SlotOf(const Instruction& instruction,
                                                     int64_t output_leaf) {
  if (output_leaf != 0) return other_arrays_[{&instruction, output_leaf}];
  const hlo::Computation& computation = instruction.parent();
  std::unique_ptr<Slot[]>& slots = first_arrays_[&computation];
  if (slots == nullptr) slots = std::make_unique<Slot[]>(computation.instructions().size());
  return slots[static_cast<size_t>(instruction.index())];
}

InstructionClass* InstructionClasses::Find(const Instruction& instruction, int64_t output_leaf) {
  fingerprint_.clear();
  const Shareable shareable =
      FingerprintInstruction(instruction, output_leaf, options_.custom_calls, fingerprint_);
  if (shareable == Shareable::kNothing) return nullptr;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(fingerprint_.data()),
                              fingerprint_.size_in_bytes());
  const auto [found, is_new] = classes_.try_emplace(bytes);
  if (is_new) {
    found->second.shareable = shareable;
    if (shareable == Shareable::kMapsButValues) found->second.representative = &instruction;
  }
  return &found->second;
}

}  // namespace hlo_indexing::indexing_analysis
