#include "codegen/ptx/syntax/printer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/ptx/syntax/module.h"
#include "codegen/ptx/syntax/special_registers.h"

namespace hlo_indexing::ptx::syntax {
namespace {

std::string Hex(uint64_t bits, int digits) {
  std::string result(static_cast<size_t>(digits), '0');
  for (size_t i = result.size(); i-- > 0; bits >>= 4) result[i] = "0123456789ABCDEF"[bits & 15];
  return result;
}

std::string Decimal(int64_t value) { return std::to_string(value); }

// Registers that were declared together, by `.reg .v2 .b32 %r<4>`.
struct RegisterGroup {
  size_t first = 0;
  size_t count = 1;
  size_t width = 1;
  bool is_range = false;
};

// `%r<4>` of the registers from `first` on, of which the parser makes what they are.
RegisterGroup GroupAt(const std::vector<Register>& registers, size_t first) {
  const Register& head = registers[first];
  RegisterGroup group{first, 1, 1, head.number == 0};
  size_t next = first + 1;
  const auto is_member = [&](size_t number, size_t component) {
    if (next >= registers.size()) return false;
    const Register& r = registers[next];
    return r.name == head.name && r.type == head.type && r.place.offset == head.place.offset &&
           r.number == (group.is_range ? static_cast<int32_t>(number) : head.number) &&
           r.component == (head.component < 0 ? -1 : static_cast<int>(component));
  };
  if (head.component == 0) {
    while (group.width < 4 && is_member(0, group.width)) {
      ++group.width;
      ++next;
    }
  }
  while (group.is_range && is_member(group.count, 0)) {
    next += group.width;
    ++group.count;
  }
  return group;
}

// Names of the module, which a function cannot hide as it may mean them.
std::unordered_set<std::string_view> NamesOf(const Module& module) {
  std::unordered_set<std::string_view> names = {"_", "WARP_SZ"};
  for (const Variable& variable : module.variables) names.insert(variable.name);
  for (const Function& function : module.functions) names.insert(function.name);
  return names;
}

// Gives each thing of a function a name that no other has: its own, or that with `$1`, `$2`...
class UniqueNames {
 public:
  explicit UniqueNames(const std::unordered_set<std::string_view>& of_module)
      : of_module_(of_module) {}

  std::string Choose(std::string_view name) {
    std::string result(name);
    for (uint64_t& number = next_[result]; !Take(result);) {
      result = std::string(name) + "$" + std::to_string(++number);
    }
    return result;
  }

  // A prefix that nobody else has with any of `count` numbers.
  std::string ChooseRange(std::string_view prefix, size_t count) {
    std::string result(prefix);
    for (uint64_t& number = next_[result]; !TakeRange(result, count);) {
      result = std::string(prefix) + "$" + std::to_string(++number) + "_";
    }
    return result;
  }

 private:
  bool IsFree(const std::string& name) const {
    return !IsSpecialRegister(name) && !of_module_.contains(name) && !taken_.contains(name);
  }
  bool Take(const std::string& name) { return IsFree(name) && taken_.insert(name).second; }
  bool TakeRange(const std::string& prefix, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (!IsFree(prefix + std::to_string(i))) return false;
    }
    for (size_t i = 0; i < count; ++i) taken_.insert(prefix + std::to_string(i));
    return true;
  }

