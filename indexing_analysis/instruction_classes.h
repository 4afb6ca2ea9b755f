// What is known of instructions that read alike. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_CLASSES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_CLASSES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/instruction_profile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace hlo_indexing::indexing_analysis {

/// What is known of an output array of all instructions that read alike.
struct InstructionClass {
  Sharing sharing = Sharing::kNothing;
  /// The maps, by direction.
  std::optional<OutputIndexing> indexing[2];
  /// The instruction to whose operands the maps refer; null where they refer to none.
  const hlo::Instruction* example = nullptr;
};

/// The classes of the instructions of an analysis.
class InstructionClasses {
 public:
  explicit InstructionClasses(const AnalysisOptions& options) : options_(options) {}

  /// Null for instructions that share nothing with others.
  InstructionClass* Of(const hlo::Instruction& instruction, int64_t output_leaf);

 private:
  /// The class of an array, once it has been looked for.
  using Slot = std::optional<InstructionClass*>;

  InstructionClass* Find(const hlo::Instruction& instruction, int64_t output_leaf);
  Slot& SlotOf(const hlo::Instruction& instruction, int64_t output_leaf);

  const AnalysisOptions& options_;
  /// By the bytes of their profiles.
  llvm::StringMap<InstructionClass, llvm::BumpPtrAllocator> classes_;
  /// Of the instruction that is being looked for; kept for its memory.
  InstructionProfile profile_;
  /// By instruction; most outputs are one array.
  llvm::DenseMap<const hlo::Computation*, std::unique_ptr<Slot[]>> first_arrays_;
  const hlo::Computation* last_computation_ = nullptr;
  Slot* last_slots_ = nullptr;
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>, Slot> other_arrays_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_INSTRUCTION_CLASSES_H_
