// What the rules of instructions that read alike have found. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULE_MEMORY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULE_MEMORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/access_table.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/instruction_classes.h"
#include "indexing_analysis/read_rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::indexing_analysis {

/// An operand array that a rule has found to be read.
struct FoundRead {
  size_t operand = 0;
  int64_t leaf = 0;
  /// Its runtime values are places of those of the access that the rule was given. Null where it is
  /// read at the index of the output.
  PlacedAccess access;
  /// Why it covers more than is read; empty where it does not.
  llvm::StringRef reason;
};
using FoundReads = llvm::SmallVector<FoundRead, 1>;

/// Applies rules once for each class of instructions and access, and remembers other accesses that
/// come again and again. Each is found in a context of its own, so that it does not depend on what
/// was asked before.
class RuleMemory {
 public:
  RuleMemory(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
             SharedAccesses& shared_accesses)
      : mlir_context_(mlir_context), options_(options), shared_accesses_(shared_accesses) {}

  /// What the rule of an instruction of the class finds for an access to its array `output_leaf`,
  /// in settled accesses. Null where that depends on further values.
  const FoundReads* Find(const InstructionClass& instruction_class,
                         const hlo::Instruction& instruction, int64_t output_leaf,
                         const DeviceCounts& devices, const SharedAccess& shared);

  /// The element of an array of these sizes itself. Null where there is none.
  const SharedAccess* Identity(llvm::ArrayRef<int64_t> sizes);
  /// Every element of an array of these sizes, for every element that `identity` is of; on any of
  /// the devices unless there are 0. Null where there is none.
  const SharedAccess* Whole(const SharedAccess& identity, llvm::ArrayRef<int64_t> sizes,
                            int64_t devices);
  /// A scalar that every element that the access reaches depends on, with places of its runtime
  /// values.
  const PlacedAccess& Scalar(const SharedAccess& shared);

 private:
  class Sink;

  std::optional<FoundReads> Apply(const hlo::Instruction& instruction, int64_t output_leaf,
                                  const DeviceCounts& devices, const SharedAccess& shared);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  SharedAccesses& shared_accesses_;
  llvm::StringSet<> reasons_;
  /// Nothing where the rule has to be asked each time.
  llvm::DenseMap<std::pair<const InstructionClass*, const SharedAccess*>, std::optional<FoundReads>>
      reads_;
  using Sizes = llvm::SmallVector<int64_t, 4>;
  std::map<Sizes, const SharedAccess*> identities_;
  std::map<std::tuple<const SharedAccess*, Sizes, int64_t>, const SharedAccess*> wholes_;
  llvm::DenseMap<const SharedAccess*, PlacedAccess> scalars_;
};

/// Brings an access into the form in which equal ones are found to be equal. Returns why it covers
/// more than is read; empty where it does not.
std::string Settle(DigitContext& digits, const AnalysisOptions& options, Access& access);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULE_MEMORY_H_
