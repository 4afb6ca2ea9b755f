// Follows reads from output arrays back to the operands, through calls and fusions.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/access.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/array_reads.h"
#include "indexing_analysis/call_memory.h"
#include "indexing_analysis/integer_values.h"
#include "indexing_analysis/reached.h"
#include "indexing_analysis/read_rules.h"
#include "indexing_analysis/rule_memory.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::indexing_analysis {

/// What a question asks for: what elements of the output read, or where elements of operands go.
enum class MapDirection : uint8_t { kOutputToInput, kInputToOutput };

using MapList = std::vector<IndexingMap>;

/// As in OperandIndexing.
using ReplicaMapList = std::vector<std::optional<IndexingMap>>;

/// The map of one access in one direction.
struct WrittenMap {
  /// Empty where the access reaches nothing, null where the map is too long to be written down.
  const MapList* list = nullptr;
  /// The device that it reaches; null where that is the device itself.
  const ReplicaMapList* devices = nullptr;
};

/// The maps of one access, by direction, once they have been asked for.
struct AccessMaps {
  std::optional<WrittenMap> maps[2];
};

/// What followers hand on from question to question, and what reports point to.
struct FollowerMemory {
  FollowerMemory(mlir::MLIRContext* mlir_context, const AnalysisOptions& options)
      : classes(options), rules(mlir_context, options, shared_accesses) {}

  SharedAccesses shared_accesses;
  InstructionClasses classes;
  RuleMemory rules;
  CallMemory calls;
  std::deque<MapList> lists;
  std::deque<ReplicaMapList> replica_lists;
  /// Of accesses without runtime values, and the number of devices where they reach others: most
  /// are identities, lines and whole arrays, which come again and again.
  llvm::DenseMap<std::pair<const SharedAccess*, int64_t>, std::unique_ptr<AccessMaps>>
      maps_of_accesses;
  /// The reasons in reports.
  llvm::StringSet<> reasons;
  /// What reaches the instructions of a computation that is followed.
  struct Level {
    std::vector<ReachedLeaves> leaves;
    /// Which instructions anything may have reached.
    llvm::BitVector is_reached;
  };
  /// Of computations that are followed one in the other. Empty between the questions.
  std::deque<Level> levels;
};

/// Follows what the elements of some output arrays of an instruction read, which have the same
/// sizes: together, as they mostly read the same things. Instructions are visited once, users
/// before operands, each with all the accesses that have reached it; equal accesses are one, so
/// that a graph costs about as much as it has edges, not paths.
class PathFollower {
 public:
  /// `array_reads` is for the instruction's module, which runs on so many devices.
  PathFollower(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
               FollowerMemory& memory, ArrayReadsFinder& array_reads, const DeviceCounts& devices,
               const hlo::Instruction& instruction, llvm::ArrayRef<int64_t> output_leaves);

  /// The maps of one of these output arrays.
  OutputIndexing Report(int64_t output_leaf, MapDirection direction);

  /// Whether the maps depend on which instruction gives an operand's value, so that they are not
  /// those of equal instructions.
  bool depends_on_values() const { return depends_on_values_; }

 private:
  using Frame = CallFrame;
  // Where the operands of an instruction collect what reaches them.
  using OperandLeaves = llvm::function_ref<ReachedLeaves*(size_t operand)>;

  class Sink;

  // A way in which an array of the operands is read.
  struct OperandRead {
    size_t operand = 0;
    int64_t leaf = 0;
    OutputSet outputs = kNoOutputs;
    // Why it is not exact; empty where it is.
    llvm::StringRef reason;
    const PlacedAccess* access = nullptr;
    // Null where it is not known which elements are read.
    AccessMaps* maps = nullptr;
  };

  // What outputs read that read the same: the reads of an array stand together.
  struct OutputReads {
    llvm::SmallVector<const OperandRead*, 4> reads;
    // By direction, once they have been asked for.
    std::optional<OutputIndexing> reports[2];
  };

  // An access that is to be written.
  struct SimplifiedAccess {
    DigitContext digits;
    Access access;
  };

  // Following.
  void Follow(const hlo::Computation& computation, int64_t leaf, Reached reached,
              const Frame& frame, OperandLeaves parameters);
  void Follow(const hlo::Computation& computation, ReachedLeaves reached, const Frame& frame,
              OperandLeaves parameters);
  bool MayNest(size_t depth) const;
  void FollowInstruction(const hlo::Instruction& instruction, ReachedLeaves& reached,
                         const Frame* frame, OperandLeaves operands);
  void FollowCalled(const hlo::Instruction& instruction, const ReachedLeaves& reached,
                    const Frame* frame, OperandLeaves operands);
  void FollowCall(const hlo::Instruction& call, const hlo::Computation& callee,
                  const ReachedLeaves& reached, const Frame* frame, OperandLeaves operands);
  bool AddFoundCall(const FoundCall& found, const hlo::Computation& callee, const CallTerms& terms,
                    const Frame& inside, OperandLeaves operands);
  bool AreNamed(llvm::ArrayRef<ReachedLeaves> found, const CallTerms& terms,
                size_t first_value) const;
  void FollowAsyncStart(const hlo::Instruction& start, const ReachedLeaves& reached,
                        const Frame* frame, OperandLeaves operands);
  void FollowConditional(const hlo::Instruction& conditional, const ReachedLeaves& reached,
                         const Frame* frame, OperandLeaves operands);
  void FollowWhile(const hlo::Instruction& loop, const ReachedLeaves& reached, const Frame* frame,
                   OperandLeaves operands);
  void FollowWhileByArrays(const hlo::Instruction& loop, const ReachedLeaves& reached,
                           llvm::ArrayRef<int64_t> leaves, OperandLeaves operands);
  void FollowWhileByElement(const hlo::Instruction& loop, int64_t leaf, const Reached& reached,
                            const Frame* frame, OperandLeaves operands);
  void FollowIteration(const hlo::Instruction& loop, ReachedLeaves fresh, const Frame& inside,
                       ReachedLeaves& before);
  bool AddToState(Reached& state, const Reached& found, const hlo::Shape& shape, Reached& fresh);
  const PlacedAccess* ScalarAccess(const PlacedAccess& access);
  void ApplyRule(const hlo::Instruction& instruction, int64_t leaf, const Reached& reached,
                 const Frame* frame, OperandLeaves operands);
  const InstructionClass* ClassToAsk(const hlo::Instruction& instruction, int64_t leaf);
  bool AddFoundReads(const InstructionClass& alike, const hlo::Instruction& instruction,
                     int64_t leaf, const Frame* frame, const Entry& entry, OperandLeaves operands);

