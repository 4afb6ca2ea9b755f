// Takes accesses from an instruction's output to its operands by its read rule. Private to the
// folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRANSFER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRANSFER_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_interner.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/query.h"
#include "indexing_analysis/propagation/widening.h"

namespace hlo_indexing::indexing_analysis {

/// The transfer functions of instructions without control flow. Most are applied once for each
/// class of instructions and access, in a context of their own (rule_results.h): those in
/// computations that are called, as these are visited again and again. The rule is applied here,
/// for this query, to the instruction of the query itself, where it looks at values, where its
/// instruction shares nothing, and to large accesses.
///
/// Example: of transpose(f32[6,4] x), dimensions={1,0}, whose output the access (d0) -> (d0, 2) has
/// reached, the operand is reached by (d0) -> (2, d0), for the same outputs.
class TransferFunctions {
 public:
  TransferFunctions(Query& query, Widening& widening) : query_(query), widening_(widening) {}

  /// Adds what the accesses to array `leaf` of the instruction's output read to what has reached
  /// the operands. `frame` is null for the instruction of the query.
  Dependences Apply(const hlo::Instruction& instruction, int64_t leaf, const AccessSet& accesses,
                    const CallFrame* frame, OperandSets operands);

 private:
  class Sink;

  // One access to one array of an instruction.
  struct Application {
    const hlo::Instruction& instruction;
    int64_t leaf;
    const CallFrame* frame;
    const AccessSet::Entry& entry;
    OperandSets operands;
  };

  const InstructionClass* ClassOf(const hlo::Instruction& instruction, int64_t leaf);
  bool AddRuleResults(const InstructionClass& instruction_class, const Application& application);
  Dependences ApplyRule(const Application& application);

  Query& query_;
  Widening& widening_;
  // For accesses that are large (access_interner.h).
  LargeAccesses large_;
};

/// An access derived from another one without values of its own: its runtime values are positions
/// in those of `from`.
const BoundAccess* BindDerived(Query& query, const BoundAccess& derived, const BoundAccess& from);

/// Nothing is known of what the outputs read of any operand array of an instruction.
void AddUnknownToOperands(Query& query, const hlo::Instruction& instruction, llvm::StringRef reason,
                          OutputSet outputs, OperandSets operands);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRANSFER_H_
