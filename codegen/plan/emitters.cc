#include "codegen/plan/emitters.h"

#include <algorithm>

#include "codegen/plan/thread_map.h"
#include "codegen/plan/top_k.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/attribute.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The dynamic-update-slice of a root, through bitcasts and conversions.
const Instruction* UpdateOf(const FusedComputation& fused, const Instruction& root) {
  const Instruction* instruction = &root;
  const auto is_passed = [&](Opcode opcode) {
    return opcode == Opcode::kBitcast || opcode == Opcode::kConvert || opcode == Opcode::kCopy;
  };
  while (is_passed(instruction->opcode()) && fused.Contains(instruction->operand(0))) {
    instruction = &instruction->operand(0);
  }
  return instruction->opcode() == Opcode::kDynamicUpdateSlice ? instruction : nullptr;
}

// Updates of parameters that nothing else reads: the buffers of the outputs are theirs.
std::optional<std::vector<const Instruction*>> UpdatesInPlace(const FusedComputation& fused) {
  std::vector<const Instruction*> updates;
  for (const FusionRoot& root : fused.roots()) {
    const Instruction* update = UpdateOf(fused, *root.instruction);
    if (update == nullptr || update != root.instruction) return std::nullopt;
    const Instruction* updated = &update->operand(0);
    if (!HaveSamePlaces(updated->shape(), update->shape())) return std::nullopt;
    while (updated->opcode() == Opcode::kBitcast && fused.Contains(*updated)) {
      updated = &updated->operand(0);
    }
    if (!llvm::is_contained(fused.inputs(), updated)) return std::nullopt;
    const int64_t readers = llvm::count_if(fused.instructions(), [&](const Instruction* user) {
      return llvm::is_contained(user->operands(), updated);
    });
    if (readers != 1) return std::nullopt;
    updates.push_back(update);
  }
  return updates;
}

}  // namespace

// Roots with reductions of the same dimensions, or as many elements as are reduced.
bool IsReductionFusion(const EmitterInput& input) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  const Instruction* first = nullptr;
  for (size_t i = 0; i < roots.size() && first == nullptr; ++i) {
    if (IsReductionHero(*roots[i].instruction, *input.heroes[i])) first = input.heroes[i];
  }
  if (first == nullptr) return false;
  const ReductionDimensions dimensions = DimensionsOf(*first);
  for (size_t i = 0; i < roots.size(); ++i) {
    const Instruction& root = *roots[i].instruction;
    if (IsReductionHero(root, *input.heroes[i])) {
      if (!(DimensionsOf(*input.heroes[i]) == dimensions)) return false;
    } else if (!root.shape().IsArray() ||
               root.shape().num_elements() != first->operand(0).shape().num_elements()) {
      return false;
    }
  }
  return true;
}

// Whether a root is made of what another one reduces, as a softmax that also returns its sums: by
// itself it would reduce again for each element.
bool GoesOnWithResults(const EmitterInput& input) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!IsReductionHero(*roots[i].instruction, *input.heroes[i])) continue;
    for (size_t j = 0; j < roots.size(); ++j) {
      if (j != i && input.fused.Reaches(*input.heroes[i], *roots[j].instruction)) return true;
    }
  }
  return false;
}

// At least one root with a transpose, all transposes alike, and other roots with as many elements.
bool IsTransposeFusion(const EmitterInput& input) {
  std::optional<NormalizedTranspose> first;
  int64_t elements = 0;
  for (const Instruction* hero : input.heroes) {
    const std::optional<NormalizedTranspose> transpose = TiledTransposeOf(*hero);
    if (!transpose.has_value()) continue;
    if (first.has_value() && !(*first == *transpose)) return false;
    first = transpose;
    elements = hero->shape().num_elements();
  }
  return first.has_value() && llvm::all_of(input.fused.roots(), [&](const FusionRoot& root) {
           return root.instruction->shape().IsArray() &&
                  root.instruction->shape().num_elements() == elements;
         });
}

// Whether elements are made of reductions of many beside or before a transpose, of which each
// thread would reduce anew for each of its elements.
bool ReducesManyForTranspose(const EmitterInput& input) {
  constexpr int64_t kMany = 32;
  return llvm::any_of(input.fused.instructions(), [](const Instruction* instruction) {
    if (instruction->opcode() != hlo::Opcode::kReduce) return false;
    const int64_t results = instruction->shape().ArrayLeaf(0).num_elements();
    return results > 0 && instruction->operand(0).shape().num_elements() / results >= kMany;
  });
}

