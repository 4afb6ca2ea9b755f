// Where a programmer wrote what an instruction computes, as far as its metadata say it.
#ifndef HLO_INDEXING_TOOLS_INSTRUCTION_METADATA_H_
#define HLO_INDEXING_TOOLS_INSTRUCTION_METADATA_H_

#include <string>
#include <utility>

#include "hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// Answers for the instructions of one module, which must outlive it.
class InstructionMetadata {
 public:
  explicit InstructionMetadata(const hlo::Module& module);

  /// Example: "jit(step)/layer_0/exp"; empty if there is none.
  static std::string OpName(const hlo::Instruction& instruction);
  /// Example: "model.py:12"; empty if there is none. From the metadata themselves, or from the
  /// tables of source locations that stand behind the header of the module.
  std::string Source(const hlo::Instruction& instruction) const;

 private:
  // Rows of the tables by number: names of files, files with lines, locations of frames.
  llvm::DenseMap<int64_t, llvm::StringRef> files_;
  llvm::DenseMap<int64_t, std::pair<int64_t, llvm::StringRef>> locations_;
  llvm::DenseMap<int64_t, int64_t> frames_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INSTRUCTION_METADATA_H_
