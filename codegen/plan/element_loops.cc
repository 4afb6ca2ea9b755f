#include "codegen/plan/element_loops.h"

#include <utility>

#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::MapConstraint;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OutputIndexing;
using mlir::AffineExpr;
using mlir::AffineMap;

bool HasElementLoops(Opcode opcode) {
  switch (opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kSelectAndScatter:
    case Opcode::kFft:
      return true;
    default:
      return false;
  }
}

bool HasSeveralElementLoops(const Computation& computation) {
  int count = 0;
  for (const Instruction* instruction : computation.instructions()) {
    if (HasElementLoops(instruction->opcode()) && ++count > 1) return true;
  }
  return false;
}

namespace {

// Whether what a map says depends on a range.
bool Uses(const IndexingMap& map, size_t range) {
  const auto symbol = static_cast<unsigned>(range);
  return map.affine_map().isFunctionOfSymbol(symbol) ||
         llvm::any_of(map.constraints(), [&](const MapConstraint& constraint) {
           return constraint.expression.isFunctionOfSymbol(symbol);
         });
}

// Without ranges in front that say nothing: loops whose turns are all the same.
IndexingMap WithoutUnusedLoops(const IndexingMap& map, size_t num_loops) {
  if (map.IsUnknown() || map.IsKnownEmpty() || map.num_runtime() > 0) return map;
  const AffineMap affine = map.affine_map();
  llvm::SmallVector<AffineExpr, 8> symbols;
  std::vector<indexing_analysis::Variable> ranges;
  for (unsigned i = 0; i < map.num_ranges(); ++i) {
    const bool is_used = i >= num_loops || Uses(map, i);
    symbols.push_back(
        mlir::getAffineSymbolExpr(static_cast<unsigned>(ranges.size()), map.context()));
    if (is_used) ranges.push_back(map.ranges()[i]);
  }
  const auto replace = [&](AffineExpr expression) { return expression.replaceSymbols(symbols); };
  llvm::SmallVector<AffineExpr, 6> results;
  for (const AffineExpr result : affine.getResults()) results.push_back(replace(result));
  std::vector<MapConstraint> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({replace(constraint.expression), constraint.bounds});
  }
  const auto num_ranges = static_cast<unsigned>(ranges.size());
  return {AffineMap::get(affine.getNumDims(), num_ranges, results, map.context()),
          map.dimensions(),
          std::move(ranges),
          {},
          constraints};
}

class LoopReads {
 public:
  LoopReads(const ElementPass& pass, llvm::ArrayRef<const Instruction*> constants,
            PlanContext& plans)
      : pass_(pass), constants_(constants), plans_(plans) {
    for (const Instruction* instruction : pass.instruction->parent().instructions()) {
      if (HasElementLoops(instruction->opcode())) loops_.push_back(instruction);
    }
  }

  std::vector<LoopRead> Find() && {
    Start(*pass_.instruction, pass_.leaf, pass_.map);
    for (size_t i = 0; i < started_.size(); ++i) Read(i);
    return std::move(reads_);
  }

 private:
  // An instruction at the index of a map from the pass: the pass's own, or one with loops.
  struct Started {
    const Instruction* instruction = nullptr;
    int64_t leaf = 0;
    IndexingMap map;
  };

  void Start(const Instruction& instruction, int64_t leaf, const IndexingMap& map) {
    const bool is_known = llvm::any_of(started_, [&](const Started& other) {
      return other.instruction == &instruction && other.leaf == leaf && other.map == map;
    });
    if (!is_known) started_.push_back({&instruction, leaf, map});
  }

  void Read(size_t number) {
    const Started from = started_[number];
    const bool is_loop = HasElementLoops(from.instruction->opcode());
    std::vector<const Instruction*> ends(pass_.available.begin(), pass_.available.end());
    const size_t num_available = ends.size();
    llvm::append_range(ends, constants_);
    const size_t first_loop = ends.size();
    for (const Instruction* loop : loops_) {
      if (loop != from.instruction && !llvm::is_contained(pass_.available, loop)) {
        ends.push_back(loop);
      }
    }
    const OutputIndexing found =
        plans_.analysis.OutputToParameters(*from.instruction, from.leaf, ends);
    const size_t num_parameters = from.instruction->parent().parameters().size();
    const Instruction* const loop = is_loop ? from.instruction : nullptr;
    if (found.IsUnknown()) {
      for (size_t i = 0; i < num_parameters; ++i) {
        reads_.push_back({loop, nullptr, i, 0, IndexingMap(), 1, found.unknown_reason()});
      }
      return;
    }
    for (const OperandIndexing& operand : found.operands()) {
      LoopRead read;
      read.loop = loop;
      if (operand.operand() < num_parameters) {
        read.parameter = operand.operand();
        AddRead(from, std::move(read), operand);
        continue;
      }
      const size_t end = operand.operand() - num_parameters;
      if (end < num_available) continue;
      if (end < first_loop) {
        read.constant = ends[end];
        AddRead(from, std::move(read), operand);
        continue;
      }
      for (const OperandMap& map : operand.maps()) {
        const IndexingMap index = plans_.maps.Compose(from.map, map.map);
        if (index.IsKnownEmpty()) continue;
        Start(*ends[end], operand.leaf(), WithoutUnusedLoops(index, NumLoops(index)));
      }
    }
  }

  void AddRead(const Started& from, LoopRead read, const OperandIndexing& found) {
    read.leaf = found.leaf();
    read.reason = found.reason();
    if (found.maps().empty()) reads_.push_back(read);
    for (const OperandMap& map : found.maps()) {
      read.map = plans_.maps.Compose(from.map, map.map);
      read.repetitions = RepetitionsOf(read.map, NumLoops(from.map));
      reads_.push_back(read);
    }
  }

  // What depends on the loops of its instruction is read anew in each turn of the loops around
  // these; the others are read before them.
  int64_t RepetitionsOf(const IndexingMap& index, size_t num_outer) const {
    if (index.IsUnknown() || index.IsKnownEmpty() || index.num_runtime() > 0) return 1;
    const size_t num_loops = NumLoops(index);
    if (num_loops < num_outer) return 1;
    const size_t num_inner = num_loops - num_outer;
    bool has_own_loop = false;
    for (size_t i = 0; i < num_inner; ++i) has_own_loop |= Uses(index, i);
    int64_t repetitions = 1;
    for (size_t i = num_inner; i < num_loops && has_own_loop; ++i) {
      const indexing_analysis::Interval bounds = index.ranges()[i].bounds;
      if (Uses(index, i)) continue;
      repetitions = support::CheckedMul(repetitions, bounds.upper - bounds.lower + 1).value_or(1);
    }
    return repetitions;
  }

  // Ranges in front of those of the pass.
  size_t NumLoops(const IndexingMap& map) const {
    if (map.IsUnknown() || map.num_ranges() < pass_.map.num_ranges()) return 0;
    return map.num_ranges() - pass_.map.num_ranges();
  }

  const ElementPass& pass_;
  llvm::ArrayRef<const Instruction*> constants_;
  PlanContext& plans_;
  std::vector<const Instruction*> loops_;
  std::vector<Started> started_;
  std::vector<LoopRead> reads_;
};

}  // namespace

std::vector<LoopRead> ReadsByLoop(const ElementPass& pass,
                                  llvm::ArrayRef<const Instruction*> constants,
                                  PlanContext& plans) {
  return LoopReads(pass, constants, plans).Find();
}

}  // namespace hlo_indexing::plan
