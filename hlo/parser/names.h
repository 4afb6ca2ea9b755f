// The names that a module has defined so far, while it is parsed; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSER_NAMES_H_
#define HLO_INDEXING_HLO_PARSER_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "hlo/module.h"
#include "hlo/parser/state.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// Instructions and computations by name, and names that the text does not have.
class NameTable {
 public:
  explicit NameTable(ParseState& state) : state_(state) {}

  /// A number for a computation, whose instructions are looked up by it: names of instructions are
  /// unique in their computation only.
  uint32_t NewScope() { return num_scopes_++; }
  /// Null for an instruction that could not be parsed, so that its uses are not reported too.
  void DefineInstruction(uint32_t scope, llvm::StringRef name, const Instruction* instruction) {
    instructions_[{llvm::CachedHashStringRef(name), scope}] = instruction;
  }
  /// The instruction of that name in the scope: null and true if its definition was in error.
  std::pair<const Instruction*, bool> LookUpInstruction(uint32_t scope, llvm::StringRef name) const;

  void DefineComputation(const Computation* computation) {
    computations_[llvm::CachedHashStringRef(computation->name())] = computation;
  }
  /// Null if there is none so far.
  const Computation* LookUpComputation(llvm::StringRef name) const {
    return computations_.lookup(llvm::CachedHashStringRef(name));
  }

  /// A name that nothing else has, for what the text does not name.
  /// Example: "param" -> "param.inline.3"
  llvm::StringRef FreshName(llvm::StringRef base);

 private:
  ParseState& state_;
  uint32_t num_scopes_ = 0;
  uint32_t num_fresh_names_ = 0;
  // `.inline.`, or the like where the text has that word.
  std::string fresh_word_;
  // Instructions by name and the number of their scope.
  llvm::DenseMap<std::pair<llvm::CachedHashStringRef, uint32_t>, const Instruction*> instructions_;
  llvm::DenseMap<llvm::CachedHashStringRef, const Computation*> computations_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_NAMES_H_