  const std::unordered_set<std::string_view>& of_module_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint64_t> next_;
};

std::string InitializerText(const Module& module, Type type, const Initializer& value) {
  if (value.variable == 0 && value.function == 0) {
    if (type == Type::kF32) return "0f" + Hex(value.bits, 8);
    if (type == Type::kF64) return "0d" + Hex(value.bits, 16);
    return std::to_string(value.bits);
  }
  std::string text(value.variable != 0 ? module.variables[value.variable - 1].name
                                       : module.functions[value.function - 1].name);
  if (value.is_generic) text = "generic(" + text + ")";
  if (value.bits != 0) text += "+" + Decimal(static_cast<int64_t>(value.bits));
  if (value.byte_of_address < 0) return text;
  return "0x" + Hex(uint64_t{0xFF} << (8 * value.byte_of_address), 16) + "(" + text + ")";
}

// `.align 4 .b32 name[8]`
std::string ShapeText(const Variable& variable, std::string_view name) {
  std::string text = ".align " + std::to_string(variable.alignment) + " ." +
                     std::string(NameOf(variable.type)) + " ";
  if (variable.is_pointer) {
    text += ".ptr ";
    if (variable.pointer_space != Space::kGeneric) {
      text += "." + std::string(NameOf(variable.pointer_space)) + " ";
    }
    text += ".align " + std::to_string(variable.pointer_alignment) + " ";
  }
  text += name;
  if (variable.elements == 0) return text + "[]";
  return variable.elements == 1 ? text : text + "[" + std::to_string(variable.elements) + "]";
}

std::string VariableText(const Module& module, const Variable& variable, std::string_view name) {
  std::string text = variable.is_extern ? ".extern ." : ".";
  text += std::string(NameOf(variable.space)) + " " + ShapeText(variable, name);
  if (variable.initializers.empty()) return text + ";\n";
  text += variable.elements == 1 ? " = " : " = {";
  for (size_t i = 0; i < variable.initializers.size(); ++i) {
    if (i > 0) text += ", ";
    text += InitializerText(module, variable.type, variable.initializers[i]);
  }
  return text + (variable.elements == 1 ? ";\n" : "};\n");
}

std::string RegisterParameterText(Type type, std::string_view name) {
  return ".reg ." + std::string(NameOf(type)) + " " + std::string(name);
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const std::unordered_set<std::string_view>& module_names,
                  const Function& function)
      : module_(module), function_(function), names_(module_names) {}

  std::string Print();

 private:
  void ChooseNames();
  void NameRegisters(size_t first);
  void Signature();
  void Directives();
  void Declarations();
  void Body();
  std::string ParameterList(const std::vector<uint32_t>& indices,
                            const std::vector<bool>& registers);
  std::string PrototypeList(const std::vector<Variable>& list) const;
  void InstructionText(const Instruction& instruction);
  void OperandText(const Operand& operand);
  void List(const std::vector<Operand>& elements, size_t begin = 0);

  // Registers and variables of the signature, which come first.
  size_t SignatureSize(bool are_registers) const;

  const Module& module_;
  const Function& function_;
  UniqueNames names_;
  std::vector<std::string> registers_;
  std::vector<std::string> variables_;
  std::vector<std::string> labels_;
  std::vector<std::string> lists_;
  std::vector<std::string> prototypes_;
  // The declarations of registers, chosen with their names.
  std::string register_text_;
  std::string text_;
};

size_t FunctionPrinter::SignatureSize(bool are_registers) const {
  size_t size = 0;
  for (const std::vector<bool>* flags :
       {&function_.result_is_register, &function_.parameter_is_register}) {
    for (const bool flag : *flags) size += flag == are_registers ? 1 : 0;
  }
  return size;
}

void FunctionPrinter::NameRegisters(size_t first) {
  for (size_t i = 0; i < first; ++i) {
    const std::string_view name = function_.registers[i].name;
    registers_.push_back(name == "_" ? "_" : names_.Choose(name));
  }
  while (registers_.size() < function_.registers.size()) {
    const RegisterGroup group = GroupAt(function_.registers, registers_.size());
    const Register& head = function_.registers[group.first];
    const std::string name =
        group.is_range ? names_.ChooseRange(head.name, group.count) : names_.Choose(head.name);
    register_text_ += "\t.reg ";
    if (group.width > 1) register_text_ += ".v" + std::to_string(group.width) + " ";
    register_text_ += "." + std::string(NameOf(head.type)) + " " + name;
    register_text_ += group.is_range ? "<" + std::to_string(group.count) + ">;\n" : ";\n";
    for (size_t i = 0; i < group.count * group.width; ++i) {
      Register member = function_.registers[group.first + i];
      member.name = name;
      registers_.push_back(member.FullName());
    }
  }
}

