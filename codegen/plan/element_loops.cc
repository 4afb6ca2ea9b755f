#include "codegen/plan/element_loops.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/thread_map.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OutputIndexing;
using indexing_analysis::Variable;

namespace {

// How code makes an element of many.
enum class LoopKind : uint8_t {
  kNone,
  kEachTurn,    // whatever is read is computed in each turn
  kInvariants,  // what all turns read alike is computed before them
  kByValues,    // values decide what is read in which turn
};

LoopKind LoopKindOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kConvolution:
      return LoopKind::kInvariants;
    case Opcode::kRaggedDot:
    case Opcode::kFft:
      return LoopKind::kEachTurn;
    case Opcode::kSelectAndScatter:
    case Opcode::kScatter:
      return LoopKind::kByValues;
    default:
      return LoopKind::kNone;
  }
}

}  // namespace

bool HasElementLoops(Opcode opcode) { return LoopKindOf(opcode) != LoopKind::kNone; }

std::string WhyReadsVary(Opcode opcode) {
  if (LoopKindOf(opcode) != LoopKind::kByValues) return "";
  return "values decide what the loops of a " + hlo::OpcodeName(opcode).str() + " read";
}

bool HasMapsWithoutTurns(Opcode opcode) { return opcode == Opcode::kSelectAndScatter; }

bool HasElementLoopsBefore(const Instruction& instruction,
                           llvm::ArrayRef<const Instruction*> available) {
  for (const Instruction* other : instruction.parent().instructions()) {
    if (other == &instruction) break;
    if (HasElementLoops(other->opcode()) && !llvm::is_contained(available, other)) return true;
  }
  return false;
}

namespace {

// How often loops, the ranges in [first, end), repeat a read that does not depend on them, but on
// its own loops, which stand in front.
int64_t TurnsWithout(const IndexingMap& index, size_t first, size_t end) {
  bool has_own_loop = false;
  for (size_t i = 0; i < first; ++i) has_own_loop |= DependsOnRange(index, i);
  int64_t turns = 1;
  for (size_t i = first; i < end && has_own_loop; ++i) {
    const indexing_analysis::Interval bounds = index.ranges()[i].bounds;
    if (DependsOnRange(index, i)) continue;
    turns = support::CheckedMul(turns, bounds.upper - bounds.lower + 1).value_or(1);
  }
  return turns;
}

}  // namespace

int64_t RepeatedTurns(const ElementPass& pass, const IndexingMap& index) {
  if (index.IsUnknown() || index.IsKnownEmpty() || index.num_runtime() > 0) return 1;
  const size_t num_lanes = pass.vector_elements > 1 ? 1 : 0;
  if (index.num_ranges() < pass.map.num_ranges()) return 1;
  return TurnsWithout(index, index.num_ranges() - pass.map.num_ranges(),
                      index.num_ranges() - num_lanes);
}

