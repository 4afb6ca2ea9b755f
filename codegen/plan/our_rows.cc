// Rows that are reduced, perhaps several times, and then made of the results, as normalizations
// and softmax: each thread of a row gets its results, and keeps what it has of the row if that fits
// into its registers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/reduction_plan.h"
#include "codegen/plan/row_maps.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The reductions of a fusion that have the same rows.
struct RowReductions {
  // Operands before users.
  std::vector<const Instruction*> heroes;
  // The first of those whose rows lie in memory one after the other. Of others, either the rows of
  // memory are the same, or the rows by index, however they lie.
  const Instruction* reference = nullptr;

  bool SharesIndices(const Instruction& hero) const {
    const auto dimensions = [](const Instruction& reduce) {
      return llvm::SmallDenseSet<int64_t>(llvm::from_range,
                                          reduce.Integers(hlo::AttributeName::kDimensions));
    };
    return hero.operand(0).shape().sizes() == reference->operand(0).shape().sizes() &&
           dimensions(hero) == dimensions(*reference);
  }
};

// Whether a root is made of results of reductions of these dimensions in their order: an element of
// each row.
bool IsOfResults(const EmitterInput& input, const Instruction& root,
                 const ReductionDimensions& dimensions) {
  constexpr size_t kMostOperands = 3;
  llvm::DenseSet<const Instruction*> seen = {&root};
  std::vector<const Instruction*> pending = {&root};
  while (!pending.empty()) {
    const Instruction& instruction = *pending.back();
    pending.pop_back();
    if (instruction.opcode() == Opcode::kReduce && DimensionsOf(instruction) == dimensions) {
      return true;
    }
    const bool keeps_order = instruction.opcode() == Opcode::kGetTupleElement ||
                             IsIntermediate(instruction, kMostOperands);
    if (!keeps_order) continue;
    for (const Instruction* operand : instruction.operands()) {
      if (input.fused.Contains(*operand) && seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return false;
}

// Whether a root has as many elements as are reduced, and not one of each row.
bool IsOfElements(const Instruction& root, const ReductionDimensions& dimensions) {
  return root.shape().num_elements() == dimensions.sizes[1] * dimensions.sizes[2];
}

// Whether a reduction is one of rows in memory that the roots can be made of.
bool AreRowsOfRoots(const EmitterInput& input, const Instruction& reduce) {
  // Shorter ones are read again by each element.
  constexpr int64_t kShortestRow = 16;
  const ReductionDimensions dimensions = DimensionsOf(reduce);
  const auto [major, rows, length] = dimensions.sizes;
  if (!dimensions.is_row || major != 1 || length < kShortestRow) return false;
  return llvm::all_of(input.fused.roots(), [&, rows = rows](const FusionRoot& root) {
    if (!root.instruction->shape().IsArray()) return false;
    if (IsOfElements(*root.instruction, dimensions)) return true;
    return root.instruction->shape().num_elements() == rows &&
           IsOfResults(input, *root.instruction, dimensions);
  });
}

// Reductions whose elements or results the roots are made of.
RowReductions FindRowReductions(const EmitterInput& input) {
  RowReductions rows;
  std::vector<const Instruction*> candidates;
  for (const Instruction* instruction : input.fused.instructions()) {
    if (instruction->opcode() != Opcode::kReduce) continue;
    const bool has_scalars =
        llvm::all_of(instruction->operands().take_back(instruction->operands().size() / 2),
                     [](const Instruction* initial) { return initial->shape().IsScalar(); });
    if (!has_scalars) continue;
    candidates.push_back(instruction);
    if (rows.reference == nullptr && ReducesOneOrder(*instruction) &&
        AreRowsOfRoots(input, *instruction)) {
      rows.reference = instruction;
    }
  }
  if (rows.reference == nullptr) return {};
  for (const Instruction* reduce : candidates) {
    const bool is_hero =
        rows.SharesIndices(*reduce) ||
        (ReducesOneOrder(*reduce) && DimensionsOf(*reduce) == DimensionsOf(*rows.reference));
    if (is_hero) rows.heroes.push_back(reduce);
  }
  return rows;
}

// Whether what is fused may run a loop that ends by what it computes: of zeros it may not end.
bool MayRunWhile(const EmitterInput& input) {
  llvm::SmallVector<const Instruction*, 16> pending(input.fused.instructions());
  llvm::DenseSet<const hlo::Computation*> seen;
  while (!pending.empty()) {
    const Instruction& instruction = *pending.back();
    pending.pop_back();
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kWhile || opcode == Opcode::kConditional) return true;
    for (const hlo::Computation* callee : instruction.Callees()) {
      if (seen.insert(callee).second) llvm::append_range(pending, callee->instructions());
    }
  }
  return false;
}

// How many registers the elements of one index need that a reduction computes and what follows it
// needs, too: an upper bound, as not all are needed to the end. nullopt if they cannot be kept.
std::optional<int64_t> KeptRegisters(const EmitterInput& input,
                                     llvm::ArrayRef<const Instruction*> heroes) {
  constexpr int64_t kRegisterBits = 32;
  if (MayRunWhile(input)) return std::nullopt;
  const int64_t elements = heroes.front()->operand(0).shape().num_elements();
  llvm::DenseSet<const Instruction*> computed;
  llvm::DenseSet<const Instruction*> kept;
  const auto compute = [&](llvm::ArrayRef<const Instruction*> results) {
    llvm::DenseSet<const Instruction*> now;
    std::vector<const Instruction*> pending(results);
    while (!pending.empty()) {
      const Instruction* needed = pending.back();
      pending.pop_back();
      if (computed.contains(needed)) kept.insert(needed);
      if (computed.contains(needed) || llvm::is_contained(heroes, needed)) continue;
      if (!now.insert(needed).second || !input.fused.Contains(*needed)) continue;
      llvm::append_range(pending, needed->operands());
    }
    for (const Instruction* instruction : now) {
      const hlo::Shape& shape = instruction->shape();
      if (shape.IsArray() && shape.num_elements() == elements) computed.insert(instruction);
    }
  };
  for (const Instruction* hero : heroes) {
    compute(hero->operands().take_front(hero->operands().size() / 2));
  }
  std::vector<const Instruction*> roots;
  for (const FusionRoot& root : input.fused.roots()) roots.push_back(root.instruction);
  compute(roots);
  int64_t registers = 0;
  for (const Instruction* instruction : kept) {
    registers += support::CeilDiv(ElementWidth(instruction->shape()), kRegisterBits);
  }
  return std::max<int64_t>(1, registers);
}

class RowsPlanner {
 public:
  RowsPlanner(const EmitterInput& input, const RowReductions& reductions)
      : input_(input),
        reductions_(reductions),
        sizes_(DimensionsOf(*reductions.reference).sizes),
        maps_(input, sizes_, KeptRegisters(input, reductions.heroes)) {
    for (const Instruction* instruction : input.fused.instructions()) {
      if (llvm::any_of(instruction->operands(),
                       [&](const Instruction* operand) { return NeedsResults(*operand); })) {
        dependents_.insert(instruction);
      }
    }
  }

  int64_t vector() const { return maps_.vector(); }

  // For each reduction: its arrays, initial values, and the results that the threads have then; in
  // the end the roots, those that have an element of each row, as a cross entropy, behind the
  // others.
  KernelPlan Plan() && {
    plan_.emitter = Emitter::kRows;
    plan_.variant = "rows";
    plan_.shuffled_lanes = maps_.shuffled_lanes();
    plan_.reduces_rows = true;
    plan_.keeps_rows = maps_.keeps_rows();
    plan_.launch.threads[0] = maps_.threads();
    plan_.launch.blocks[0] = maps_.blocks();
    read_ = maps_.Input(plan_.launch, 0);
    rows_ = maps_.Rows(plan_.launch);
    for (const Instruction* hero : reductions_.heroes) AddReduction(*hero);
    for (const bool is_of_elements : {true, false}) {
      for (const FusionRoot& root : input_.fused.roots()) {
        const bool is_now = IsOfElements(*root.instruction, DimensionsOf(*reductions_.reference));
        if (is_now == is_of_elements) AddRoot(root, is_of_elements);
      }
    }
    return std::move(plan_);
  }

 private:
  bool IsHero(const Instruction& instruction) const {
    return llvm::is_contained(reductions_.heroes, &instruction);
  }
  bool NeedsResults(const Instruction& instruction) const {
    return IsHero(instruction) || dependents_.contains(&instruction);
  }

  void AddReduction(const Instruction& hero) {
    const IndexingMap scalar = ThreadMapBuilder(plan_.launch, input_.plans).Build({});
    const size_t num_arrays = hero.operands().size() / 2;
    const bool shares_indices = reductions_.SharesIndices(hero);
    for (size_t k = 0; k < hero.operands().size(); ++k) {
      const Instruction& operand = hero.operand(k);
      if (k >= num_arrays) {
        plan_.passes.push_back(LoadPass(operand, scalar, 1));
      } else {
        const IndexingMap elements = shares_indices ? IndexedAsReference(operand.shape())
                                                    : Bitcast(read_, sizes_, operand.shape());
        plan_.passes.push_back(LoadPass(operand, elements, maps_.vector()));
        plan_.heroes.push_back({0, &hero, static_cast<int64_t>(k), elements});
      }
      plan_.passes.back().available = done_;
    }
    done_.push_back(&hero);
    for (size_t k = 0; k < num_arrays; ++k) {
      ElementPass& pass = plan_.passes.emplace_back(LoadPass(hero, ResultsOf(hero), 1));
      pass.leaf = static_cast<int64_t>(k);
      pass.available = {&hero};
    }
    for (size_t k = 0; k < num_arrays; ++k) {
      std::optional<SharedTile> tile =
          NeedAllThreads(hero) ? maps_.TileForAll(plan_.launch) : maps_.Tile(plan_.launch, 0);
      if (!tile.has_value()) break;
      tile->hero = &hero;
      tile->element_bits = support::CeilDiv(ElementWidth(hero.operand(k).shape()), 8) * 8;
      plan_.shared_tiles.push_back(*std::move(tile));
    }
  }

  void AddRoot(const FusionRoot& root, bool is_of_elements) {
    const Instruction& instruction = *root.instruction;
    ElementPass& pass = plan_.passes.emplace_back(
        is_of_elements ? LoadPass(instruction, ElementsOf(instruction), maps_.vector())
                       : LoadPass(instruction, ResultInFirstThread(instruction.shape()), 1));
    // Results of other rows are computed anew for each element.
    if (!is_of_elements || AreOfOwnRow(instruction, pass.map)) pass.available = done_;
    pass.store = StoreKind::kStore;
    pass.output = root.first_output;
  }

  // Whether all threads of a row go on with the result, and not only the first one.
  bool NeedAllThreads(const Instruction& hero) const {
    const ReductionDimensions dimensions = DimensionsOf(*reductions_.reference);
    return llvm::any_of(reductions_.heroes,
                        [&](const Instruction* other) {
                          return other != &hero && input_.fused.Reaches(hero, *other);
                        }) ||
           llvm::any_of(input_.fused.roots(), [&](const FusionRoot& root) {
             return IsOfElements(*root.instruction, dimensions) &&
                    input_.fused.Reaches(hero, *root.instruction);
           });
  }

  // What the first thread of a row has of an array with one element of each row.
  IndexingMap ResultInFirstThread(const hlo::Shape& shape) const {
    const IndexingMap first = maps_.Output(plan_.launch, 0).WithResults(rows_.affine_map());
    const Instruction& reference = *reductions_.reference;
    return Bitcast(ResultOf(first, {sizes_[1]}, reference, input_.plans),
                   reference.shape().ArrayLeaf(0), shape);
  }

  // The result that a thread has.
  IndexingMap ResultsOf(const Instruction& hero) const {
    const Instruction& like = reductions_.SharesIndices(hero) ? *reductions_.reference : hero;
    return ResultOf(rows_, {sizes_[1]}, like, input_.plans);
  }

  // The elements of an array that a thread has if the array is indexed as what the reference
  // reduces, or as that is reshaped.
  IndexingMap IndexedAsReference(const hlo::Shape& shape) const {
    const hlo::Shape& reduced = reductions_.reference->operand(0).shape();
    IndexingMap at = Bitcast(read_, sizes_, reduced);
    if (shape.sizes() == reduced.sizes()) return at;
    const mlir::AffineMap affine = at.affine_map();
    const Expressions index = Delinearize(
        Linearize(affine.getResults(), reduced.sizes(), at.context()), Sizes(shape.sizes()));
    return input_.plans.maps.Simplified(at.WithResults(
        mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), index, at.context())));
  }

  // The elements of a root that a thread makes: in the order of memory, as it reads, if these are
  // of its row; else those of its row wherever they lie. Elements of less than a byte are in order.
  IndexingMap ElementsOf(const Instruction& root) const {
    IndexingMap in_memory = Bitcast(read_, sizes_, root.shape());
    if (root.shape().StorageBits() < 8 || AreOfOwnRow(root, in_memory)) return in_memory;
    IndexingMap by_index = IndexedAsReference(root.shape());
    if (AreOfOwnRow(root, by_index)) return by_index;
    std::optional<IndexingMap> permuted = WithDimensionsOf(root);
    const bool is_of_own_row = permuted.has_value() && AreOfOwnRow(root, *permuted);
    return is_of_own_row ? *std::move(permuted) : in_memory;
  }

  // Of a root that has the dimensions of what the reference reduces in another order: its elements
  // that are made of what the thread has. Where it does not read what is reduced, both tell by what
  // they read of a parameter.
  std::optional<IndexingMap> WithDimensionsOf(const Instruction& root) const {
    const Instruction& reduced = reductions_.reference->operand(0);
    const IndexingMap at = Bitcast(read_, sizes_, reduced.shape());
    const size_t rank = root.shape().sizes().size();
    if (rank != reduced.shape().sizes().size()) return std::nullopt;
    std::vector<const Instruction*> sources = {&reduced};
    llvm::append_range(sources, root.parent().parameters());
    for (const Instruction* source : sources) {
      const std::optional<mlir::AffineMap> of_root = PermutationOf(root, *source);
      const std::optional<mlir::AffineMap> of_reduced = PermutationOf(reduced, *source);
      if (!of_root.has_value() || !of_reduced.has_value()) continue;
      Expressions index(rank);
      for (unsigned i = 0; i < rank; ++i) {
        index[of_root->getDimPosition(i)] =
            at.affine_map().getResult(of_reduced->getDimPosition(i));
      }
      return input_.plans.maps.Simplified(at.WithResults(mlir::AffineMap::get(
          at.affine_map().getNumDims(), at.affine_map().getNumSymbols(), index, at.context())));
    }
    return std::nullopt;
  }

  // Where an element reads one of another array at its own index, in another order; not by way of
  // results of reductions.
  std::optional<mlir::AffineMap> PermutationOf(const Instruction& of,
                                               const Instruction& source) const {
    const size_t rank = of.shape().sizes().size();
    if (!source.shape().IsArray() || source.shape().sizes().size() != rank ||
        source.shape().num_elements() != of.shape().num_elements()) {
      return std::nullopt;
    }
    if (&of == &source) {
      return mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(rank),
                                                     input_.plans.mlir_context);
    }
    std::vector<const Instruction*> ends(reductions_.heroes);
    size_t number = of.parent().parameters().size() + ends.size();
    if (source.opcode() == Opcode::kParameter) {
      number = static_cast<size_t>(source.parameter_number());
    } else {
      ends.push_back(&source);
    }
    const indexing_analysis::OutputIndexing reads =
        input_.plans.analysis.OutputToParameters(of, 0, ends);
    for (const indexing_analysis::OperandIndexing& read : reads.operands()) {
      if (read.operand() != number) continue;
      for (const indexing_analysis::OperandMap& map : read.maps()) {
        const IndexingMap& index = map.map;
        if (!index.IsUnknown() && index.num_ranges() + index.num_runtime() == 0 &&
            index.affine_map().isPermutation()) {
          return index.affine_map();
        }
      }
    }
    return std::nullopt;
  }

  // Whether elements are made of the results that the thread has, as far as each instruction
  // between them reads one element.
  bool AreOfOwnRow(const Instruction& array, const IndexingMap& elements) const {
    const size_t most_visits = 4 * input_.fused.instructions().size();
    llvm::DenseSet<std::pair<const Instruction*, mlir::AffineMap>> seen;
    std::vector<std::pair<const Instruction*, IndexingMap>> pending = {{&array, elements}};
    while (!pending.empty()) {
      const auto [instruction, at] = std::move(pending.back());
      pending.pop_back();
      if (IsHero(*instruction)) {
        const IndexingMap own = ResultsOf(*instruction);
        if (at.affine_map().getResults() != own.affine_map().getResults()) return false;
        continue;
      }
      // Of other tuples, as what a loop makes, it is not followed which array is read.
      if (!instruction->shape().IsArray()) return false;
      for (size_t k = 0; k < instruction->operands().size(); ++k) {
        const Instruction& operand = instruction->operand(k);
        if (!NeedsResults(operand)) continue;
        IndexingMap read = ReadOfOperand(input_, at, *instruction, 0, k);
        if (read.IsUnknown()) return false;
        if (read.IsKnownEmpty() || !seen.insert({&operand, read.affine_map()}).second) continue;
        if (seen.size() > most_visits) return false;
        pending.emplace_back(&operand, std::move(read));
      }
    }
    return true;
  }

  const EmitterInput& input_;
  const RowReductions& reductions_;
  std::array<int64_t, 3> sizes_;
  RowMaps maps_;
  // What is computed from results.
  llvm::DenseSet<const Instruction*> dependents_;
  KernelPlan plan_;
  IndexingMap read_;
  IndexingMap rows_;
  llvm::SmallVector<const Instruction*, 2> done_;
};

}  // namespace

std::optional<KernelPlan> PlanOurRows(const EmitterInput& input) {
  const RowReductions reductions = FindRowReductions(input);
  if (reductions.heroes.empty()) return std::nullopt;
  RowsPlanner planner(input, reductions);
  if (input.fused.SmallestStorageBits() * planner.vector() < 8) return std::nullopt;
  return std::move(planner).Plan();
}

}  // namespace hlo_indexing::plan