void FunctionPrinter::ChooseNames() {
  const size_t of_signature = SignatureSize(/*are_registers=*/false);
  NameRegisters(SignatureSize(/*are_registers=*/true));
  for (const Variable& variable : function_.variables) {
    const bool is_unnamed = variable.name == "_" && variables_.size() < of_signature;
    variables_.push_back(is_unnamed ? "_" : names_.Choose(variable.name));
  }
  for (const Label& label : function_.labels) labels_.push_back(names_.Choose(label.name));
  for (const LabelList& list : function_.label_lists) lists_.push_back(names_.Choose(list.name));
  for (const Prototype& prototype : function_.prototypes) {
    prototypes_.push_back(names_.Choose(prototype.name));
  }
}

std::string FunctionPrinter::ParameterList(const std::vector<uint32_t>& indices,
                                           const std::vector<bool>& registers) {
  std::string text = "(";
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) text += ", ";
    const uint32_t index = indices[i];
    text += registers[i] ? RegisterParameterText(function_.registers[index].type, registers_[index])
                         : ".param " + ShapeText(function_.variables[index], variables_[index]);
  }
  return text + ")";
}

std::string FunctionPrinter::PrototypeList(const std::vector<Variable>& list) const {
  std::string text = "(";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    text += list[i].is_register ? RegisterParameterText(list[i].type, list[i].name)
                                : ".param " + ShapeText(list[i], list[i].name);
  }
  return text + ")";
}

void FunctionPrinter::Signature() {
  text_ += function_.is_entry ? ".entry " : ".func ";
  if (!function_.results.empty()) {
    text_ += ParameterList(function_.results, function_.result_is_register) + " ";
  }
  text_ += std::string(function_.name) + " ";
  text_ += ParameterList(function_.parameters, function_.parameter_is_register);
}

void FunctionPrinter::Directives() {
  const auto sizes = [&](std::string_view name, const std::array<uint32_t, 3>& values) {
    if (values[0] == 0) return;
    text_ += "\n." + std::string(name) + " " + std::to_string(values[0]) + ", " +
             std::to_string(values[1]) + ", " + std::to_string(values[2]);
  };
  const auto number = [&](std::string_view name, uint32_t value) {
    if (value != 0) text_ += "\n." + std::string(name) + " " + std::to_string(value);
  };
  sizes("maxntid", function_.max_block);
  sizes("reqntid", function_.required_block);
  sizes("reqnctapercluster", function_.required_cluster);
  number("minnctapersm", function_.min_blocks_per_multiprocessor);
  number("maxnreg", function_.max_registers);
  number("maxclusterrank", function_.max_cluster_rank);
  if (function_.is_explicit_cluster) text_ += "\n.explicitcluster";
}

void FunctionPrinter::Declarations() {
  text_ += register_text_;
  for (size_t i = SignatureSize(/*are_registers=*/false); i < variables_.size(); ++i) {
    text_ += "\t" + VariableText(module_, function_.variables[i], variables_[i]);
  }
  for (size_t i = 0; i < lists_.size(); ++i) {
    const LabelList& list = function_.label_lists[i];
    text_ += lists_[i] + (list.functions.empty() ? ": .branchtargets" : ": .calltargets");
    std::string_view separator = " ";
    for (const uint32_t label : list.labels) {
      text_ += std::string(separator) + labels_[label];
      separator = ", ";
    }
    for (const uint32_t target : list.functions) {
      text_ += std::string(separator) + std::string(module_.functions[target].name);
      separator = ", ";
    }
    text_ += ";\n";
  }
  for (size_t i = 0; i < prototypes_.size(); ++i) {
    const Prototype& prototype = function_.prototypes[i];
    text_ += prototypes_[i] + ": .callprototype ";
    if (!prototype.results.empty()) text_ += PrototypeList(prototype.results) + " ";
    text_ += "_ " + PrototypeList(prototype.parameters) + ";\n";
  }
}

void FunctionPrinter::List(const std::vector<Operand>& elements, size_t begin) {
  for (size_t i = begin; i < elements.size(); ++i) {
    if (i > begin) text_ += ", ";
    OperandText(elements[i]);
  }
}

