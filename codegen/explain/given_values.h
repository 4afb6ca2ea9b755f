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
#include <optional>
#include <utility>
#include <vector>

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

  /// The arrays of the runtime variables of a map of a kernel of the entry, by their number; null
  /// where the value is not known: it depends on arguments that are not given, on the device, or on
  /// what the interpreter does not run, or belongs to a computation inside of the kernel's.
  std::vector<std::shared_ptr<const indexing_analysis::KnownArray>> ArraysOf(
      const plan::KernelPlan& plan, const indexing_analysis::IndexingMap& map);

 private:
  using Array = std::shared_ptr<const indexing_analysis::KnownArray>;

  Array ArrayOf(const plan::KernelPlan& plan, const indexing_analysis::RuntimeVariable& variable);
  // nullopt if it is not known.
  std::optional<hlo::Value> ValueInEntry(const hlo::Instruction& instruction);

  const hlo::Computation& entry_;
  std::vector<hlo::Value> arguments_;
  hlo::InterpreterOptions options_;
  std::map<const hlo::Instruction*, std::optional<hlo::Value>> in_entry_;
  // By the kernel, the instruction and the array of its output.
  std::map<std::pair<const hlo::Instruction*, std::pair<const hlo::Instruction*, int64_t>>, Array>
      arrays_;
};

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_GIVEN_VALUES_H_
