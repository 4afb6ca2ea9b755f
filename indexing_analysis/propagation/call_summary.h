// What calls read, for all queries that reach their results alike. Private to the folder.
//
// Example: a module calls  double(p) = p + p  ten times and each time the result is reached by
// the identity. The first call is propagated through and its summary, parameter 0 at the identity
// for all outputs, is memoized in terms that hold for the other nine: outputs as classes of outputs
// that the result's accesses do not tell apart, runtime values by their order.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_SUMMARY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_SUMMARY_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "support/identified_set.h"

namespace hlo_indexing::indexing_analysis {

/// What the result of a call reads of the callee's parameters, and what that depends on.
struct CallSummary {
  std::vector<AccessSets> parameters;
  Dependences dependences;
};

/// The calls inside a call that lead to an instruction, and the instruction.
using ValuePath = llvm::SmallVector<const hlo::Instruction*, 2>;

/// The outputs and runtime values of a query as a call sees them whose result accesses have
/// reached. Outputs that are in the same of the accesses' sets are one class. Classes and values
/// have numbers that mean the same for each call that is reached alike.
class CallNumbering {
 public:
  using Classes = llvm::SmallVector<uint32_t, 1>;

  CallNumbering(OutputSets& sets, llvm::ArrayRef<AccessSet> result);

  /// Adds what has reached the result, in these numbers.
  void AddFingerprint(llvm::FoldingSetNodeID& node_id) const;

  /// Of a set of outputs that holds whole classes.
  Classes ClassesOf(OutputSet outputs) const;
  OutputSet OutputsOf(const Classes& classes) const;
  OutputSets& sets() const { return sets_; }

  /// The runtime values of the accesses, and the executing device, ascending.
  llvm::ArrayRef<uint32_t> given_values() const { return given_values_; }

 private:
  void FindClasses();
  void FindGivenValues();

  OutputSets& sets_;
  llvm::ArrayRef<AccessSet> result_;
  // The sets of the accesses, numbered as they come.
  llvm::SmallDenseMap<OutputSet, uint32_t, 4> set_numbers_;
  // For each class the numbers of the sets that it is in, ascending; the classes are sorted by
  // that.
  std::vector<llvm::SmallVector<uint32_t, 2>> memberships_;
  // The outputs of each class, ascending.
  std::vector<llvm::SmallVector<unsigned, 1>> members_;
  llvm::SmallVector<uint32_t, 4> given_values_;
};

/// The summary of a call in the numbers of a CallNumbering.
struct MemoizedCall : support::IdentifiedNode {
  struct Read {
    const InternedAccess* access = nullptr;
    /// Numbers of its runtime values: the given ones come first, then those of `values`.
    llvm::SmallVector<uint32_t, 2> runtime;
    llvm::StringRef reason;
    /// In `outputs`.
    size_t outputs = 0;
  };
  struct Array {
    size_t operand = 0;
    int64_t leaf = 0;
    llvm::SmallVector<Read, 1> reads;
    llvm::SmallVector<std::pair<llvm::StringRef, size_t>, 0> unknown;
  };

  bool is_known = false;
  /// How many computations a call is nested in, its own included, for which this holds: above 0
  /// for one that nests so deep that nobody knows what it reads.
  size_t min_depth = 0;
  std::vector<Array> arrays;
  /// The sets of outputs that the reads are for.
  std::vector<CallNumbering::Classes> outputs;
  /// The values that are computed inside, in the order in which they were met.
  std::vector<ValuePath> values;
  Dependences dependences;

  /// Forgets what is known.
  void Clear() {
    is_known = false;
    min_depth = 0;
    arrays.clear();
    outputs.clear();
    values.clear();
  }
};

/// What the summary of a call depends on apart from what has reached its result.
struct CallKey {
  const hlo::Computation* callee = nullptr;
  /// An async-start may give fewer operands than the callee has parameters.
  size_t num_operands = 0;
  bool is_in_loop = false;
  bool is_in_whole_loop = false;
  /// How many computations the call is nested in, if that may have cut the summary; else 0.
  size_t depth = 0;
  /// The identity of the outputs.
  const InternedAccess* identity = nullptr;
};

/// Memoized summaries.
class CallSummaries {
 public:
  /// If not enabled, nothing is ever known.
  explicit CallSummaries(bool is_enabled) : is_enabled_(is_enabled) {}

  /// What is known of a call whose result has been reached so; to be filled in if it is not.
  MemoizedCall& Find(const CallKey& key, const CallNumbering& numbering);

 private:
  bool is_enabled_;
  support::IdentifiedSet<MemoizedCall> calls_;
  MemoizedCall nothing_;
};

/// Fills in the first parameters of a summary. `path_of` gives the path of a runtime value, seen
/// from the call.
void Memoize(llvm::ArrayRef<AccessSets> parameters, const Dependences& dependences,
             const CallNumbering& numbering, llvm::function_ref<ValuePath(uint32_t number)> path_of,
             MemoizedCall& call);

/// Whether of every array that the summary reaches nothing is known. Then a call that is nested
/// deeper, where the limit cuts earlier, knows nothing of these either.
bool IsUnknown(const CallSummary& summary);

/// Adds what is known of a call to what has reached its operands. `values` are the numbers of its
/// values in this query.
void Recall(const MemoizedCall& call, const hlo::Computation& callee,
            const CallNumbering& numbering, llvm::ArrayRef<uint32_t> values,
            BoundAccesses& accesses, OperandSets operands);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_SUMMARY_H_