// Whether all that is stored is made of the results that a thread has.
bool StoresOwnResults(const KernelPlan& plan) {
  return llvm::all_of(plan.passes, [](const ElementPass& pass) {
    return pass.store == StoreKind::kNone || !pass.available.empty();
  });
}

bool IsConcatenateFusion(const EmitterInput& input, size_t most_operands) {
  return input.heroes.size() == 1 && input.heroes.front()->opcode() == Opcode::kConcatenate &&
         input.heroes.front()->operands().size() <= most_operands;
}

bool IsByItself(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kSort:
    case Opcode::kScan:
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormGrad:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      return true;
    default:
      return TopKOf(instruction).has_value();
  }
}

// nullopt if there is no such emitter, or it does not fit.
std::optional<KernelPlan> RowsOf(const EmitterInput& input, const Emitters& emitters) {
  return emitters.rows == nullptr ? std::nullopt : emitters.rows(input);
}

KernelPlan PlanByEmitter(EmitterInput& input, const Emitters& emitters) {
  const FusedComputation& fused = input.fused;
  if (emitters.products != nullptr) {
    if (std::optional<KernelPlan> products = emitters.products(input)) return *std::move(products);
  }
  if (IsReductionFusion(input)) {
    if (GoesOnWithResults(input)) {
      if (std::optional<KernelPlan> rows = RowsOf(input, emitters)) return *std::move(rows);
    }
    return emitters.reduction(input);
  }
  if (IsTransposeFusion(input)) {
    if (ReducesManyForTranspose(input)) {
      std::optional<KernelPlan> rows = RowsOf(input, emitters);
      if (rows.has_value() && StoresOwnResults(*rows)) return *std::move(rows);
    }
    return emitters.transpose(input);
  }
  if (fused.roots().size() == 1) {
    const Instruction& root = *fused.roots().front().instruction;
    if (root.opcode() == Opcode::kScatter) return emitters.scatter(input);
    if (IsByItself(root)) return emitters.by_itself(input);
    if (IsConcatenateFusion(input, emitters.most_concatenated)) return emitters.concatenate(input);
  }
  if (const auto updates = UpdatesInPlace(fused)) {
    input.heroes = *updates;
    return emitters.dynamic_update_slice(input);
  }
  if (std::optional<KernelPlan> rows = RowsOf(input, emitters)) return *std::move(rows);
  return emitters.loop(input);
}

std::vector<PlannedRoot> PlannedRoots(const FusedComputation& fused) {
  std::vector<PlannedRoot> roots;
  for (const FusionRoot& root : fused.all_roots()) {
    roots.push_back(
        {root.instruction, root.first_output, root.instruction->shape().num_array_leaves()});
  }
  return roots;
}

namespace {

absl::StatusOr<KernelPlan> Plan(const FusedComputation& fused, const Instruction& instruction,
                                const Emitters& emitters, std::optional<int64_t> vector_elements,
                                PlanContext& plans) {
  if (absl::Status status = fused.CheckShapes(); !status.ok()) return status;
  EmitterInput input{fused, {}, plans, vector_elements};
  for (const FusionRoot& root : fused.roots()) {
    input.heroes.push_back(&FindHero(fused, *root.instruction));
  }
  KernelPlan plan = PlanByEmitter(input, emitters);
  plan.instruction = &instruction;
  plan.roots = PlannedRoots(fused);
  return plan;
}

}  // namespace

absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const Instruction& instruction,
                                    PlanContext& plans, std::optional<int64_t> vector_elements) {
  if (absl::Status status = emitters.has_kernel(instruction); !status.ok()) return status;
  return Plan(FusedComputation(instruction), instruction, emitters, vector_elements, plans);
}

absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const hlo::Computation& computation,
                                    PlanContext& plans, std::optional<int64_t> vector_elements) {
  absl::StatusOr<KernelPlan> plan =
      Plan(FusedComputation(computation), computation.root(), emitters, vector_elements, plans);
  if (plan.ok()) plan->is_computation = true;
  return plan;
}

