// The code of a kernel, from its plan. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_KERNEL_EMITTER_H_
#define HLO_INDEXING_CODEGEN_EMIT_KERNEL_EMITTER_H_

#include <optional>

#include "absl/status/status.h"
#include "codegen/emit/element_emitter.h"
#include "codegen/emit/index_code.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::emit {

/// What the emitters of all kinds share: a thread that goes over the elements of the passes.
class KernelEmitter {
 public:
  KernelEmitter(KernelBuilder& builder, plan::PlanContext& plans, const plan::KernelPlan& plan);

  const plan::KernelPlan& plan() const { return plan_; }
  plan::PlanContext& plans() { return plans_; }
  KernelBuilder& builder() { return builder_; }
  ElementEmitter& elements() { return elements_; }
  /// The kernel's scratch memory; null if it has none.
  mlir::Value scratch() const { return buffers_.scratch(); }
  /// The kernel's counters; null if it has none.
  mlir::Value counters() const { return buffers_.counters(); }

  /// Where a tile of the plan begins in shared memory. What is asked for first in a branch is that
  /// branch's own.
  mlir::Value SharedBase(const plan::SharedTile& tile);

  /// From now on the maps' variables are the thread and these loops, without lanes.
  void SetLoops(Values ranges);

  /// Calls `body` in the loops of a map from threads to elements, where the thread has elements:
  /// once for the vector, or for each lane by itself, with the map for what it is called for.
  using Body = llvm::function_ref<void(const IndexingMap&)>;
  void ForElements(const IndexingMap& map, int64_t vector_elements, Body body);
  /// The same with the turns of the first range written out, each where its conditions hold.
  void ForElementsInTurns(const IndexingMap& map, int64_t vector_elements, Body body);
  /// Another map with the domain of that whose loops these are, where `body` is called for `at`.
  IndexingMap InLoopAt(const IndexingMap& at, const IndexingMap& map);

  /// The same with values that the loops carry. Where the thread has no element they stay; of a
  /// vector, all lanes are elements or none (else the kernel fails).
  using CarryingBody = llvm::function_ref<Values(mlir::ValueRange carried)>;
  Values ForElements(const IndexingMap& map, int64_t vector_elements, const Values& carried,
                     CarryingBody body);

  /// Sets the variables of a map without loops, and has arrays read only where the thread has
  /// elements: the condition of that, null if it always has. Of a vector, all lanes are elements or
  /// none (else the kernel fails).
  mlir::Value EnterElements(const IndexingMap& map, int64_t vector_elements);

  /// Computes and stores the elements of passes that have the same map; then makes the code of
  /// `behind`, which is only for threads that have these elements, and for which what they have
  /// loaded is there. Where the pass HasLanesApart, there may be no such code.
  void StorePasses(llvm::ArrayRef<const plan::ElementPass*> passes,
                   llvm::function_ref<void()> behind = nullptr);
  /// Whether some lanes of a vector have an element where others have none.
  bool HasLanesApart(const plan::ElementPass& pass) const;

  /// The elements of an array where the map says that there are any, else zeros, as many as there
  /// are lanes. The variables are those of the map; the first range is a loop with these bounds.
  Lanes ComputeOrZero(const hlo::Instruction& instruction, int64_t leaf, const IndexingMap& map,
                      Interval loop);
  /// Whether the thread has an element, in the first lane, beyond what the launch and the loops
  /// say; null if it always has.
  mlir::Value EmitIsElement(const IndexingMap& map);

  /// Calls `body` where bl_z is as the map says, which all threads of a block agree on.
  void InBlocksOf(const IndexingMap& map, llvm::function_ref<void()> body);

  void Fail(const std::string& reason);

 private:
  // The map as the launch and the loops alone bound it: the loops of all ranges, or, of the first
  // one, a loop with bounds of its own.
  IndexingMap AsLaunched(const IndexingMap& map, int64_t vector_elements,
                         std::optional<Interval> loop = std::nullopt) const;
  // Under which a thread has an element in all lanes, beyond what the launch and the loops say;
  // nullopt if that differs from lane to lane.
  std::optional<Conditions> ConditionsOfVector(const IndexingMap& map, int64_t vector_elements,
                                               std::optional<Interval> loop = std::nullopt) const;
  // The turns of the outermost loop of a map in which all conditions that depend on loops hold, if
  // it has such and all but the last turn are.
  std::optional<Interval> WholeTurns(const IndexingMap& map, int64_t vector_elements) const;
  bool HasPackedOutput(llvm::ArrayRef<const plan::ElementPass*> passes) const;
  void StorePacked(llvm::ArrayRef<const plan::ElementPass*> passes);
  // What a lane has: a number, or zero where it has no element.
  struct MaybeElement {
    Number number;
    bool is_possible = true;
    // Null: always.
    mlir::Value exists;
  };
  // The elements of a vector, each by itself.
  std::vector<MaybeElement> ComputeEach(const plan::ElementPass& pass);
  // Stores neighbouring lanes, from one on, where any of them is an element.
  void StoreIfAny(const plan::ElementPass& pass, llvm::ArrayRef<MaybeElement> computed,
                  int64_t first);

  KernelBuilder& builder_;
  plan::PlanContext& plans_;
  const plan::KernelPlan& plan_;
  const plan::KernelPlan::SharedPlaces shared_places_ = plan_.shared_places();
  // Null where no tile has been asked for.
  Values shared_bases_ = Values(shared_places_.bytes.size());
  KernelBuffers buffers_;
  ElementEmitter elements_;
};

// Each makes the kernel of a plan of its kind.
void EmitLoop(KernelEmitter& kernel);
void EmitInPlaceUpdate(KernelEmitter& kernel);
void EmitReduction(KernelEmitter& kernel);
void EmitRows(KernelEmitter& kernel);
void EmitTranspose(KernelEmitter& kernel);
void EmitScatter(KernelEmitter& kernel);
void EmitSort(KernelEmitter& kernel);
void EmitScan(KernelEmitter& kernel);
void EmitNormalization(KernelEmitter& kernel);
void EmitMatrices(KernelEmitter& kernel);
void EmitProducts(KernelEmitter& kernel);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_KERNEL_EMITTER_H_
