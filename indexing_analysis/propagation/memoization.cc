#include "indexing_analysis/propagation/memoization.h"

namespace hlo_indexing::indexing_analysis {

llvm::StringRef MemoTableName(MemoTable table) {
  switch (table) {
    case MemoTable::kClassOfInstruction:
      return "class-of-instruction";
    case MemoTable::kClassAnswers:
      return "class-answers";
    case MemoTable::kForwardedArrays:
      return "forwarded-arrays";
    case MemoTable::kLastQuery:
      return "last-query";
    case MemoTable::kRuleResults:
      return "rule-results";
    case MemoTable::kScalars:
      return "scalars";
    case MemoTable::kWholeArrays:
      return "whole-arrays";
    case MemoTable::kCallSummaries:
      return "call-summaries";
    case MemoTable::kQueryCallSummaries:
      return "query-call-summaries";
    case MemoTable::kEqualOutputs:
      return "equal-outputs";
    case MemoTable::kWrittenMaps:
      return "written-maps";
    case MemoTable::kQueryWrittenMaps:
      return "query-written-maps";
    case MemoTable::kLargeAccesses:
      return "large-accesses";
    case MemoTable::kArrayReads:
      return "array-reads";
    case MemoTable::kDeviceCounts:
      return "device-counts";
  }
  return "";
}

}  // namespace hlo_indexing::indexing_analysis
