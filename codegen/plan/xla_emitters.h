// How each of XLA's emitters launches a kernel and which elements its threads compute. Private to
// the folder; xla_plan.cc chooses between them.
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/plan/xla_heroes.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"

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
bool IsConcatenateFusion(const EmitterInput& input);

/// What plans for each kind of kernel, without `instruction` and `roots`.
struct Emitters {
  KernelPlan (*loop)(const EmitterInput&);
  KernelPlan (*transpose)(const EmitterInput&);
  KernelPlan (*reduction)(const EmitterInput&);
  KernelPlan (*concatenate)(const EmitterInput&);
  KernelPlan (*dynamic_update_slice)(const EmitterInput&);
  KernelPlan (*scatter)(const EmitterInput&);
};
const Emitters& XlaEmitters();

/// The plan by the kind that XLA chooses for the heroes; updates in place become the heroes of
/// their roots.
KernelPlan PlanByEmitter(EmitterInput& input, const Emitters& emitters = XlaEmitters());

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

/// The launch of a loop over an array, each thread computing so many elements.
Launch LoopLaunch(const hlo::Shape& shape, int64_t elements_per_thread);

/// How many elements each thread computes of a loop over `shape`.
int64_t UnrollFactor(const EmitterInput& input, const hlo::Shape& shape);

/// The elements of `shape` that the threads of a loop go over, in the order of memory.
IndexingMap LoopMap(const Launch& launch, const hlo::Shape& shape, int64_t elements_per_thread,
                    PlanContext& plans);

/// What elements of an instruction, given by a map from threads, read of one of its operands;
/// unknown unless that is one map.
IndexingMap ReadOfOperand(const EmitterInput& input, const IndexingMap& elements,
                          const hlo::Instruction& instruction, int64_t leaf, size_t operand);

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

/// The transpose of the heroes, in the fewest dimensions, and the most bits of their elements.
struct TransposeHeroes {
  NormalizedTranspose transpose;
  int64_t element_bits = 0;
};
TransposeHeroes HeroesOfTranspose(const EmitterInput& input);

/// How the threads go over a transpose, in its normalized dimensions.
struct TransposeMaps {
  IndexingMap input;
  IndexingMap output;
  int64_t vector = 1;
  /// But for its hero and the bits of its elements.
  SharedTile tile;
  /// Whether other outputs are stored where the output is written, not where the input is read.
  bool side_outputs_with_output = false;
};
KernelPlan AssembleTranspose(const EmitterInput& input, const NormalizedTranspose& transpose,
                             const Launch& launch, const TransposeMaps& maps, const char* variant);

/// How a reduction is launched, and what its threads read and write.
class ReductionMaps {
 public:
  virtual ~ReductionMaps() = default;

  virtual const char* variant() const = 0;
  virtual int64_t threads() const = 0;
  virtual int64_t blocks() const = 0;
  /// Elements that a thread reads at a time, and writes.
  virtual int64_t vector() const = 0;
  virtual int64_t vector_of_results() const { return 1; }
  /// The elements of the three dimensions (ReductionDimensions) that a thread of a group, a value
  /// of bl_z, reads.
  virtual IndexingMap Input(const Launch& launch, int64_t group) const = 0;
  /// The results that a thread of a group has in the end, by the dimensions that are kept.
  virtual IndexingMap Output(const Launch& launch, int64_t group) const = 0;
  /// What warps exchange for one array of a group, but for its hero and its bits; nullopt if
  /// shuffles do.
  virtual std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const = 0;
};
/// The dimensions of the reductions among the heroes, which are the same for all.
ReductionDimensions DimensionsOfReduction(const EmitterInput& input);
KernelPlan AssembleReduction(const EmitterInput& input, const ReductionDimensions& dimensions,
                             const ReductionMaps& maps);

// The plans without `instruction` and `roots`.
KernelPlan PlanLoop(const EmitterInput& input);
KernelPlan PlanConcatenate(const EmitterInput& input);
KernelPlan PlanDynamicUpdateSlice(const EmitterInput& input);
KernelPlan PlanScatter(const EmitterInput& input);
KernelPlan PlanReduction(const EmitterInput& input);
KernelPlan PlanTranspose(const EmitterInput& input);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_EMITTERS_H_
