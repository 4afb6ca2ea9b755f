// The parser of modules, computations and instructions; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSE_MODULE_H_
#define HLO_INDEXING_HLO_PARSE_MODULE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "hlo/parse_state.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace hlo_indexing::hlo {

/// Parses one module from a stretch of a text.
class ModuleParser : private NameResolver {
 public:
  explicit ModuleParser(ParseState& state) : state_(state) {}

  /// Parses up to the end of the stretch or the next `HloModule`. False after an error.
  bool Parse();

 private:
  // A computation in work. Instructions that could not be parsed are known by name as null, so that
  // their uses are not reported too.
  struct Scope {
    ComputationBuilder builder;
    uint32_t serial;
    size_t offset;
    const Instruction* root = nullptr;
    Scope* outer = nullptr;
  };
  // A reference to be resolved when all computations are known.
  struct PendingReference {
    Instruction* instruction;
    PendingComputation target;
  };
  // The parts of an instruction that is being parsed.
  struct InstructionParts {
    ComputationBuilder::Spec spec;
    llvm::SmallVector<const Instruction*, 8> operands;
    llvm::SmallVector<Attribute, 8> attributes;
    llvm::SmallVector<PendingComputation, 1> pending;
    llvm::StringRef opcode_name;
  };
  enum class AsyncForm : uint8_t { kNone, kStart, kUpdate, kDone };

  bool TooManyErrors() const { return state_.diagnostics.size() >= state_.options.max_errors; }

  // parse_module.cc
  bool ParseHeader();
  bool ParseModuleAttributes();
  void ParseStackTables();
  bool ParseComputationAtTop();
  bool ParseSignature(const Shape*& result);
  const Computation* ParseBody(llvm::StringRef name, size_t offset, const Shape* result);
  bool CheckParameters(const Scope& scope);
  bool ResolvePending();
  bool CheckCalls();
  void SelectEntry();

  // parse_instruction.cc
  bool ParseInstruction(Scope& scope);
  void Recover(Scope& scope, llvm::StringRef name);
  Instruction* ParseOperation(Scope& scope, InstructionParts& parts);
  bool ParseOpcode(InstructionParts& parts, AsyncForm& form);
  bool ParseOperands(Scope& scope, InstructionParts& parts);
  const Instruction* ParseOperand(Scope& scope);
  const Instruction* ParseTupleElements(Scope& scope, const Instruction* operand);
  const Instruction* ParseInlineOperand(Scope& scope, const Shape* shape);
  const Instruction* LookUpOperand(Scope& scope, llvm::StringRef name, size_t offset);
  bool ParseAttributes(InstructionParts& parts);
  bool CheckParts(const InstructionParts& parts);
  bool WrapAsync(InstructionParts& parts, AsyncForm form);
  bool AddWrappedComputation(InstructionParts& parts);
  Instruction* Finish(Scope& scope, InstructionParts& parts);
  std::string UndefinedMessage(Scope& scope, llvm::StringRef name);

  // Names.
  void DefineInstruction(Scope& scope, llvm::StringRef name, const Instruction* instruction);
  /// The instruction of that name in the scope: null and true where its definition was in error.
  std::pair<const Instruction*, bool> LookUp(const Scope& scope, llvm::StringRef name) const;
  llvm::StringRef FreshName(llvm::StringRef base);

  const Computation* FindComputation(llvm::StringRef name) override;
  const Computation* ParseInlineComputation() override;
  const Instruction* FindInstruction(llvm::StringRef name) override;

  ParseState& state_;
  Scope* scope_ = nullptr;
  uint32_t next_serial_ = 0;
  uint32_t next_fresh_ = 0;
  std::string fresh_word_;
  // Instructions by name and the serial of their computation.
  llvm::DenseMap<std::pair<llvm::CachedHashStringRef, uint32_t>, const Instruction*> instructions_;
  llvm::DenseMap<llvm::CachedHashStringRef, const Computation*> computations_;
  std::vector<PendingReference> pending_;
  const Computation* marked_entry_ = nullptr;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSE_MODULE_H_
