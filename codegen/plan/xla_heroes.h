// Which instruction's access pattern decides how XLA emits a fusion. Private to the folder.
//
// XLA looks back from each root through what does not change the order of elements, to a reduction,
// a transpose or a concatenate: the hero. Rules and limits are those of XLA's fusion analysis
// (`xla/service/gpu/hlo_fusion_analysis`, `ir_emission_utils`, `reduction_utils`).
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_HEROES_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_HEROES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan/fused_computation.h"
#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

/// An element-wise instruction or a bitcast, with at most so many operands, that leaves elements in
/// the order of memory: one may look through it.
bool IsIntermediate(const hlo::Instruction& instruction, size_t max_operands);

/// The hero of a root, or the root itself.
const hlo::Instruction& FindHero(const FusedComputation& fused, const hlo::Instruction& root);

/// The transposes, concatenates and reductions that an emitter could take as the hero of a root,
/// the nearest first: where there are several, or a reduction has an epilogue of several operands,
/// XLA takes none of them.
std::vector<const hlo::Instruction*> PossibleHeroes(const FusedComputation& fused,
                                                    const hlo::Instruction& root);

/// The input of a reduction as three dimensions in the order of its memory.
struct ReductionDimensions {
  /// Row: {reduced, kept, reduced}; column: {kept, reduced, kept}.
  bool is_row = false;
  std::array<int64_t, 3> sizes = {1, 1, 1};

  friend bool operator==(const ReductionDimensions&, const ReductionDimensions&) = default;
};
/// Example: f32[10,20,30] over dimension 1 -> column {10, 20, 30}; over 2 -> row {1, 200, 30}
ReductionDimensions DimensionsOf(const hlo::Instruction& reduce);

/// Whether the arrays of a reduction have their elements in the same order in memory, so that
/// threads read them at the same places.
bool ReducesOneOrder(const hlo::Instruction& reduce);

/// Whether XLA's emitter of reductions takes the hero of a root.
bool IsReductionHero(const hlo::Instruction& root, const hlo::Instruction& hero);

/// A transpose in the fewest dimensions: without those of size 1, adjacent ones that stay together
/// merged. In the order of memory.
struct NormalizedTranspose {
  llvm::SmallVector<int64_t, 4> input;
  /// Dimension i of the output is dimension permutation[i] of the input.
  llvm::SmallVector<int64_t, 4> permutation;

  llvm::SmallVector<int64_t, 4> Output() const;
  bool KeepsMinorDimension() const {
    return permutation.back() == static_cast<int64_t>(permutation.size()) - 1;
  }
  friend bool operator==(const NormalizedTranspose&, const NormalizedTranspose&) = default;
};
/// Of a transpose, or of a copy to another layout.
std::optional<NormalizedTranspose> Normalize(const hlo::Instruction& transpose);

/// The tile of a packed transpose, [T2, A, T1] to [T1, A, T2], of elements below 32 bits: several
/// of them are one word of shared memory.
struct PackedTile {
  int64_t vector = 1;
  /// Dimensions of the input: T1 is the last one, T2 becomes the last one of the output, A is the
  /// one before T1 if that is another.
  int64_t dimension_t2 = 0;
  std::optional<int64_t> dimension_a;
  int64_t t1 = 1;
  int64_t t2 = 1;
  int64_t a = 1;
};
/// nullopt if the emitter cannot pack, or the tile would be mostly empty.
std::optional<PackedTile> PackedTileOf(const NormalizedTranspose& transpose, int64_t element_bits);

/// A transpose, if XLA's emitter of transposes takes it.
std::optional<NormalizedTranspose> TiledTransposeOf(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_HEROES_H_
