// The tables in which an analysis remembers what it has found.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MEMOIZATION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MEMOIZATION_H_

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// A table that saves time and changes no answer. bench/README.md says what each one gains.
enum class MemoTable : uint8_t {
  kClassOfInstruction,  // the equivalence class of an instruction, once its fingerprint is known
  kClassAnswers,        // the answers for all instructions of a class
  kForwardedArrays,     // the identity map of a shape, for tuples and get-tuple-elements
  kLastQuery,           // the propagation of the last query: its other outputs and direction
  kRuleResults,         // what a rule makes of an access, for all instructions of a class
  kScalars,             // the access to a scalar that everything an access reaches depends on
  kWholeArrays,         // the access of a query to every element of an array
  kCallSummaries,       // what a call or branch reads, for all whose result is reached alike
  kQueryCallSummaries,  // the same if it holds for one query only
  kEqualOutputs,        // the answer for all outputs of an instruction that read the same
  kWrittenMaps,         // the maps of an access without runtime values, for all queries
  kQueryWrittenMaps,    // the maps of an access with runtime values, for one query
  kLargeAccesses,       // copies of the quotient variables of large accesses, for one query
  kArrayReads,          // which arrays a computation or loop reads, whatever their elements
  kDeviceCounts,        // how many devices run a module
};
inline constexpr size_t kNumMemoTables = 15;

/// "class-of-instruction" and so on, as the benchmark shows it.
llvm::StringRef MemoTableName(MemoTable table);

/// The tables that an analysis does without, for benchmarks and tests.
class DisabledMemoTables {
 public:
  void Disable(MemoTable table) { disabled_.set(static_cast<size_t>(table)); }
  bool IsDisabled(MemoTable table) const { return disabled_.test(static_cast<size_t>(table)); }

 private:
  std::bitset<kNumMemoTables> disabled_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_MEMOIZATION_H_
