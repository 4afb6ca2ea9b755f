// Applies read rules to interned accesses, for all queries. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RULE_RESULTS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RULE_RESULTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_interner.h"
#include "indexing_analysis/propagation/instruction_classes.h"
#include "indexing_analysis/propagation/options.h"
#include "indexing_analysis/rules/read_context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::indexing_analysis {

/// An operand array that a rule reads.
struct RuleRead {
  size_t operand = 0;
  int64_t leaf = 0;
  /// Its runtime values are positions in those of the access that the rule was given. Without an
  /// interned access, the array is read at the index of the output.
  BoundAccess access;
  /// Why it covers more than is read; empty if it does not.
  llvm::StringRef reason;
};
using RuleReads = llvm::SmallVector<RuleRead, 1>;

/// Applies each rule once for each class of instructions and access. Each application has a context
/// of its own, so that the result does not depend on what was queried before.
///
/// Example: in a module with forty transposes of f32[8,64] with dimensions={1,0}, all of one class,
/// the rule of transpose is applied to the identity (d0, d1) -> (d0, d1) once, and its result,
/// operand 0 at (d0, d1) -> (d1, d0), serves all of them.
class RuleResults {
 public:
  RuleResults(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
              AccessInterner& accesses)
      : mlir_context_(mlir_context), options_(options), accesses_(accesses) {}

  /// What the rule of an instruction of the class reads for an access to its array `output_leaf`,
  /// in canonical accesses. Null if the rule has to be applied in the query: it looks at runtime
  /// values or the executing device, says that something is unknown, or reads by a map that is
  /// registered. Valid until the next call.
  const RuleReads* Find(const InstructionClass& instruction_class,
                        const hlo::Instruction& instruction, int64_t output_leaf,
                        const DeviceCounts& devices, const InternedAccess& access);

  /// The access to a scalar that every element that `access` reaches depends on, with positions in
  /// its runtime values.
  BoundAccess Scalar(const InternedAccess& access);

 private:
  class Sink;

  std::optional<RuleReads> Apply(const hlo::Instruction& instruction, int64_t output_leaf,
                                 const DeviceCounts& devices, const InternedAccess& access);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  AccessInterner& accesses_;
  llvm::StringSet<> reasons_;
  // nullopt if the rule has to be applied in each query.
  llvm::DenseMap<std::pair<const InstructionClass*, const InternedAccess*>,
                 std::optional<RuleReads>>
      reads_;
  llvm::DenseMap<const InternedAccess*, BoundAccess> scalars_;
};

/// Brings an access into the form in which equal ones are found to be equal: tightens its domain
/// (simplifier::Tighten), numbers its ranges, and leaves out constraints beyond 64. Returns why it
/// covers more than is read; empty if it does not.
std::string Canonicalize(DigitContext& digits, const AnalysisOptions& options, Access& access);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RULE_RESULTS_H_
