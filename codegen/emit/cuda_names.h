// Names in source code: each is one thing where it can be seen. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_CUDA_NAMES_H_
#define HLO_INDEXING_CODEGEN_EMIT_CUDA_NAMES_H_

#include <string>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::emit {

class CudaNames {
 public:
  CudaNames() : scopes_(1) {}

  /// From now on names go with the scope.
  void Open() { scopes_.emplace_back(); }
  void Close() { scopes_.pop_back(); }

  /// A name that nothing else has here, as near to the wanted one as C++ allows.
  /// Example: "add.1" -> "add_1", and "add_1_2" if that is taken
  std::string Take(llvm::StringRef wanted);

 private:
  bool IsTaken(llvm::StringRef name) const;

  std::vector<llvm::StringSet<>> scopes_;
  llvm::StringMap<int> last_number_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CUDA_NAMES_H_
