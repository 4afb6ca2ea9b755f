// Which files the values of a module's parameters are in.
#ifndef HLO_INDEXING_TOOLS_ARRAY_INPUTS_H_
#define HLO_INDEXING_TOOLS_ARRAY_INPUTS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::tools {

/// Which array an --input is for: the K-th of the entry's parameters, their tuples flattened, on
/// one device or on all.
struct InputKey {
  int64_t device = -1;
  int64_t leaf = 0;

  friend auto operator<=>(const InputKey&, const InputKey&) = default;
};

using InputFiles = std::map<InputKey, std::string>;

/// From K=FILE or K@DEVICE=FILE; false after a message.
bool ParseInputs(llvm::ArrayRef<std::string> inputs, InputFiles& files);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_ARRAY_INPUTS_H_
