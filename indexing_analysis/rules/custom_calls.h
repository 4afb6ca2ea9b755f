// What custom calls read: a registry that users of the library extend.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_CUSTOM_CALLS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_CUSTOM_CALLS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// One way in which an array of a custom call's output reads an array of an operand.
struct CustomCallRead {
  size_t operand = 0;
  /// The array of the operand by number, 0 unless the operand is a tuple.
  int64_t leaf = 0;
  /// From the index of the output's array to that of the operand's, without runtime variables.
  /// nullopt if every element is read.
  std::optional<IndexingMap> map;
  /// Why fewer elements may be read; empty where exactly these are.
  std::string superset_reason;
};

/// All that an array of the output reads.
using CustomCallReads = std::vector<CustomCallRead>;

/// What output array `output_leaf` of a custom call reads; nullopt if the rule cannot tell. Maps
/// are made in `context`.
using CustomCallRule = std::function<std::optional<CustomCallReads>(
    const hlo::Instruction& call, int64_t output_leaf, mlir::MLIRContext* context)>;

/// Rules by the target of the call. A call whose target has none has unknown maps.
class CustomCallRegistry {
 public:
  /// The targets of XLA itself whose results have the elements of their operand: Sharding,
  /// annotate_device_placement, MoveToDevice and so on, and TopK; and calls of cuBLAS, cuDNN and
  /// Transformer Engine, by their configuration (library_calls.h).
  static CustomCallRegistry WithXlaTargets();

  /// Sets the rule of a target, in place of the one that it had.
  ///
  /// Example: registry.Register("my_gelu", ReadSameIndex)
  void Register(llvm::StringRef target, CustomCallRule rule);
  /// Null if there is none.
  const CustomCallRule* Find(llvm::StringRef target) const;

  /// Adds the rules of a JSON text:
  ///
  ///   {"custom_calls": [
  ///     {"target": "my_gelu", "reads": "same_index"},
  ///     {"target": "my_attention", "reads": "everything"},
  ///     {"target": "my_transpose", "reads": [
  ///       {"output": 0, "operand": 0,
  ///        "map": "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]"},
  ///       {"output": 0, "operand": 1, "superset": "may stop early"}]}]}
  ///
  /// `output` numbers the arrays of the result; `leaf`, 0 if it is missing, those of the
  /// operand. Without `map` every element is read; `superset` says why fewer may be. A target that
  /// the text names twice is an error. Errors have the form file:line:column: message, with the
  /// line and a caret; then nothing is added.
  absl::Status AddJson(llvm::StringRef text, llvm::StringRef file_name, mlir::MLIRContext* context);

 private:
  std::map<std::string, CustomCallRule> rules_;
};

/// The rule of calls whose output array k has the elements of array k of all operands' arrays, at
/// the same index. nullopt if the sizes differ.
std::optional<CustomCallReads> ReadSameIndex(const hlo::Instruction& call, int64_t output_leaf,
                                             mlir::MLIRContext* context);

/// The rule of calls whose every output element may read every element of every operand.
std::optional<CustomCallReads> ReadEverything(const hlo::Instruction& call, int64_t output_leaf,
                                              mlir::MLIRContext* context);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_CUSTOM_CALLS_H_
