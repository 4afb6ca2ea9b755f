// --input of subcommands that look at kernels: values of the entry's parameters.
#ifndef HLO_INDEXING_TOOLS_GIVEN_INPUTS_H_
#define HLO_INDEXING_TOOLS_GIVEN_INPUTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "codegen/explain/given_values.h"
#include "hlo/module.h"
#include "tools/exit_code.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

class GivenInputs {
 public:
  explicit GivenInputs(OptionTable& table);

  /// kBadUsage, after a message, if an option is not K=FILE.
  ExitCode Parse();
  /// Reads the files for a module, no more than `max_bytes` of each; `values` stays empty if there
  /// are none. A status that is not kFine comes with a message.
  ExitCode Load(const hlo::Module& module, uint64_t max_bytes,
                std::optional<explain::GivenValues>& values) const;

 private:
  TextListOption option_;
  // By the number of the parameter array, tuples flattened.
  std::map<int64_t, std::string> files_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_GIVEN_INPUTS_H_