void FunctionPrinter::OperandText(const Operand& operand) {
  if (operand.is_negated) text_ += "!";
  switch (operand.kind) {
    case OperandKind::kRegister:
      text_ += registers_[operand.index];
      if (!operand.name.empty()) text_ += "." + std::string(operand.name);
      return;
    case OperandKind::kSpecialRegister:
      text_ += operand.name;
      return;
    case OperandKind::kInteger:
      text_ += Decimal(static_cast<int64_t>(operand.bits));
      return;
    case OperandKind::kFloat:
      text_ += operand.is_single ? "0f" + Hex(operand.bits, 8) : "0d" + Hex(operand.bits, 16);
      return;
    case OperandKind::kVariable:
      text_ += operand.is_local ? std::string_view(variables_[operand.index])
                                : module_.variables[operand.index].name;
      if (operand.offset != 0) text_ += "+" + Decimal(operand.offset);
      return;
    case OperandKind::kFunction:
      text_ += module_.functions[operand.index].name;
      return;
    case OperandKind::kLabel:
      text_ += labels_[operand.index];
      return;
    case OperandKind::kLabelList:
      text_ += lists_[operand.index];
      return;
    case OperandKind::kPrototype:
      text_ += prototypes_[operand.index];
      return;
    case OperandKind::kAddress:
      text_ += "[";
      OperandText(operand.elements[0]);
      if (operand.offset != 0) text_ += "+" + Decimal(operand.offset);
      if (operand.elements.size() > 1) text_ += ", ";
      List(operand.elements, 1);
      text_ += "]";
      return;
    case OperandKind::kVector:
      text_ += "{";
      List(operand.elements);
      text_ += "}";
      return;
    case OperandKind::kTuple:
      text_ += "(";
      List(operand.elements);
      text_ += ")";
      return;
    case OperandKind::kPredicatePair:
      OperandText(operand.elements[0]);
      text_ += "|";
      OperandText(operand.elements[1]);
      return;
    case OperandKind::kSink:
      text_ += "_";
      return;
  }
}

void FunctionPrinter::InstructionText(const Instruction& instruction) {
  text_ += "\t";
  if (instruction.guard) {
    text_ += instruction.guard->is_negated ? "@!" : "@";
    text_ += registers_[instruction.guard->register_index] + " ";
  }
  text_ += instruction.opcode;
  for (const Modifier& modifier : instruction.modifiers) {
    text_ += "." + std::string(modifier.name);
  }
  if (!instruction.operands.empty()) text_ += " ";
  List(instruction.operands);
  text_ += ";\n";
}

void FunctionPrinter::Body() {
  size_t label = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  for (size_t i = 0; i <= function_.instructions.size(); ++i) {
    while (label < labels_.size() && function_.labels[label].instruction == i) {
      text_ += labels_[label++] + ":\n";
    }
    if (i == function_.instructions.size()) return;
    const Instruction& instruction = function_.instructions[i];
    if (instruction.source_file != file || instruction.source_line != line) {
      file = instruction.source_file;
      line = instruction.source_line;
      text_ += "\t.loc " + std::to_string(file) + " " + std::to_string(line) + " 0\n";
    }
    InstructionText(instruction);
  }
}

std::string FunctionPrinter::Print() {
  ChooseNames();
  Signature();
  Directives();
  if (!function_.has_body) return text_ + ";\n";
  text_ += "\n{\n";
  Declarations();
  Body();
  return text_ + "}\n";
}

}  // namespace

std::string Print(const Module& module) {
  std::string text = ".version " + std::to_string(module.version / 10) + "." +
                     std::to_string(module.version % 10) + "\n.target " +
                     std::string(module.target_name) + "\n.address_size " +
                     std::to_string(module.address_size) + "\n";
  for (size_t i = 1; i < module.files.size(); ++i) {
    text += ".file " + std::to_string(i) + " \"" + module.files[i] + "\"\n";
  }
  for (const Variable& variable : module.variables) {
    text += VariableText(module, variable, variable.name);
  }
  const std::unordered_set<std::string_view> names = NamesOf(module);
  for (const Function& function : module.functions) {
    text += FunctionPrinter(module, names, function).Print();
  }
  return text;
}

}  // namespace hlo_indexing::ptx::syntax
