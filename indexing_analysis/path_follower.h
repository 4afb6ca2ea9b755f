// Follows reads from an output array back to the operands, through calls and fusions.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/access.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/integer_values.h"
#include "indexing_analysis/read_rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"

namespace hlo_indexing::indexing_analysis {

/// Whether reads are followed through the computations that an instruction calls; then there is no
/// read rule.
bool IsFollowed(const hlo::Instruction& instruction);

/// The computation that a fusion, a call or an async-start stands for; null for others.
const hlo::Computation* FollowedCallee(const hlo::Instruction& instruction);

/// What a question asks for: what elements of the output read, or where elements of operands go.
enum class MapDirection : uint8_t { kOutputToInput, kInputToOutput };

/// The operand arrays, as operand and array number, that an array of an instruction's output is
/// read from, whatever their elements. Remembered from question to question.
using ArrayReads = llvm::SmallVector<std::pair<size_t, int64_t>, 2>;
struct ArrayReadsMemo {
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>, ArrayReads> instructions;
  /// The arrays of the parameters that an array of a computation's root is read from.
  llvm::DenseMap<std::pair<const hlo::Computation*, int64_t>, ArrayReads> computations;
};

/// The maps of single accesses whose results are variables and nothing else, by what they consist
/// of: identities, lines, whole arrays. There are few, and they are most of all maps.
using SimpleMaps = std::map<std::vector<int64_t>, std::shared_ptr<const std::vector<IndexingMap>>>;

/// Answers one question: what the elements of one output array read. Instructions are visited once,
/// users before operands, each with all the accesses that have reached it; equal accesses are one,
/// so that a graph costs about as much as it has edges, not paths.
class PathFollower {
 public:
  PathFollower(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
               ArrayReadsMemo& array_reads, SimpleMaps& simple_maps, const DeviceCounts& devices)
      : mlir_context_(mlir_context),
        options_(options),
        array_reads_(array_reads),
        simple_maps_(simple_maps),
        devices_(devices) {}

  OutputIndexing Run(const hlo::Instruction& instruction, int64_t output_leaf,
                     MapDirection direction);

  /// After Run: whether the result depends on which instruction gives an operand's value, so that
  /// it is not one of equal instructions.
  bool depends_on_values() const { return value_uses_ != 0; }

 private:
  // An access, unique among those of one question with the same content.
  struct UniqueAccess : llvm::FoldingSetNode {
    Access access;
    void Profile(llvm::FoldingSetNodeID& node_id) const;
  };
  // An access that has reached an array.
  struct Entry {
    const UniqueAccess* access;
    // Why it covers more than is read; empty where it does not.
    llvm::StringRef reason;

    friend auto operator<=>(const Entry& a, const Entry& b) {
      return std::pair(a.access, a.reason.data()) <=> std::pair(b.access, b.reason.data());
    }
    friend bool operator==(const Entry& a, const Entry& b) { return (a <=> b) == 0; }
  };
  // What has reached one array of an instruction's output.
  struct Reached {
    llvm::SmallVector<Entry, 1> entries;
    // Why nothing is known, if so.
    llvm::StringRef unknown;

    bool Any() const { return !entries.empty() || !unknown.empty(); }
  };
  // The arrays of one instruction's output, by number; empty while nothing has reached it.
  using ReachedLeaves = std::vector<Reached>;
  using Frame = CallFrame;
  // Where the operands of an instruction collect what reaches them.
  using OperandLeaves = llvm::function_ref<ReachedLeaves*(size_t operand)>;

  class Sink;
  class ArraySink;

  static Reached& LeafOf(ReachedLeaves& leaves, const hlo::Shape& shape, int64_t leaf);

