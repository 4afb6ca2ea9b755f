// --check
#ifndef HLO_INDEXING_TOOLS_CHECK_OPTION_H_
#define HLO_INDEXING_TOOLS_CHECK_OPTION_H_

#include <optional>

#include "codegen/ptx/machine/launch_state.h"
#include "llvm/ADT/StringRef.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

/// Which faults the virtual GPU looks for, under the names of compute-sanitizer.
class CheckOption {
 public:
  /// `default_text` says what is looked for if the option is not given.
  CheckOption(OptionTable& table, llvm::StringRef default_text)
      : names_(table, "check", {"checks"},
               "memcheck, initcheck, racecheck, synccheck, several with commas, or all; accesses "
               "out of bounds are always found",
               default_text.str()) {}

  bool is_given() const { return names_.is_given(); }
  /// nullopt, after a message on standard error, if a name is none.
  std::optional<ptx::Checks> Parse() const;

 private:
  TextOption names_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_CHECK_OPTION_H_
