// An option whose value is a list of numbers of dimensions or results.
#ifndef HLO_INDEXING_TOOLS_NUMBERS_OPTION_H_
#define HLO_INDEXING_TOOLS_NUMBERS_OPTION_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

/// Numbers with ',' between; all by default, none if empty.
/// Example: --dimensions=0,2
class NumbersOption {
 public:
  NumbersOption(OptionTable& table, llvm::StringRef name, llvm::StringRef help)
      : text_(table, name, {.name = "list", .may_be_empty = true}, help), name_(name) {}

  /// Reads the list. False, after a message on standard error, if it is none.
  bool Parse();
  /// The numbers; all below `count` if the option is not given.
  std::vector<size_t> Of(size_t count) const;

 private:
  TextOption text_;
  llvm::StringRef name_;
  std::vector<size_t> numbers_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_NUMBERS_OPTION_H_
