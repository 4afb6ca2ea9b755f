// What the code of a thread loads for elements: in which branch, where pads, concatenates and
// updates of slices choose between operands, in which loop, and what has been loaded before it.
//
// Of add(x, pad(y)) at the thread's index i,
//
//   x at i,  y at i - 1 where i is in [1, 8],  the padding value elsewhere
//
// are three loads, the last in threads on both sides of y. A map from outputs to what they read has
// one map for each side, and knows neither branches nor an order.
#ifndef HLO_INDEXING_CODEGEN_PLAN_ELEMENT_READS_H_
#define HLO_INDEXING_CODEGEN_PLAN_ELEMENT_READS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/plan/element_steps.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/plan/short_loops.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::plan {

/// A load instruction.
struct ElementRead {
  /// The input of the plan, or the constant, and its index.
  PlannedElement element;
  /// Elements that it may load at a time: how many values the last range of the index has.
  int64_t vector_elements = 1;
  /// Of these, how many it does load at a time.
  int64_t width = 1;
  /// Ranges of the index in front of those of the pass: loops of elements around it.
  size_t num_loops = 0;
  /// See MemoryAccess.
  int64_t repetitions = 1;
  /// In a branch, what it loads is not there behind it.
  bool is_in_branch = false;
  /// In loops that code has, but all of those that it depends on are short: LLVM writes them out.
  bool is_in_short_loops = false;
  /// All loops of elements around it are short, and code has their turns one after the other.
  bool is_written_out = false;
  /// Turns of loops load the same, and LLVM may see that.
  bool may_be_once = false;

  /// Of an array of one element.
  bool IsScalar() const {
    return element.instruction->shape().ArrayLeaf(element.leaf).num_elements() == 1;
  }
};

/// How the turns in which a row is kept are followed: all at once, or, as code has them, one after
/// the other. A branch may be decided in one turn, as at the end of a row, or have what an earlier
/// one has made.
enum class RowTurns : uint8_t { kTogether, kOneByOne };

/// Follows elements in the order in which code is made of them (emit/element_emitter.h).
class ElementReads {
 public:
  ElementReads(const KernelPlan& plan, PlanContext& plans,
               llvm::ArrayRef<const hlo::Instruction*> constants, RowTurns row_turns)
      : plan_(plan),
        plans_(plans),
        constants_(constants.begin(), constants.end()),
        row_turns_(row_turns) {}

  /// The loads of a pass whose map is known, without those of elements that earlier passes of the
  /// same loop have loaded, or passes of other loops that all threads run once. nullopt if an
  /// element is made by calls, at values known at run time, or by loops other than those of
  /// reductions, windows and products.
  std::optional<std::vector<ElementRead>> Of(const ElementPass& pass, size_t loop,
                                             bool has_all_threads);