namespace {

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
    Start({pass_.instruction, pass_.map}, pass_.leaf, {}, "");
    for (size_t i = 0; i < started_.size(); ++i) Read(i);
    if (is_cut_) return Cut();
    return std::move(reads_);
  }

 private:
  // An instruction at the index of a map from the pass: the pass's own, or one with loops.
  struct Started {
    ElementLoop element;
    int64_t leaf = 0;
    // The loops around those that it has itself.
    LoopNest nest;
    // Why it may read what else, or more often, or less; empty if it does not.
    std::string reason;
  };

  // More of them would take longer than their code, which has a limit too.
  static constexpr size_t kMaxStarted = 128;

  void Start(const ElementLoop& element, int64_t leaf, LoopNest nest, std::string reason) {
    const size_t key = llvm::hash_combine(element.instruction, leaf, hash_value(element.map));
    const auto [first, last] = by_key_.equal_range(key);
    for (auto known = first; known != last; ++known) {
      const Started& other = started_[known->second];
      if (other.element == element && other.leaf == leaf && other.nest == nest) return;
    }
    if (started_.size() == kMaxStarted) {
      is_cut_ = true;
      return;
    }
    by_key_.emplace(key, started_.size());
    if (reason.empty()) reason = WhyReadsVary(element.instruction->opcode());
    started_.push_back({element, leaf, std::move(nest), std::move(reason)});
  }

  void Read(size_t number) {
    const Started from = started_[number];
    const Instruction& instruction = *from.element.instruction;
    const bool is_loop = HasElementLoops(instruction.opcode());
    LoopNest inside = from.nest;
    if (is_loop) inside.push_back(from.element);
    std::vector<const Instruction*> ends(pass_.available.begin(), pass_.available.end());
    const size_t num_available = ends.size();
    llvm::append_range(ends, constants_);
    const size_t first_loop = ends.size();
    for (const Instruction* loop : loops_) {
      if (loop != &instruction && !llvm::is_contained(pass_.available, loop)) {
        ends.push_back(loop);
      }
    }
    const OutputIndexing found = plans_.analysis.OutputToParameters(instruction, from.leaf, ends);
    const size_t num_parameters = instruction.parent().parameters().size();
    if (found.IsUnknown()) {
      for (size_t i = 0; i < num_parameters; ++i) {
        reads_.push_back({inside, nullptr, i, 0, IndexingMap(), 1, found.unknown_reason()});
      }
      return;
    }
    for (const OperandIndexing& operand : found.operands()) {
      LoopRead read;
      read.nest = inside;
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
        const IndexingMap index = plans_.maps.Compose(from.element.map, map.map);
        if (index.IsKnownEmpty()) continue;
        const std::optional<IndexingMap> before =
            is_loop ? BeforeTurns(from.element, from.leaf, index) : std::nullopt;
        ElementLoop element = {ends[end], index};
        if (before.has_value()) {
          element.map = *before;
        } else if (is_loop) {
          element.map = InTurns(from.element, from.leaf, index);
        }
        Start(element, operand.leaf(), before.has_value() ? from.nest : inside, from.reason);
      }
    }
  }

  void AddRead(const Started& from, LoopRead read, const OperandIndexing& found) {
    read.leaf = found.leaf();
    read.reason = found.reason().empty() ? from.reason : found.reason();
    if (found.maps().empty()) reads_.push_back(read);
    for (const OperandMap& map : found.maps()) {
      const bool has_turns =
          !HasMapsWithoutTurns(from.element.instruction->opcode()) || map.map.num_ranges() == 0;
      read.map = has_turns ? plans_.maps.Compose(from.element.map, map.map) : IndexingMap();
      read.repetitions = RepetitionsOf(read.map, NumLoops(from.element.map));
      reads_.push_back(read);
    }
  }

  // An index in the loops of an element: ranges of those that it depends on stand in front; the
  // others are missing.
  struct Turns {
    llvm::ArrayRef<Variable> ranges;
    llvm::SmallVector<Variable, 4> missing;
    // Whether all turns of the loops that it depends on are taken.
    bool are_whole = true;
  };
  std::optional<Turns> TurnsOf(const ElementLoop& loop, const IndexingMap& index,
                               llvm::ArrayRef<Variable> loops) const {
    if (loops.empty() || index.IsUnknown() || index.num_runtime() > 0) return std::nullopt;
    Turns turns;
    turns.ranges =
        index.ranges().take_front(NumLoops(index) - std::min(NumLoops(index), NumLoops(loop.map)));
    size_t next = 0;
    for (const Variable& variable : loops) {
      if (next == turns.ranges.size() || !variable.bounds.Contains(turns.ranges[next].bounds)) {
        turns.missing.push_back(variable);
        continue;
      }
      turns.are_whole = turns.are_whole && variable.bounds == turns.ranges[next++].bounds;
    }
    return turns;
  }

  // The index of an instruction that the loops read, if it is computed before them: the same in all
  // turns.
  std::optional<IndexingMap> BeforeTurns(const ElementLoop& loop, int64_t leaf,
                                         const IndexingMap& index) const {
    if (LoopKindOf(loop.instruction->opcode()) != LoopKind::kInvariants) return std::nullopt;
    const std::vector<Variable> loops = LoopsOf(loop, leaf);
    const std::optional<Turns> turns = TurnsOf(loop, index, loops);
    if (!turns.has_value() || !turns->are_whole) return std::nullopt;
    std::optional<IndexingMap> before = WithoutRangesInFront(index, turns->ranges);
    // Where the code stands, what it reads must be there.
    if (before.has_value() && !HaveSameDomain(*before, loop.map)) before.reset();
    return before;
  }

  // Else it is computed in each turn, also of the loops that it does not depend on.
  IndexingMap InTurns(const ElementLoop& loop, int64_t leaf, const IndexingMap& index) const {
    const std::vector<Variable> loops = LoopsOf(loop, leaf);
    const std::optional<Turns> turns = TurnsOf(loop, index, loops);
    return turns.has_value() ? WithRangesInFront(index, turns->missing) : index;
  }

  // Those of its own, as it reads its first operand.
  std::vector<Variable> LoopsOf(const ElementLoop& loop, int64_t leaf) const {
    const OutputIndexing found = plans_.analysis.OutputToInput(*loop.instruction, leaf);
    if (found.IsUnknown()) return {};
    for (const OperandIndexing& operand : found.operands()) {
      if (operand.operand() != 0 || operand.maps().empty()) continue;
      const IndexingMap& index = plans_.maps.Compose(loop.map, operand.maps().front().map);
      if (index.IsUnknown() || index.num_ranges() < loop.map.num_ranges()) return {};
      return index.ranges().drop_back(loop.map.num_ranges()).vec();
    }
    return {};
  }

  // What depends on the loops of its instruction is read anew in each turn of the loops around
  // these; the others are read before them.
  int64_t RepetitionsOf(const IndexingMap& index, size_t num_outer) const {
    if (index.IsUnknown() || index.IsKnownEmpty() || index.num_runtime() > 0) return 1;
    const size_t num_loops = NumLoops(index);
    if (num_loops < num_outer) return 1;
    return TurnsWithout(index, num_loops - num_outer, num_loops);
  }

  // Any element of any parameter, and of any constant.
  std::vector<LoopRead> Cut() const {
    const std::string reason = "elements are computed by loops inside of loops at more than " +
                               std::to_string(kMaxStarted) + " indices";
    std::vector<LoopRead> reads;
    const size_t num_parameters = pass_.instruction->parent().parameters().size();
    for (size_t i = 0; i < num_parameters; ++i) {
      reads.push_back({{}, nullptr, i, 0, IndexingMap(), 1, reason});
    }
    for (const Instruction* constant : constants_) {
      reads.push_back({{}, constant, 0, 0, IndexingMap(), 1, reason});
    }
    return reads;
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
  std::unordered_multimap<size_t, size_t> by_key_;
  bool is_cut_ = false;
  std::vector<LoopRead> reads_;
};

}  // namespace

std::vector<LoopRead> ReadsByLoop(const ElementPass& pass,
                                  llvm::ArrayRef<const Instruction*> constants,
                                  PlanContext& plans) {
  return LoopReads(pass, constants, plans).Find();
}

}  // namespace hlo_indexing::plan
