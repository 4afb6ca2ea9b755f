// What all emitters share, XLA's and ours: which kind of kernel a fusion becomes, and the passes
// over its elements. Private to the folder.
//
// Emitters are functions that plan a kernel of one kind each; xla_emitters.h and our_emitters.h
// have a set of them.
#ifndef HLO_INDEXING_CODEGEN_PLAN_EMITTERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_EMITTERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

/// What every emitter looks at.
struct EmitterInput {
  const FusedComputation& fused;
  /// The hero of each root.
  std::vector<const hlo::Instruction*> heroes;
  PlanContext& plans;
  /// XLA's loops and concatenates: how many elements a thread computes at a time, if not as many as
  /// XLA has it compute. Our emitters, but for transposes and scatters: how many at most.
  std::optional<int64_t> vector_elements;
};

// Whether the emitter takes the fusion with these heroes.
bool IsReductionFusion(const EmitterInput& input);
bool IsTransposeFusion(const EmitterInput& input);
// Of at most so many operands: each has threads of its own.
inline constexpr size_t kXlaConcatenates = 4;
bool IsConcatenateFusion(const EmitterInput& input, size_t most_operands = kXlaConcatenates);
// Instructions whose threads work together on lines or matrices: sorts, scans, normalizations,
// decompositions.
bool IsByItself(const hlo::Instruction& instruction);

/// What plans for each kind of kernel, without `instruction` and `roots`.
struct Emitters {
  /// OK for an instruction that they make a kernel of, by itself; else kUnimplemented.
  absl::Status (*has_kernel)(const hlo::Instruction&);
  KernelPlan (*loop)(const EmitterInput&);
  KernelPlan (*transpose)(const EmitterInput&);
  KernelPlan (*reduction)(const EmitterInput&);
  KernelPlan (*concatenate)(const EmitterInput&);
  KernelPlan (*dynamic_update_slice)(const EmitterInput&);
  KernelPlan (*scatter)(const EmitterInput&);
  /// Of what is made neither element by element nor as a part of other kernels (IsByItself).
  KernelPlan (*by_itself)(const EmitterInput&);
  /// Of elements that are made of the rows that they are in, or of several reductions of one;
  /// nullopt if there are none, or if they are made by loops. Null: by loops.
  std::optional<KernelPlan> (*rows)(const EmitterInput&) = nullptr;
  /// Of a dot, with what becomes of its elements; nullopt if it is made in loops. Null: in loops.
  std::optional<KernelPlan> (*products)(const EmitterInput&) = nullptr;
  /// How many operands `concatenate` takes; others are made by loops.
  size_t most_concatenated = kXlaConcatenates;
};
/// The plan by the kind that XLA chooses for the heroes; updates in place become the heroes of
/// their roots.
KernelPlan PlanByEmitter(EmitterInput& input, const Emitters& emitters);

/// The plans of PlanLikeXla, by these emitters; `vector_elements` as in EmitterInput.
absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const hlo::Instruction& instruction,
                                    PlanContext& plans,
                                    std::optional<int64_t> vector_elements = std::nullopt);
absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const hlo::Computation& computation,
                                    PlanContext& plans,
                                    std::optional<int64_t> vector_elements = std::nullopt);

/// What the plan of these instructions has as roots.
std::vector<PlannedRoot> PlannedRoots(const FusedComputation& fused);

/// Whether computing several elements in one thread would need too many registers.
bool PreventsVectors(const hlo::Instruction& instruction);

/// What elements of an instruction, given by a map from threads, read of one of its operands;
/// unknown unless that is one map.
IndexingMap ReadOfOperand(const EmitterInput& input, const IndexingMap& elements,
                          const hlo::Instruction& instruction, int64_t leaf, size_t operand);

/// What passes read of operands. What several outputs of an instruction read alike, as those of a
/// reduction of many arrays, is there once.
class HeroReads {
 public:
  explicit HeroReads(const EmitterInput& input) : input_(input) {}

  /// Of each operand of the pass's instruction; the pass has an output.
  void Add(const ElementPass& pass);
  std::vector<HeroRead> Take() && { return std::move(reads_); }

 private:
  const EmitterInput& input_;
  std::vector<HeroRead> reads_;
  // By instruction and operand.
  llvm::DenseMap<std::pair<const hlo::Instruction*, size_t>, llvm::SmallVector<size_t, 1>> places_;
};

/// Where elements of an operand, given by a map from threads, go in the output of an instruction;
/// unknown unless that is one map.
IndexingMap PlaceOfOperand(const EmitterInput& input, const IndexingMap& elements,
                           const hlo::Instruction& instruction, int64_t leaf, size_t operand);

/// A pass that computes elements of an instruction and keeps them.
ElementPass LoadPass(const hlo::Instruction& instruction, const IndexingMap& map,
                     int64_t vector_elements);
/// A pass that stores elements that the thread has.
ElementPass StorePass(const hlo::Instruction& instruction, int64_t leaf, int64_t output,
                      const IndexingMap& map, int64_t vector_elements);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_EMITTERS_H_
