// Modules, computations and instructions, as HLO has them.
//
// A module owns everything below it in one arena; instructions and computations are plain objects
// that point to each other and view the module's text. Operands stand before their users.
#ifndef HLO_INDEXING_HLO_MODULE_H_
#define HLO_INDEXING_HLO_MODULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/attribute.h"
#include "hlo/literal.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "support/diagnostics.h"
#include "support/line_index.h"

namespace hlo_indexing::hlo {

class Module;

/// One operation of a computation.
class Instruction {
 public:
  Opcode opcode() const { return opcode_; }
  /// The name without `%`; unique in its computation.
  llvm::StringRef name() const { return name_; }
  const Shape& shape() const { return *shape_; }
  llvm::ArrayRef<const Instruction*> operands() const { return operands_; }
  const Instruction& operand(size_t i) const { return *operands_[i]; }
  /// The instructions that have this one as an operand, each once, in order.
  llvm::ArrayRef<const Instruction*> users() const { return users_; }
  const Computation& parent() const { return *parent_; }
  /// The position among the parent's instructions.
  int64_t index() const { return index_; }
  bool IsRoot() const;

  llvm::ArrayRef<Attribute> attributes() const { return attributes_; }
  /// The attribute of that name, or null; null for kOther.
  const Attribute* Find(AttributeName name) const;
  /// The value of an attribute; nullopt if it is missing or of another type.
  /// Example: Get<int64_t>(AttributeName::kIndex)
  template <typename T>
  std::optional<T> Get(AttributeName name) const {
    const Attribute* attribute = Find(name);
    if (attribute == nullptr) return std::nullopt;
    const T* value = std::get_if<T>(&attribute->value);
    return value == nullptr ? std::nullopt : std::optional<T>(*value);
  }
  /// The value of an attribute that the verifier has found to be there, and of this type.
  template <typename T>
  const T& Required(AttributeName name) const {
    return std::get<T>(Find(name)->value);
  }
  /// A list of integers; empty if it is missing.
  /// Example: Integers(AttributeName::kDimensions)
  llvm::ArrayRef<int64_t> Integers(AttributeName name) const {
    return Get<llvm::ArrayRef<int64_t>>(name).value_or(llvm::ArrayRef<int64_t>());
  }
  /// The computations one of which a conditional runs, branch i on operand i + 1:
  /// branch_computations, or true_computation and false_computation. Empty if these are missing.
  llvm::SmallVector<const Computation*, 4> Branches() const;
  /// A computation such as to_apply, calls, condition or body; null if it is missing.
  const Computation* Callee(AttributeName name) const {
    return Get<const Computation*>(name).value_or(nullptr);
  }
  /// All computations that it calls, in the order of its attributes.
  llvm::SmallVector<const Computation*, 2> Callees() const;

  /// kParameter: its number.
  int64_t parameter_number() const {
    return opcode_ == Opcode::kParameter ? parameter_number_ : -1;
  }
  /// kConstant: its value.
  const Literal* literal() const { return opcode_ == Opcode::kConstant ? literal_ : nullptr; }

  /// Where the name and the opcode stand in the module's text.
  uint32_t offset() const { return offset_; }
  uint32_t opcode_offset() const { return opcode_offset_; }

 private:
  friend class Module;
  friend class ComputationBuilder;

  Opcode opcode_ = Opcode::kTuple;
  llvm::StringRef name_;
  const Shape* shape_ = nullptr;
  llvm::ArrayRef<const Instruction*> operands_;
  llvm::ArrayRef<const Instruction*> users_;
  llvm::MutableArrayRef<Attribute> attributes_;
  const Computation* parent_ = nullptr;
  union {
    const Literal* literal_ = nullptr;
    int64_t parameter_number_;
  };
  int64_t index_ = 0;
  uint32_t offset_ = 0;
  uint32_t opcode_offset_ = 0;
};

/// A function of HLO: instructions, one of which is the root.
class Computation {
 public:
  llvm::StringRef name() const { return name_; }
  const Module& parent() const { return *parent_; }
  /// All instructions, operands before users.
  llvm::ArrayRef<const Instruction*> instructions() const { return instructions_; }
  const Instruction& root() const { return *root_; }
  /// The parameters by number.
  llvm::ArrayRef<const Instruction*> parameters() const { return parameters_; }
  llvm::ArrayRef<Attribute> attributes() const { return attributes_; }
  bool IsEntry() const;
  /// The position among the module's computations.
  int64_t index() const { return index_; }
  uint32_t offset() const { return offset_; }

  /// The instructions that the root depends on, operands before users.
  std::vector<const Instruction*> PostOrder() const;

 private:
  friend class Module;
  friend class ComputationBuilder;

