// The parser of modules and computations; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSER_MODULE_H_
#define HLO_INDEXING_HLO_PARSER_MODULE_H_

#include <cstddef>

#include "hlo/module.h"
#include "hlo/parser/instruction.h"
#include "hlo/parser/names.h"
#include "hlo/parser/state.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// Parses one module from a stretch of a text.
class ModuleParser : private NameResolver {
 public:
  explicit ModuleParser(ParseState& state)
      : state_(state), names_(state), instructions_(state, names_, *this) {}

  /// Parses up to the end of the stretch or the next `HloModule`. False after an error.
  bool Parse();

 private:
  /// After too many errors, or when whoever parses wants no more.
  bool MustEnd() { return state_.MustStop() || state_.HasTooManyErrors(); }

  bool ParseModule();
  bool ParseHeader();
  bool ParseModuleAttributes();
  bool CheckModuleAttribute(llvm::ArrayRef<Attribute> attributes, size_t offset);
  void ParseStackTables();
  bool ParseNamedComputation();
  bool ParseSignature(const Shape*& result);
  const Computation* ParseBody(llvm::StringRef name, size_t offset, const Shape* result);
  bool CheckParameters(const ComputationScope& scope);
  bool ResolvePending();
  bool CheckCalls();
  void SelectEntry();

  const Computation* FindComputation(llvm::StringRef name) override;
  const Computation* ParseInlineComputation() override;
  const Instruction* FindInstruction(llvm::StringRef name) override;

  ParseState& state_;
  NameTable names_;
  InstructionParser instructions_;
  ComputationScope* scope_ = nullptr;
  // What the text marks with ENTRY.
  const Computation* entry_ = nullptr;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_MODULE_H_
