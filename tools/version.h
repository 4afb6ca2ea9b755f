// The version of the program.
#ifndef HLO_INDEXING_TOOLS_VERSION_H_
#define HLO_INDEXING_TOOLS_VERSION_H_

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// Example: "0.1.0"
inline llvm::StringRef ToolVersion() { return HLO_INDEXING_VERSION; }

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_VERSION_H_