  // Following.
  void Follow(const hlo::Computation& computation, int64_t leaf, Reached reached,
              const Frame& frame, OperandLeaves parameters);
  void Follow(const hlo::Computation& computation, ReachedLeaves reached, const Frame& frame,
              OperandLeaves parameters);
  void FollowInstruction(const hlo::Instruction& instruction, int64_t leaf, Reached& reached,
                         const Frame& frame, OperandLeaves operands);
  void FollowCalled(const hlo::Instruction& instruction, int64_t leaf, const Reached& reached,
                    const Frame* frame, OperandLeaves operands);
  void FollowCall(const hlo::Instruction& call, const hlo::Computation& callee, int64_t leaf,
                  const Reached& reached, const Frame* frame, OperandLeaves operands);
  void FollowAsyncStart(const hlo::Instruction& start, int64_t leaf, const Reached& reached,
                        const Frame* frame, OperandLeaves operands);
  void FollowConditional(const hlo::Instruction& conditional, int64_t leaf, const Reached& reached,
                         const Frame* frame, OperandLeaves operands);
  void FollowWhile(const hlo::Instruction& loop, int64_t leaf, const Reached& reached,
                   const Frame* frame, OperandLeaves operands);
  void FollowWhileByArrays(const hlo::Instruction& loop, int64_t leaf, const Reached& reached,
                           OperandLeaves operands);
  void FollowIteration(const hlo::Instruction& loop, ReachedLeaves fresh, const Frame& inside,
                       ReachedLeaves& before);
  bool AddToState(Reached& state, const Reached& found, const hlo::Shape& shape, Reached& fresh);
  const UniqueAccess* ScalarAccess(const UniqueAccess& access);
  void ApplyRule(const hlo::Instruction& instruction, int64_t leaf, const Reached& reached,
                 const Frame* frame, OperandLeaves operands);

  // Adding up.
  static void AddEntry(Reached& target, const Entry& entry);
  static void AddUnknown(Reached& target, llvm::StringRef reason);
  static void AddAll(const ReachedLeaves& from, const hlo::Shape& shape, ReachedLeaves& to);
  static void AddParameters(const hlo::Computation& callee, llvm::ArrayRef<ReachedLeaves> found,
                            OperandLeaves operands);
  static void AddUnknownToAll(const hlo::Instruction& instruction, llvm::StringRef reason,
                              OperandLeaves operands);
  ArrayReads ReadsOf(const hlo::Instruction& instruction, int64_t leaf, int call_depth);
  void AddReadsOfRule(const hlo::Instruction& instruction, int64_t leaf, ArrayReads& reads);
  void AddReadsOfCalled(const hlo::Instruction& instruction, int64_t leaf, int call_depth,
                        ArrayReads& reads);
  void AddReadsOfWhile(const hlo::Instruction& loop, int64_t leaf, int call_depth,
                       ArrayReads& reads);
  const ArrayReads& ReadsOfCallee(const hlo::Computation& callee, int64_t leaf, int call_depth);
  void AddReadsOfCallee(const hlo::Computation& callee, int64_t leaf, int call_depth,
                        ArrayReads& reads);
  void PassUnknownOn(const hlo::Instruction& instruction, int64_t leaf, llvm::StringRef reason,
                     OperandLeaves operands);

  // Accesses.
  const UniqueAccess* Intern(Access access);
  llvm::StringRef Keep(std::string reason) { return reasons_.emplace_back(std::move(reason)); }
  llvm::StringRef Settle(Access& access);
  Access WholeArray(const hlo::Shape& shape, llvm::ArrayRef<Entry> entries);
  void Limit(Reached& reached, const hlo::Shape& shape, const Frame& frame);
  void Loosen(Access& access, const hlo::Shape& shape);
  Sum RuntimeValue(const hlo::Instruction& operand, llvm::ArrayRef<Sum> index, Interval bounds,
                   const Frame* frame, const Access& incoming, Access& access);
  Sum VaryingValue(Interval bounds, llvm::StringRef reason, Access& access);
  Sum OwnDevice(Access& access);
  void Compose(const IndexingMap& map, Access& access);

  // Reporting.
  void Collect(const hlo::Instruction& instruction, size_t operand, const ReachedLeaves& leaves,
               MapDirection direction, OutputIndexing& result);
  void CollectMaps(const Reached& reached, const hlo::Shape& shape, MapDirection direction,
                   OperandIndexing& indexing);
  std::optional<IndexingMap> MapOf(Access access, const hlo::Shape& shape, MapDirection direction);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  ArrayReadsMemo& array_reads_;
  SimpleMaps& simple_maps_;
  DeviceCounts devices_;
  DigitContext digits_;
  RuntimeTable table_;
  std::optional<uint32_t> device_number_;
  // Runtime values by the calls that lead to an instruction, and the instruction.
  std::map<std::vector<const hlo::Instruction*>, uint32_t> runtime_numbers_;
  // How often a rule has asked for a value.
  int64_t value_uses_ = 0;
  std::deque<UniqueAccess> accesses_;
  llvm::FoldingSet<UniqueAccess> unique_;
  std::deque<std::string> reasons_;
  const UniqueAccess* root_ = nullptr;
  // What has been found for a computation's result when it was reached by the same accesses.
  std::map<std::tuple<const hlo::Computation*, int64_t, std::vector<Entry>>,
           std::vector<ReachedLeaves>>
      calls_;
  int64_t steps_ = 0;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_