  // Adding up.
  void AddParameters(const hlo::Computation& callee, llvm::ArrayRef<ReachedLeaves> found,
                     OperandLeaves operands);
  void AddUnknownToAll(const hlo::Instruction& instruction, llvm::StringRef reason,
                       OutputSet outputs, OperandLeaves operands);
  void PassUnknownOn(const hlo::Instruction& instruction, int64_t leaf, const Reached& reached,
                     OperandLeaves operands);
  void AddWhole(Reached& target, const hlo::Shape& shape, llvm::StringRef reason, OutputSet outputs,
                OutputSet with_device);

  // Accesses.
  llvm::StringRef Keep(llvm::StringRef reason) {
    return memory_.reasons.insert(reason).first->getKey();
  }
  enum class Device : uint8_t { kOwn, kAny };
  const PlacedAccess* DerivedAccess(const PlacedAccess& derived, const PlacedAccess& from);
  const PlacedAccess* WholeOf(const hlo::Shape& shape, Device device);
  void DropCovered(Reached& reached, const hlo::Shape& shape);
  OutputSet OutputsAbove(const Reached& reached, size_t max_accesses);
  void Limit(Reached& reached, const hlo::Shape& shape, const Frame& frame);
  void Loosen(Entry& entry, const hlo::Shape& shape);
  Sum RuntimeValue(DigitContext& digits, const hlo::Instruction& operand, llvm::ArrayRef<Sum> index,
                   Interval bounds, const Frame* frame, const Access& incoming, Access& access);
  static std::vector<const hlo::Instruction*> CallsTo(const Frame* frame);
  uint32_t NumberOfValue(const std::vector<const hlo::Instruction*>& path);
  Sum OwnDevice(DigitContext& digits, Access& access);
  void Compose(DigitContext& digits, const IndexingMap& map, Access& access);

  // Reporting.
  void ListOperandReads();
  void ListReadsOfOutputs();
  void Collect(llvm::ArrayRef<const OperandRead*> reads, MapDirection direction,
               OperandIndexing& indexing);
  AccessMaps& MapsOf(const PlacedAccess& access);
  WrittenMap Write(const PlacedAccess& access, MapDirection direction);
  SimplifiedAccess& Simplified(const PlacedAccess& access);
  std::optional<IndexingMap> MapOf(const PlacedAccess& placed, MapDirection direction);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  FollowerMemory& memory_;
  ArrayReadsFinder& array_reads_;
  DeviceCounts devices_;
  const hlo::Instruction& instruction_;
  llvm::SmallVector<int64_t, 1> output_leaves_;
  OutputSets sets_;
  LargeAccesses large_;
  RuntimeTable table_;
  // Runtime values by the calls that lead to an instruction, and the instruction.
  std::map<std::vector<const hlo::Instruction*>, uint32_t> runtime_numbers_;
  // Whether a value of an operand has been asked for.
  bool depends_on_values_ = false;
  AccessTable accesses_;
  // Null where the outputs have no elements.
  const SharedAccess* root_ = nullptr;
  // The accesses to whole arrays, by Device; null where there are no elements.
  llvm::SmallDenseMap<const hlo::Shape*, const PlacedAccess*, 4> wholes_[2];
  // What has reached the operands.
  std::vector<ReachedLeaves> operands_;
  // What the analysis does not remember of calls.
  CallMemory calls_;
  // How often something has been used that only this question has, or a limit.
  int64_t own_uses_ = 0;
  int64_t steps_ = 0;
  // How many computations are being followed, one in the other: the length of a frame's chain.
  size_t level_ = 0;
  // The greatest one since the call in work began.
  size_t deepest_level_ = 0;
  llvm::SmallVector<OperandRead, 4> operand_reads_;
  llvm::SmallVector<OutputReads, 1> reads_of_outputs_;
  // For each output the number of what it reads.
  llvm::SmallVector<size_t, 1> reads_number_;
  // Of accesses with runtime values.
  llvm::DenseMap<const PlacedAccess*, std::unique_ptr<AccessMaps>> maps_with_values_;
  std::map<const PlacedAccess*, SimplifiedAccess> simplified_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PATH_FOLLOWER_H_