 private:
  // What has been made: an element, or a load, by the index or by the position in memory. Whatever
  // the conditions of its index are, a load is not made again where it has been.
  enum class Made : uint8_t { kElement, kLoadOfIndex, kLoadOfPosition };
  struct Key {
    PlannedElement element;
    Made made = Made::kElement;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return llvm::hash_combine(PlannedElementHash()(key.element), key.made);
    }
  };
  // The code of a branch, of the turns of loops, or of neither.
  struct Scope {
    // What it has made, and in which threads; in all that ask for it if that is an unknown map.
    std::unordered_map<Key, IndexingMap, KeyHash> known;
    bool is_branch = false;
    // Of some lanes: what it loads is there behind it, but for vectors.
    bool is_of_lanes = false;
    // One of the turns in which a row is stored, each of which has code of its own. LLVM finds what
    // an earlier one has loaded, but not what it has made in branches and loops.
    bool is_turn_of_row = false;
    // Of rows that are kept: of an element that is the same in all turns, which is made in the
    // first.
    bool is_in_first_turn = false;
    // Whether all threads run it once, so that what it has loaded is there in all loops behind it.
    bool is_straight = false;
    // Ranges of loops, which stand in front of all others.
    size_t num_loops = 0;
    // Of loops of an element, its index, and whether code has their turns one after the other.
    const IndexingMap* outside = nullptr;
    bool is_written_out = false;
  };
  // What the turns of loops read, where conditions hold.
  struct LoopTurn {
    Conditions conditions;
    std::vector<PlannedElement> elements;
  };
  // A reduction that the turns of loops read, which is computed before them.
  struct Invariant {
    PlannedElement in_turn;
    PlannedElement before;
  };
  // How an element is made: of others that come before it, in branches, or by loops.
  struct Step {
    std::vector<PlannedElement> operands;
    std::vector<ElementAlternative> branches;
    std::vector<LaneRun> runs;
    // The turns of short loops, which code has one after the other.
    std::vector<ShortTurn> short_turns;
    size_t num_loops = 0;
    IndexingMap index;
    // Each where the conditions of those before it hold, too.
    std::vector<LoopTurn> turns;
    std::vector<Invariant> invariants;
  };

  bool FollowTurns(const PlannedElement& element, size_t loop, int64_t lanes, bool has_all_threads);
  bool FollowInScope(const PlannedElement& element, size_t loop, int64_t lane, int64_t lanes,
                     bool has_all_threads);
  bool Follow(const PlannedElement& element);
  bool FollowIn(Scope scope, const PlannedElement& element, int64_t lanes);
  bool FollowBranches(const PlannedElement& element, const Step& step);
  bool FollowShortTurns(const Step& step);
  bool TryLoops(const Step& step);
  bool FollowTurn(const ShortTurn& turn);
  using LoadCounts = std::map<std::tuple<const hlo::Instruction*, int64_t, int64_t>, int64_t>;
  LoadCounts CountLoadsFrom(size_t first) const;
  bool FollowLoops(const Step& step);
  bool IsAvailable(const PlannedElement& element) const;
  std::optional<Step> StepOf(const PlannedElement& element);
  std::optional<Step> StepOfAlternatives(const PlannedElement& element);
  std::optional<Step> StepOfReduction(const PlannedElement& element);
  std::optional<Step> StepOfProducts(const PlannedElement& element);
  bool FindShortTurns(const PlannedElement& element, Step& step);
  bool FindInvariants(const PlannedElement& element, llvm::ArrayRef<PlannedElement> read,
                      Step& step);
  static Step StepTo(PlannedElement only);
  // Of an element of all lanes: conditions that hold in the same threads, of no lane. False if they
  // differ from lane to lane.
  bool MakeSameForAllLanes(const PlannedElement& element, Conditions& conditions) const;
  Step LaneByLane(const PlannedElement& element);
  IndexingMap PositionOf(const PlannedElement& element) const;
  bool IsInRow(const PlannedElement& element);
  void Load(const PlannedElement& element);
  void LoadVector(const PlannedElement& element, int64_t first_lane, int64_t count);
  void Add(PlannedElement element, int64_t vector_elements, int64_t width);
  void MarkThoseOfSeveralTurns();
  static bool MeetInTurns(const ElementRead& after, const ElementRead& before);
  // Whether all turns of a row that is kept have the same element.
  bool IsSameInAllTurns(const IndexingMap& index) const;
  Key KeyOf(const PlannedElement& element) const;
  bool IsKnown(const Key& key) const;
  void Learn(Scope& scope, Key key);

  const KernelPlan& plan_;
  PlanContext& plans_;
  std::vector<const hlo::Instruction*> constants_;
  RowTurns row_turns_;
  // By loop, and by the lane where each has code of its own.
  std::map<std::pair<size_t, int64_t>, Scope> by_loop_;
  // By loop and turn.
  std::map<std::pair<size_t, int64_t>, Scope> by_turn_;

  // What turns of a row have loaded outside of branches, by array, in order.
  struct RowLoad {
    IndexingMap position;
    IndexingMap domain;
    int64_t lanes = 1;
  };
  std::map<std::pair<const hlo::Instruction*, int64_t>, std::vector<RowLoad>> loads_of_row_;

  // Of the pass that is followed.
  llvm::ArrayRef<const hlo::Instruction*> available_;
  bool is_stored_ = false;
  int64_t lanes_of_pass_ = 1;
  // The threads of the turn that is followed by itself.
  IndexingMap domain_;
  std::optional<int64_t> turn_;
  // Of the turn: each load stands in a branch for its threads, and so in the loops around it.
  bool is_under_condition_ = false;
  int64_t lanes_ = 1;
  std::vector<Scope*> scopes_;
  // What straight code has loaded, of all loops.
  Scope straight_;
  std::vector<ElementRead> reads_;
  // What scopes have learned in loops that are only tried; null if none are.
  std::vector<std::pair<Scope*, Key>>* learned_ = nullptr;
  int64_t num_elements_ = 0;
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ELEMENT_READS_H_
