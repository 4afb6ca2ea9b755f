// A reduction whose code is being made. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_REDUCTION_HERO_H_
#define HLO_INDEXING_CODEGEN_EMIT_REDUCTION_HERO_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/number.h"
#include "codegen/emit/shared_array.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/attribute.h"
#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::emit {

// A reduction of one or several arrays, while its code is made.
struct Hero {
  const hlo::Instruction* reduce = nullptr;
  std::vector<const plan::ElementPass*> loads;    // of each array
  std::vector<const plan::ElementPass*> initial;  // of each array
  std::vector<std::unique_ptr<SharedArray>> shared;
  // Through which warps or groups exchange their results, of each array; none if shuffles do.
  std::vector<const plan::SharedTile*> tiles;
  std::vector<const plan::ElementPass*> results;
  // The arrays in scratch memory, if several blocks have the same results.
  std::vector<const plan::SharedTile*> partials;
  std::vector<std::unique_ptr<SharedArray>> scratch;
  // The initial values; what changes no result, if that is known; what threads begin with.
  std::vector<Lanes> initial_values;
  std::optional<Number> identity;
  std::vector<Lanes> start;
  // What the thread has: for each array one value, or one for each lane of the results' vectors.
  std::vector<Lanes> values;

  size_t num_arrays() const { return loads.size(); }
  // Of each array, which has lanes or not.
  bool keeps_lanes() const { return results.front()->vector_elements > 1; }
  size_t lanes() const {
    return keeps_lanes() ? static_cast<size_t>(loads.front()->vector_elements) : 1;
  }
  const hlo::Computation& reducer() const { return *reduce->Callee(hlo::AttributeName::kToApply); }
  hlo::ElementType type(size_t array) const {
    return reduce->operand(array).shape().element_type();
  }
};

// Reductions and side outputs whose elements a thread reads in one loop.
struct SharedLoop {
  llvm::SmallVector<Hero*, 2> heroes;
  llvm::SmallVector<const plan::ElementPass*, 2> side_outputs;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_REDUCTION_HERO_H_