bool PreventsVectors(const Instruction& instruction) {
  constexpr size_t kMaxConcatenated = 10;
  constexpr int64_t kMaxWindow = 8;
  switch (instruction.opcode()) {
    case Opcode::kSort:
    case Opcode::kDot:
      return true;
    case Opcode::kConcatenate:
      return instruction.operands().size() > kMaxConcatenated;
    case Opcode::kReduce:
      return instruction.shape().IsTuple();
    case Opcode::kReduceWindow: {
      int64_t elements = 1;
      using Window = llvm::ArrayRef<hlo::WindowDimension>;
      for (const hlo::WindowDimension& dimension :
           instruction.Get<Window>(AttributeName::kWindow).value_or(Window())) {
        elements *= dimension.size;
      }
      return elements > kMaxWindow;
    }
    default:
      return false;
  }
}

IndexingMap ReadOfOperand(const EmitterInput& input, const IndexingMap& elements,
                          const Instruction& instruction, int64_t leaf, size_t operand) {
  if (elements.IsUnknown()) return {};
  const indexing_analysis::OutputIndexing reads =
      input.plans.analysis.OutputToInput(instruction, leaf);
  const indexing_analysis::OperandMap* only = nullptr;
  for (const indexing_analysis::OperandIndexing& read : reads.operands()) {
    if (read.operand() != operand) continue;
    if (only != nullptr || read.maps().size() != 1) return {};
    only = &*read.maps().begin();
  }
  return only == nullptr ? IndexingMap() : input.plans.maps.Compose(elements, only->map);
}

void HeroReads::Add(const ElementPass& pass) {
  const indexing_analysis::OutputIndexing reads =
      input_.plans.analysis.OutputToInput(*pass.instruction, pass.leaf);
  const size_t count = pass.instruction->operands().size();
  std::vector<const indexing_analysis::OperandMap*> only(count);
  std::vector<bool> has_several(count);
  for (const indexing_analysis::OperandIndexing& read : reads.operands()) {
    const size_t i = read.operand();
    if (only[i] != nullptr || read.maps().size() != 1) has_several[i] = true;
    if (!has_several[i]) only[i] = &*read.maps().begin();
  }
  for (size_t i = 0; i < count; ++i) {
    const bool is_known = only[i] != nullptr && !has_several[i] && !pass.map.IsUnknown();
    IndexingMap map = is_known ? input_.plans.maps.Compose(pass.map, only[i]->map) : IndexingMap();
    llvm::SmallVector<size_t, 1>& alike = places_[{pass.instruction, i}];
    if (llvm::any_of(alike, [&](size_t place) { return reads_[place].map == map; })) continue;
    alike.push_back(reads_.size());
    reads_.push_back({*pass.output, pass.instruction, static_cast<int64_t>(i), std::move(map)});
  }
}

IndexingMap PlaceOfOperand(const EmitterInput& input, const IndexingMap& elements,
                           const Instruction& instruction, int64_t leaf, size_t operand) {
  if (elements.IsKnownEmpty()) {
    const auto rank = static_cast<size_t>(instruction.shape().ArrayLeaf(leaf).rank());
    const Expressions index(rank, mlir::getAffineConstantExpr(0, input.plans.mlir_context));
    const mlir::AffineMap map = elements.affine_map();
    return elements.WithResults(mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), index,
                                                     input.plans.mlir_context));
  }
  const indexing_analysis::OutputIndexing places =
      input.plans.analysis.InputToOutput(instruction, leaf);
  for (const indexing_analysis::OperandIndexing& place : places.operands()) {
    if (place.operand() == operand && place.maps().size() == 1) {
      return input.plans.maps.Compose(elements, place.maps().begin()->map);
    }
  }
  return {};
}

ElementPass LoadPass(const Instruction& instruction, const IndexingMap& map,
                     int64_t vector_elements) {
  ElementPass pass;
  pass.instruction = &instruction;
  pass.map = map;
  pass.vector_elements = vector_elements;
  return pass;
}

ElementPass StorePass(const Instruction& instruction, int64_t leaf, int64_t output,
                      const IndexingMap& map, int64_t vector_elements) {
  ElementPass pass = LoadPass(instruction, map, vector_elements);
  pass.leaf = leaf;
  pass.available = {&instruction};
  pass.store = StoreKind::kStore;
  pass.output = output;
  return pass;
}

}  // namespace hlo_indexing::plan
