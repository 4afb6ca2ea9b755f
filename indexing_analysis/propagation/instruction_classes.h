// Equivalence classes of instructions. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_CLASSES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_CLASSES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/propagation/instruction_fingerprint.h"
#include "indexing_analysis/propagation/options.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace hlo_indexing::indexing_analysis {

/// An output array of equivalent instructions, and what has been found for it.
struct InstructionClass {
  Shareable shareable = Shareable::kNothing;
  /// The maps, by direction.
  std::optional<OutputIndexing> indexing[2];
  /// The instruction to whose operands the maps refer; null if they refer to none.
  const hlo::Instruction* representative = nullptr;
};

/// The classes of the instructions of an analysis.
class InstructionClasses {
 public:
  explicit InstructionClasses(const AnalysisOptions& options) : options_(options) {}

  /// Null for instructions whose maps are not shareable.
  InstructionClass* Of(const hlo::Instruction& instruction, int64_t output_leaf);

 private:
  /// The class of an array, once it is known.
  using Slot = std::optional<InstructionClass*>;

  InstructionClass* Find(const hlo::Instruction& instruction, int64_t output_leaf);
  Slot& SlotOf(const hlo::Instruction& instruction, int64_t output_leaf);

  const AnalysisOptions& options_;
  /// By the bytes of their fingerprints.
  llvm::StringMap<InstructionClass, llvm::BumpPtrAllocator> classes_;
  /// A buffer.
  InstructionFingerprint fingerprint_;
  /// By instruction; most outputs are one array.
  llvm::DenseMap<const hlo::Computation*, std::unique_ptr<Slot[]>> first_arrays_;
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>, Slot> other_arrays_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INSTRUCTION_CLASSES_H_
