// Lists of numbers for people.
#ifndef HLO_INDEXING_TOOLS_NUMBER_LIST_H_
#define HLO_INDEXING_TOOLS_NUMBER_LIST_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// Numbers in ascending order. Example: {3, 5, 6, 7} -> "3, 5 to 7"
std::string NumbersText(llvm::ArrayRef<int64_t> numbers);

/// Numbers in ascending order and what they number.
/// Example: ("operand", {0}) -> "operand 0", ("operand", {0, 1, 2}) -> "operands 0 to 2"
std::string Numbered(llvm::StringRef what, llvm::ArrayRef<int64_t> numbers);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_NUMBER_LIST_H_