  llvm::StringRef name_;
  const Module* parent_ = nullptr;
  llvm::ArrayRef<const Instruction*> instructions_;
  llvm::ArrayRef<const Instruction*> parameters_;
  llvm::ArrayRef<Attribute> attributes_;
  const Instruction* root_ = nullptr;
  int64_t index_ = 0;
  uint32_t offset_ = 0;
};

/// A whole program. Owns its computations, shapes and, if it was parsed, shares the text that
/// names and unparsed attributes point into.
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  llvm::StringRef name() const { return name_; }
  llvm::ArrayRef<Attribute> attributes() const { return attributes_; }
  /// In the order of the text, callees first if the text has it so.
  llvm::ArrayRef<const Computation*> computations() const { return computations_; }
  const Computation& entry() const { return *entry_; }
  /// Whether the text says ENTRY; else the last computation is the entry.
  bool has_entry_keyword() const { return has_entry_keyword_; }
  /// The computation of that name, or null.
  const Computation* FindComputation(llvm::StringRef name) const;
  /// The tables of source locations after the header, as written; empty if there are none.
  llvm::StringRef stack_tables() const { return stack_tables_; }
  int64_t num_instructions() const { return num_instructions_; }

  /// The text that offsets refer to, and its name; empty for a module that was built.
  llvm::StringRef text() const { return text_ == nullptr ? llvm::StringRef() : *text_; }
  llvm::StringRef file_name() const { return file_name_; }
  /// Both, for diagnostics.
  support::SourceText source() const { return {file_name_, text(), lines_.get()}; }
  /// The position of the byte at `offset` of the text.
  support::SourcePosition Locate(size_t offset) const;

  ShapePool& shapes() { return shapes_; }

  // Building. The parser and programs that make modules use these with ComputationBuilder.
  void set_name(llvm::StringRef name) { name_ = name; }
  void set_stack_tables(llvm::StringRef tables) { stack_tables_ = tables; }
  void set_attributes(llvm::ArrayRef<Attribute> attributes) { attributes_ = attributes; }
  void set_entry(const Computation* entry) { entry_ = entry; }
  void set_has_entry_keyword(bool has_it) { has_entry_keyword_ = has_it; }
  /// The lines are those of the text; modules of one text share them.
  void SetText(std::shared_ptr<const std::string> text,
               std::shared_ptr<const support::LineIndex> lines, std::string file_name);
  /// Copies into the module's arena.
  llvm::StringRef Copy(llvm::StringRef text) { return text.copy(allocator_); }
  template <typename T>
  llvm::MutableArrayRef<T> Copy(llvm::ArrayRef<T> values) {
    if (values.empty()) return {};
    T* copies = allocator_.Allocate<T>(values.size());
    std::uninitialized_copy(values.begin(), values.end(), copies);
    return {copies, values.size()};
  }
  template <typename T, typename... Arguments>
  T* Make(Arguments&&... arguments) {
    return new (allocator_.Allocate<T>()) T(std::forward<Arguments>(arguments)...);
  }
  /// Replaces the computations that attributes refer to, as `resolve` says; for references made
  /// before their computation.
  template <typename Resolve>
  void ResolveComputations(Instruction& instruction, Resolve resolve) {
    for (Attribute& attribute : instruction.attributes_) resolve(attribute);
  }

 private:
  friend class ComputationBuilder;

  llvm::BumpPtrAllocator allocator_;
  ShapePool shapes_;
  llvm::StringRef name_;
  llvm::StringRef stack_tables_;
  llvm::ArrayRef<Attribute> attributes_;
  std::vector<const Computation*> computations_;
  const Computation* entry_ = nullptr;
  bool has_entry_keyword_ = true;
  int64_t num_instructions_ = 0;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const support::LineIndex> lines_;
  std::string file_name_;
};

/// Makes one computation of a module, instruction by instruction.
class ComputationBuilder {
 public:
  /// The computation has its address from the start; it is complete after Finish.
  ComputationBuilder(Module& module, llvm::StringRef name);

  /// What an instruction is made of. The pieces are copied into the module; the name must be unique
  /// in the computation.
  struct Spec {
    Opcode opcode = Opcode::kTuple;
    llvm::StringRef name;
    const Shape* shape = nullptr;
    llvm::ArrayRef<const Instruction*> operands;
    llvm::ArrayRef<Attribute> attributes;
    int64_t parameter_number = 0;
    const Literal* literal = nullptr;
    uint32_t offset = 0;
    uint32_t opcode_offset = 0;
  };
  Instruction* Add(const Spec& spec);
  /// Gives a shape to an instruction that was added without one.
  void SetShape(Instruction& instruction, const Shape* shape) { instruction.shape_ = shape; }

  llvm::ArrayRef<const Instruction*> instructions() const { return instructions_; }
  Computation* computation() { return computation_; }

  /// Adds the computation to the module. Without a root, the last instruction is it; there must be
  /// one. Parameters must be numbered from 0 without gaps.
  Computation* Finish(const Instruction* root, llvm::ArrayRef<Attribute> attributes,
                      uint32_t offset = 0);

 private:
  void LinkUsers();

  Module& module_;
  Computation* computation_;
  std::vector<Instruction*> made_;
  std::vector<const Instruction*> instructions_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_MODULE_H_
