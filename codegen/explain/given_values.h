// Values known at run time, where the values of the entry's parameters are given: the rows that a
// gather looks up, the start of a dynamic-slice.
//
// Example: the tokens of an embedding. Without them the loads of its table are a range, from one
// row to as many as there are tokens; with them they are counted.
//
//   GivenValues values(module.entry(), arguments);
//   ReportAccesses(plan, plans, table, &values);
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_GIVEN_VALUES_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_GIVEN_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/interpreter/value.h"
#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/coalescing.h"

namespace hlo_indexing::explain {

class GivenValues {
 public:
  /// Arguments of the entry that are not given are empty values. The module must outlive this.
  GivenValues(const hlo::Computation& entry, std::vector<hlo::Value> arguments,
              const hlo::InterpreterOptions& options = {});

  using Array = std::shared_ptr<const indexing_analysis::KnownArray>;
  struct Arrays {
    /// By runtime variable, null where the value is not known.
    std::vector<Array> by_variable;
    /// Why the first of these is not known. Example: "%start is not known: instruction 'p1'
    /// (parameter) of computation 'e': its value is not known"
    std::string reason;
  };
  /// The arrays of the runtime variables of a map of a kernel of the entry. A value is not known if
  /// it depends on arguments that are not given, on the device, or on what the interpreter does not
  /// run, or belongs to a computation inside of the kernel's; or if it is stopped (the options'
  /// keep_running).
  Arrays ArraysOf(const plan::KernelPlan& plan, const indexing_analysis::IndexingMap& map);

 private:
  absl::StatusOr<Array> ArrayOf(const plan::KernelPlan& plan,
                                const indexing_analysis::RuntimeVariable& variable);
  // Of an instruction of the entry, or of the computation of a fusion there.
  absl::StatusOr<Array> Evaluate(const plan::KernelPlan& plan, const hlo::Instruction& instruction,
                                 int64_t leaf);
  const absl::StatusOr<hlo::Value>& ValueInEntry(const hlo::Instruction& instruction);

  const hlo::Computation& entry_;
  std::vector<hlo::Value> arguments_;
  hlo::InterpreterOptions options_;
  std::map<const hlo::Instruction*, absl::StatusOr<hlo::Value>> in_entry_;
  // By the kernel, the instruction and the array of its output.
  std::map<std::pair<const hlo::Instruction*, std::pair<const hlo::Instruction*, int64_t>>,
           absl::StatusOr<Array>>
      arrays_;
};

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_GIVEN_VALUES_H_
