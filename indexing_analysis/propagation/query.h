// What the parts of one propagation share, and what propagations share with each other. Private to
// the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_QUERY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_QUERY_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_interner.h"
#include "indexing_analysis/propagation/array_reads.h"
#include "indexing_analysis/propagation/call_summary.h"
#include "indexing_analysis/propagation/instruction_classes.h"
#include "indexing_analysis/propagation/options.h"
#include "indexing_analysis/propagation/output_set.h"
#include "indexing_analysis/propagation/rule_results.h"
#include "indexing_analysis/propagation/runtime_values.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::indexing_analysis {

class Trace;

/// What the queries of an analysis share.
struct PropagationMemory {
  PropagationMemory(mlir::MLIRContext* mlir_context, const AnalysisOptions& options)
      : accesses(!options.disabled_memo_tables.IsDisabled(MemoTable::kLargeAccesses)),
        classes(options),
        rules(mlir_context, options, accesses),
        calls(!options.disabled_memo_tables.IsDisabled(MemoTable::kCallSummaries)) {}

  AccessInterner accesses;
  InstructionClasses classes;
  RuleResults rules;
  CallSummaries calls;
  /// The reasons in answers.
  llvm::StringSet<> reasons;
};

/// The state of one query: which elements of the operands some outputs of an instruction read.
struct Query {
  mlir::MLIRContext* mlir_context;
  const AnalysisOptions& options;
  PropagationMemory& memory;
  /// Of the module of the instruction, which runs on so many devices.
  ArrayReadsFinder& array_reads;
  DeviceCounts devices;
  OutputSets outputs;
  BoundAccesses accesses = {};
  RuntimeValues values;
  /// The access with which propagation starts; null if the outputs have no elements.
  const InternedAccess* identity = nullptr;
  /// How many reads have been propagated.
  int64_t steps = 0;
  /// Null if nobody wants to see them.
  Trace* trace = nullptr;

  llvm::StringRef Intern(llvm::StringRef reason) {
    return memory.reasons.insert(reason).first->getKey();
  }
  bool IsDisabled(MemoTable table) const { return options.disabled_memo_tables.IsDisabled(table); }
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_QUERY_H_
