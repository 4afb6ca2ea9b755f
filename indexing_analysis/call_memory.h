// What has been found for calls of computations, for all questions that reach their results alike.
// Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_CALL_MEMORY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_CALL_MEMORY_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/reached.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "support/identified_set.h"

namespace hlo_indexing::indexing_analysis {

/// The outputs and runtime values of a question as a call sees them, whose result accesses have
/// reached. Outputs that are in the same of the accesses' sets are one class. Classes and values
/// have numbers that mean the same for each call that is reached alike.
class CallTerms {
 public:
  using Classes = llvm::SmallVector<uint32_t, 1>;

  CallTerms(OutputSets& sets, llvm::ArrayRef<Reached> result);

  /// Adds what has reached the result, in these terms.
  void Profile(llvm::FoldingSetNodeID& node_id) const;

  /// A set of outputs that holds whole classes.
  Classes ClassesOf(OutputSet outputs) const;
  OutputSet OutputsOf(const Classes& classes) const;
  OutputSets& sets() const { return sets_; }

  /// The numbers of the runtime values that the accesses came with, and of the device, ascending.
  llvm::ArrayRef<uint32_t> given() const { return given_; }

 private:
  void FindClasses();
  void FindGiven();

  OutputSets& sets_;
  llvm::ArrayRef<Reached> result_;
  // The sets of the accesses, numbered as they come.
  llvm::SmallDenseMap<OutputSet, uint32_t, 4> set_numbers_;
  // For each class the numbers of the sets that it is in, ascending; the classes are sorted by
  // that.
  std::vector<llvm::SmallVector<uint32_t, 2>> memberships_;
  // The outputs of each class, ascending.
  std::vector<llvm::SmallVector<unsigned, 1>> members_;
  llvm::SmallVector<uint32_t, 4> given_;
};

/// What the result of a call has been found to read of the operands.
struct FoundCall : support::IdentifiedNode {
  struct Read {
    const SharedAccess* access = nullptr;
    /// Its runtime values: first the given ones are numbered, then those below.
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
  std::vector<Array> arrays;
  /// The sets of outputs that the reads are for.
  std::vector<CallTerms::Classes> outputs;
  /// The calls inside that lead to an instruction, and the instruction, for each value that is
  /// computed inside, in the order in which they have been met.
  std::vector<llvm::SmallVector<const hlo::Instruction*, 2>> values;
  /// How many computations are followed for it, one in the other.
  size_t depth = 0;
};

/// What the answer for a call depends on apart from what has reached its result.
struct CallKey {
  const hlo::Computation* callee = nullptr;
  /// An async-start may give fewer operands than the callee has parameters.
  size_t num_operands = 0;
  bool is_in_loop = false;
  /// How many computations are being followed, where answers may be cut by how deep calls nest.
  size_t level = 0;
  /// The identity of the outputs.
  const SharedAccess* root = nullptr;
};

/// What is remembered of calls.
class CallMemory {
 public:
  /// What is known of a call whose result has been reached so; to be filled in if nothing is.
  FoundCall& Find(const CallKey& key, const CallTerms& terms);

 private:
  support::IdentifiedSet<FoundCall> calls_;
};

/// Fills in what a call has been found to read of its operands. `path` gives the calls and the
/// instruction of a runtime value, seen from the call.
void Remember(
    llvm::ArrayRef<ReachedLeaves> found, const CallTerms& terms,
    llvm::function_ref<llvm::SmallVector<const hlo::Instruction*, 2>(uint32_t number)> path,
    FoundCall& call);

/// Adds what is known of a call to what has reached its operands. `values` are the numbers of its
/// values in this question.
void Recall(const FoundCall& call, const hlo::Computation& callee, const CallTerms& terms,
            llvm::ArrayRef<uint32_t> values, AccessTable& accesses,
            llvm::function_ref<ReachedLeaves*(size_t operand)> operands);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_CALL_MEMORY_H_
