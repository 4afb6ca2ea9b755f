// The parser of instructions; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSER_INSTRUCTION_H_
#define HLO_INDEXING_HLO_PARSER_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/parser/names.h"
#include "hlo/parser/state.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// A computation in work.
struct ComputationScope {
  ComputationBuilder builder;
  /// By NameTable::NewScope.
  uint32_t number;
  const Instruction* root = nullptr;
  /// The computation that an inline one stands in.
  ComputationScope* outer = nullptr;
};

/// A reference to a computation, to be resolved when all computations are known.
struct PendingReference {
  Instruction* instruction;
  PendingComputation target;
};

/// Parses the instructions of computations, and adds them to these.
class InstructionParser {
 public:
  /// `resolver` finds computations and parses inline ones.
  InstructionParser(ParseState& state, NameTable& names, NameResolver& resolver)
      : state_(state), names_(names), resolver_(resolver) {}

  /// Parses `[ROOT] name = [shape] opcode(operands), attributes`. After an error it has moved to
  /// where the next instruction may begin.
  bool Parse(ComputationScope& scope);

  /// The references to computations that were not known yet, in the order of the text.
  const std::vector<PendingReference>& pending() const { return pending_; }

 private:
  // The parts of an instruction that is being parsed.
  struct Parts {
    ComputationBuilder::Spec spec;
    llvm::SmallVector<const Instruction*, 8> operands;
    llvm::SmallVector<Attribute, 8> attributes;
    llvm::SmallVector<PendingComputation, 1> pending;
    llvm::StringRef opcode_name;
  };
  enum class AsyncForm : uint8_t { kNone, kStart, kUpdate, kDone };

  void Recover(ComputationScope& scope, llvm::StringRef name, size_t begin);
  Instruction* ParseOperation(ComputationScope& scope, Parts& parts);
  bool ParseOpcode(Parts& parts, AsyncForm& form);
  bool ParseOperands(ComputationScope& scope, Parts& parts);
  const Instruction* ParseOperand(ComputationScope& scope);
  const Instruction* ParseTupleElements(ComputationScope& scope, const Instruction* operand);
  const Instruction* ParseInlineOperand(ComputationScope& scope, const Shape* shape);
  const Instruction* LookUpOperand(ComputationScope& scope, llvm::StringRef name, size_t offset);
  bool ParseAttributes(Parts& parts);
  bool CheckSpelling(const Attribute& attribute);
  std::optional<size_t> OffsetOnLine(AttributeName name) const;
  bool CheckParts(const Parts& parts);
  bool WrapAsync(Parts& parts, AsyncForm form);
  bool AddWrappedComputation(Parts& parts);
  Instruction* Finish(ComputationScope& scope, Parts& parts);
  std::string UndefinedMessage(ComputationScope& scope, llvm::StringRef name);

  ParseState& state_;
  NameTable& names_;
  NameResolver& resolver_;
  std::vector<PendingReference> pending_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_INSTRUCTION_H_
