// Cholesky decompositions and triangular systems: the threads of a block work on one matrix, or on
// some right-hand sides of one system, row after row. What they access depends on no value, but has
// no closed form: the rows that a row depends on grow.
#include <algorithm>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

KernelPlan PlanOurMatrices(const EmitterInput& input) {
  constexpr int64_t kWarpSize = 32;
  constexpr int64_t kMostThreads = 256;
  const FusionRoot& root = input.fused.roots().front();
  const Instruction& instruction = *root.instruction;
  const Shape& shape = instruction.shape();
  const bool is_complex = hlo::ClassOf(shape.element_type()) == hlo::ElementClass::kComplex;
  // They are kept in f64.
  const int64_t bytes_of_number = is_complex ? 16 : 8;
  const bool is_cholesky = instruction.opcode() == Opcode::kCholesky;
  const llvm::ArrayRef<int64_t> sizes = shape.sizes();
  const size_t rank = sizes.size();
  const int64_t size = instruction.operand(0).shape().sizes().back();
  const bool is_left =
      !is_cholesky && instruction.Get<bool>(AttributeName::kLeftSide).value_or(false);
  // Rows of a column, or right-hand sides.
  const int64_t parallel = is_cholesky ? size : sizes[is_left ? rank - 1 : rank - 2];
  const int64_t matrices = shape.num_elements() / (sizes[rank - 1] * sizes[rank - 2]);
  KernelPlan plan;
  plan.emitter = Emitter::kMatrices;
  plan.variant = is_cholesky ? "cholesky" : "triangular solve";
  plan.launch.threads[0] =
      std::min(kMostThreads, support::CeilDiv(parallel, kWarpSize) * kWarpSize);
  const int64_t blocks_of_matrix =
      is_cholesky ? 1 : support::CeilDiv(parallel, plan.launch.threads[0]);
  plan.launch.blocks[1] = blocks_of_matrix;
  plan.launch.blocks[0] = matrices;
  for (const Instruction* operand : instruction.operands()) {
    plan.passes.push_back(LoadPass(*operand, IndexingMap(), 1));
    plan.heroes.push_back(
        {root.first_output, &instruction, static_cast<int64_t>(plan.heroes.size()), IndexingMap()});
  }
  plan.passes.push_back(StorePass(instruction, 0, root.first_output, IndexingMap(), 1));
  // Results before they are rounded, which later ones are made of: of a matrix, or of the block's
  // right-hand sides.
  const int64_t numbers = is_cholesky ? size * size : size * plan.launch.threads[0];
  constexpr int64_t kMostSharedBytes = int64_t{48} * 1024;
  if (numbers * bytes_of_number <= kMostSharedBytes) {
    SharedTile& tile = plan.shared_tiles.emplace_back();
    tile.hero = &instruction;
    tile.element_bits = 8 * bytes_of_number;
    tile.sizes = {numbers};
    tile.strides = {1};
  } else {
    plan.scratch_bytes = numbers * bytes_of_number * plan.launch.blocks[0] * plan.launch.blocks[1];
  }
  return plan;
}

}  // namespace hlo_indexing::plan
