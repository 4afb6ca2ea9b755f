// A computation of elementwise operations on scalars becomes a list of operations on registers; any
// other is interpreted like the rest of the program.
#include "hlo/interpreter/scalar_function.h"

#include "hlo/interpreter/element_operation.h"

namespace hlo_indexing::hlo {
namespace {

// A float as the parameter holds it.
Element Rounded(ElementType type, Element element) {
  const ElementClass element_class = ClassOf(type);
  if (element_class == ElementClass::kFloat || element_class == ElementClass::kComplex) {
    element.real = RoundFloat(RealPartType(type), element.real);
    element.imag = RoundFloat(RealPartType(type), element.imag);
  }
  return element;
}

}  // namespace

// Registers hold the parameters, then the other instructions in order. Constants are there from the
// start.
struct ScalarFunction::Program {
  struct Step {
    ElementOperation operation;
    llvm::SmallVector<size_t, 3> operands;
    size_t result;
  };
  std::vector<ElementType> parameter_types;
  std::vector<Step> steps;
  std::vector<size_t> results;
  // Scratch, allocated once for all calls.
  mutable std::vector<Element> registers;

  static std::unique_ptr<Program> Make(const Computation& computation);
  bool Add(const Instruction& instruction, std::vector<size_t>& register_of);
};

// False if a program cannot hold the instruction.
bool ScalarFunction::Program::Add(const Instruction& instruction,
                                  std::vector<size_t>& register_of) {
  size_t& result = register_of[static_cast<size_t>(instruction.index())];
  if (instruction.opcode() == Opcode::kParameter) {
    result = static_cast<size_t>(instruction.parameter_number());
    return instruction.shape().IsScalar();
  }
  if (instruction.opcode() == Opcode::kTuple) return instruction.IsRoot();
  if (!instruction.shape().IsScalar()) return false;
  result = registers.size();
  if (instruction.opcode() == Opcode::kConstant) {
    const Literal& literal = *instruction.literal();
    if (literal.is_elided()) return false;
    registers.push_back(LoadElement(literal.shape().element_type(), literal.bytes().data()));
    return true;
  }
  std::string error;
  const auto operation = ElementOperation::Make(instruction, error);
  if (!operation) return false;
  Step step = {*operation, {}, result};
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().IsScalar()) return false;
    step.operands.push_back(register_of[static_cast<size_t>(operand->index())]);
  }
  registers.emplace_back();
  steps.push_back(std::move(step));
  return true;
}

std::unique_ptr<ScalarFunction::Program> ScalarFunction::Program::Make(
    const Computation& computation) {
  auto program = std::make_unique<Program>();
  program->registers.resize(computation.parameters().size());
  for (const Instruction* parameter : computation.parameters()) {
    program->parameter_types.push_back(parameter->shape().element_type());
  }
  std::vector<size_t> register_of(computation.instructions().size());
  for (const Instruction* instruction : computation.PostOrder()) {
    if (!program->Add(*instruction, register_of)) return nullptr;
  }
  const Instruction& root = computation.root();
  llvm::SmallVector<const Instruction*, 4> results = {&root};
  if (root.opcode() == Opcode::kTuple) {
    results.assign(root.operands().begin(), root.operands().end());
  }
  for (const Instruction* result : results) {
    if (!result->shape().IsScalar()) return nullptr;
    program->results.push_back(register_of[static_cast<size_t>(result->index())]);
  }
  return program;
}

ScalarFunction::ScalarFunction(Session& session, const Computation& computation)
    : session_(session), computation_(computation), program_(Program::Make(computation)) {}

ScalarFunction::~ScalarFunction() = default;

bool ScalarFunction::Interpret(const Instruction& caller, int64_t device,
                               llvm::ArrayRef<Element> arguments,
                               llvm::MutableArrayRef<Element> results) const {
  std::vector<Arguments> values(1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = computation_.parameters()[i]->shape();
    const std::shared_ptr<ArrayValue> array = session_.NewArray(caller, shape);
    if (array == nullptr) return false;
    array->Set(0, arguments[i]);
    values[0].emplace_back(array);
  }
  std::vector<Value> outputs;
  if (!session_.RunComputation(caller, computation_, device, values, outputs)) {
    return false;
  }
  const std::vector<const ArrayValue*> leaves = outputs.front().ArrayLeaves();
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = leaves[i]->Get(0);
  }
  return true;
}

bool ScalarFunction::RunProgram(const Instruction& caller, llvm::ArrayRef<Element> arguments,
                                llvm::MutableArrayRef<Element> results, SourceSets* sources) const {
  if (!session_.Spend(caller, 1 + static_cast<int64_t>(program_->steps.size()))) return false;
  std::vector<Element>& registers = program_->registers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    registers[i] = Rounded(program_->parameter_types[i], arguments[i]);
  }
  for (const Program::Step& step : program_->steps) {
    llvm::SmallVector<Element, 3> operands;
    for (const size_t operand : step.operands) operands.push_back(registers[operand]);
    registers[step.result] = step.operation.Apply(operands, sources);
  }
  for (size_t i = 0; i < results.size(); ++i) results[i] = registers[program_->results[i]];
  return true;
}

bool ScalarFunction::Apply(const Instruction& caller, int64_t device,
                           llvm::ArrayRef<Element> arguments,
                           llvm::MutableArrayRef<Element> results, TracedThrough traced) const {
  const bool traces_computation = traced == TracedThrough::kComputation;
  SourceSet all = kNoSources;
  if (session_.sources() != nullptr && !traces_computation) {
    for (const Element& argument : arguments) {
      all = session_.sources()->Union(all, argument.sources);
    }
  }
  const bool ok = program_ == nullptr
                      ? Interpret(caller, device, arguments, results)
                      : RunProgram(caller, arguments, results,
                                   traces_computation ? session_.sources() : nullptr);
  if (!ok) return false;
  if (traces_computation) return true;
  for (Element& result : results) result.sources = all;
  return true;
}

}  // namespace hlo_indexing::hlo
