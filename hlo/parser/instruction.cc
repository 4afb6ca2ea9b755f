#include "hlo/parser/instruction.h"

#include <bitset>

#include "hlo/shape_inference/shape_inference.h"

namespace hlo_indexing::hlo {

using llvm::StringRef;

bool InstructionParser::Parse(ComputationScope& scope) {
  Parts parts;
  parts.spec.offset = static_cast<uint32_t>(state_.cursor.Offset());
  StringRef name = state_.cursor.ConsumeName();
  const bool is_root = name == "ROOT" && state_.cursor.Peek() != '=';
  if (is_root) {
    parts.spec.offset = static_cast<uint32_t>(state_.cursor.Offset());
    name = state_.cursor.ConsumeName();
  }
  if (name.empty()) {
    state_.Fail("expected an instruction: NAME = SHAPE OPCODE(OPERANDS)");
    Recover(scope, name, parts.spec.offset);
    return false;
  }
  parts.spec.name = name;
  if (names_.LookUpInstruction(scope.number, name).first != nullptr) {
    state_.FailAt(parts.spec.offset, "instruction '" + support::Quotable(name) +
                                         "' is defined twice in this computation");
  }
  Instruction* instruction = nullptr;
  if (state_.Expect('=', "after the instruction's name")) {
    instruction = ParseOperation(scope, parts);
  }
  if (instruction == nullptr) {
    Recover(scope, name, parts.spec.offset);
    return false;
  }
  names_.DefineInstruction(scope.number, name, instruction);
  if (!is_root) return true;
  if (scope.root != nullptr) {
    return state_.FailAt(parts.spec.offset, "a second ROOT instruction in this computation");
  }
  scope.root = instruction;
  return true;
}

// After an error in the instruction at `begin`: makes the name known as erroneous and goes to the
// end of the computation, if that is on the same line, or the next line that looks like the start
// of an instruction or that end; no further if parsing was stopped.
void InstructionParser::Recover(ComputationScope& scope, StringRef name, size_t begin) {
  if (!name.empty() && names_.LookUpInstruction(scope.number, name).first == nullptr) {
    names_.DefineInstruction(scope.number, name, nullptr);
  }
  // Instructions end where another token comes: what is wrong with one is found at the next.
  bool is_at_next = state_.cursor.IsFirstOfLine() && state_.cursor.Offset() > begin;
  if (!is_at_next && state_.cursor.SkipToClosingBrace(begin)) return;
  while (!state_.is_stopped) {
    if (!is_at_next) state_.cursor.SkipLine();
    is_at_next = false;
    const size_t offset = state_.cursor.Offset();
    if (state_.cursor.AtEnd() || state_.cursor.Peek() == '}') return;
    StringRef word = state_.cursor.ConsumeName();
    if (word == "ROOT") word = state_.cursor.ConsumeName();
    const bool starts = !word.empty() && state_.cursor.Peek() == '=';
    state_.cursor.SetOffset(offset);
    if (starts) return;
  }
}

// [shape] opcode(operands), attributes
Instruction* InstructionParser::ParseOperation(ComputationScope& scope, Parts& parts) {
  if (AtShape(state_)) {
    parts.spec.shape = ParseShape(state_);
    if (parts.spec.shape == nullptr) return nullptr;
  }
  AsyncForm form = AsyncForm::kNone;
  if (!ParseOpcode(parts, form) || !ParseOperands(scope, parts) || !ParseAttributes(parts)) {
    return nullptr;
  }
  if (form != AsyncForm::kNone && !WrapAsync(parts, form)) return nullptr;
  if (!CheckParts(parts)) return nullptr;
  return Finish(scope, parts);
}

bool InstructionParser::ParseOpcode(Parts& parts, AsyncForm& form) {
  parts.spec.opcode_offset = static_cast<uint32_t>(state_.cursor.Offset());
  parts.opcode_name = state_.cursor.ConsumeWord();
  if (parts.opcode_name.empty()) return state_.Fail("expected an opcode");
  std::optional<Opcode> opcode = hlo::ParseOpcode(parts.opcode_name);
  if (!opcode) {
    // `OPCODE-start` and so on stand for an async operation that wraps OPCODE.
    StringRef wrapped = parts.opcode_name;
    form = wrapped.consume_back("-start")    ? AsyncForm::kStart
           : wrapped.consume_back("-update") ? AsyncForm::kUpdate
           : wrapped.consume_back("-done")   ? AsyncForm::kDone
                                             : AsyncForm::kNone;
    opcode = form == AsyncForm::kNone ? std::nullopt : hlo::ParseOpcode(wrapped);
  }
  if (!opcode) {
    return state_.FailAt(parts.spec.opcode_offset,
                         "unknown opcode '" + support::Quotable(parts.opcode_name) + "'" +
                             support::DidYouMean(parts.opcode_name, AllOpcodeNames()));
  }
  parts.spec.opcode = *opcode;
  return true;
}

bool InstructionParser::ParseOperands(ComputationScope& scope, Parts& parts) {
  if (!state_.Expect('(', "after the opcode")) return false;
  if (parts.spec.opcode == Opcode::kParameter) {
    const size_t offset = state_.cursor.Offset();
    const std::optional<int64_t> number = state_.cursor.ConsumeInteger();
    if (!number || *number < 0) return state_.FailAt(offset, "expected the number of a parameter");
    parts.spec.parameter_number = *number;
    return state_.Expect(')', "after the parameter's number");
  }
  if (parts.spec.opcode == Opcode::kConstant) {
    if (parts.spec.shape == nullptr) return state_.Fail("a constant needs a shape");
    parts.spec.literal = ParseLiteral(state_, *parts.spec.shape);
    return parts.spec.literal != nullptr && state_.Expect(')', "after the literal");
  }
  if (state_.cursor.ConsumeIf(')')) return true;
  do {
    const Instruction* operand = state_.MustStop() ? nullptr : ParseOperand(scope);
    if (operand == nullptr) return false;
    parts.operands.push_back(operand);
  } while (state_.cursor.ConsumeIf(','));
  return state_.Expect(')', "after the operands");
}

// [shape] name, or an inline operation: [shape] opcode(operands). Tuple elements are taken by #.
const Instruction* InstructionParser::ParseOperand(ComputationScope& scope) {
  const NestingScope nesting(state_);
  if (!nesting.Check()) return nullptr;
  const Shape* shape = nullptr;
  if (AtShape(state_)) {
    shape = ParseShape(state_);
    if (shape == nullptr) return nullptr;
  }
  const size_t offset = state_.cursor.Offset();
  const bool has_percent = state_.cursor.ConsumeIf('%');
  const StringRef name = state_.cursor.ConsumeWord();
  if (name.empty()) {
    state_.Fail("expected an operand");
    return nullptr;
  }
  const Instruction* operand = nullptr;
  if (!has_percent && state_.cursor.Peek() == '(') {
    state_.cursor.SetOffset(offset);
    operand = ParseInlineOperand(scope, shape);
  } else {
    operand = LookUpOperand(scope, name, offset);
    if (operand != nullptr && shape != nullptr && state_.cursor.Peek() != '#' &&
        !Compatible(*shape, operand->shape(), ShapeAspects::kTypeAndDimensions)) {
      state_.FailAt(offset, "operand '" + name.str() + "' has shape " +
                                operand->shape().ToString() + ", not " + shape->ToString());
      return nullptr;
    }
  }
  return operand == nullptr ? nullptr : ParseTupleElements(scope, operand);
}

// name#0#1: elements of tuples, as instructions of their own.
const Instruction* InstructionParser::ParseTupleElements(ComputationScope& scope,
                                                         const Instruction* operand) {
  while (state_.cursor.ConsumeIf('#')) {
    const size_t offset = state_.cursor.Offset();
    const std::optional<int64_t> index = state_.cursor.ConsumeInteger();
    const llvm::ArrayRef<const Shape*> elements = operand->shape().elements();
    if (!index || *index < 0 || *index >= static_cast<int64_t>(elements.size())) {
      state_.FailAt(offset, "expected the index of an element of " + operand->shape().ToString());
      return nullptr;
    }
    Attribute attribute;
    attribute.name = AttributeName::kIndex;
    attribute.text = AttributeText(AttributeName::kIndex);
    attribute.value.emplace<int64_t>(*index);
    attribute.offset = static_cast<uint32_t>(offset);
    ComputationBuilder::Spec spec;
    spec.opcode = Opcode::kGetTupleElement;
    spec.name = names_.FreshName("get-tuple-element");
    spec.shape = elements[static_cast<size_t>(*index)];
    spec.operands = operand;
    spec.attributes = attribute;
    spec.offset = spec.opcode_offset = static_cast<uint32_t>(offset);
    operand = scope.builder.Add(spec);
    names_.DefineInstruction(scope.number, spec.name, operand);
  }
  return operand;
}

const Instruction* InstructionParser::ParseInlineOperand(ComputationScope& scope,
                                                         const Shape* shape) {
  Parts parts;
  parts.spec.offset = static_cast<uint32_t>(state_.cursor.Offset());
  parts.spec.shape = shape;
  AsyncForm form = AsyncForm::kNone;
  if (!ParseOpcode(parts, form)) return nullptr;
  parts.spec.name = names_.FreshName(parts.opcode_name);
  if (!ParseOperands(scope, parts)) return nullptr;
  if (form != AsyncForm::kNone) {
    state_.FailAt(parts.spec.offset, "an async operation cannot stand inside an operand list");
    return nullptr;
  }
  if (!CheckParts(parts)) return nullptr;
  Instruction* instruction = Finish(scope, parts);
  if (instruction != nullptr) names_.DefineInstruction(scope.number, parts.spec.name, instruction);
  return instruction;
}

// Null without a report if the operand's own definition was in error.
const Instruction* InstructionParser::LookUpOperand(ComputationScope& scope, StringRef name,
                                                    size_t offset) {
  const auto [instruction, in_error] = names_.LookUpInstruction(scope.number, name);
  // The message is searched for in the text.
  if (instruction == nullptr && !in_error && !state_.HasTooManyErrors()) {
    state_.FailAt(offset, UndefinedMessage(scope, name));
  }
  return instruction;
}

std::string InstructionParser::UndefinedMessage(ComputationScope& scope, StringRef name) {
  const std::string start = "instruction '" + support::Quotable(name) + "' is not defined";
  const StringRef rest = state_.cursor.Rest();
  const StringRef body = rest.take_front(rest.find("\n}"));
  for (size_t found = body.find(name); found != StringRef::npos;
       found = body.find(name, found + 1)) {
    const bool begins_word = found > 0 && !TextCursor::IsWordCharacter(body[found - 1]);
    if (begins_word && body.drop_front(found + name.size()).ltrim().starts_with("=")) {
      return start + " yet; its definition follows, but operands must stand before their users";
    }
  }
  constexpr size_t kMostCandidates = 2000;
  llvm::SmallVector<StringRef, 32> names;
  for (const Instruction* instruction : scope.builder.instructions().take_back(
           std::min(kMostCandidates, scope.builder.instructions().size()))) {
    names.push_back(instruction->name());
  }
  return start + support::DidYouMean(name, names);
}

// Attributes that nobody knows are kept, as newer versions of XLA have more; but not what is most
// likely a known one with a wrong letter.
bool InstructionParser::CheckSpelling(const Attribute& attribute) {
  constexpr size_t kShortestName = 4;
  constexpr size_t kLongName = 8;
  constexpr size_t kLongestName = 64;
  const StringRef text = attribute.text;
  if (text.size() < kShortestName || text.size() > kLongestName) return true;
  const unsigned most = text.size() < kLongName ? 1 : 2;
  for (size_t i = 0; i < static_cast<size_t>(AttributeName::kOther); ++i) {
    const StringRef known = AttributeText(static_cast<AttributeName>(i));
    const bool is_near =
        text.equals_insensitive(known) || text.edit_distance(known, true, most) <= most;
    if (known.size() < kShortestName || !is_near) continue;
    return state_.FailAt(attribute.offset, "unknown attribute '" + support::Quotable(text) +
                                               "'; did you mean '" + known.str() + "'?");
  }
  return true;
}

bool InstructionParser::ParseAttributes(Parts& parts) {
  std::bitset<static_cast<size_t>(AttributeName::kOther)> seen;
  while (state_.cursor.ConsumeIf(',')) {
    Attribute& attribute = parts.attributes.emplace_back();
    if (!ParseAttribute(state_, resolver_, attribute, parts.pending)) return false;
    if (attribute.name == AttributeName::kOther) {
      if (!CheckSpelling(attribute)) return false;
      continue;
    }
    if (seen.test(static_cast<size_t>(attribute.name))) {
      return state_.FailAt(attribute.offset,
                           "attribute '" + attribute.text.str() + "' stands twice");
    }
    seen.set(static_cast<size_t>(attribute.name));
  }
  return true;
}

// Where an attribute stands behind the instruction, on the same line: a comma is missing there.
std::optional<size_t> InstructionParser::OffsetOnLine(AttributeName name) const {
  const size_t begin = state_.cursor.Offset();
  const StringRef rest = StringRef(state_.module.text()).substr(begin).split('\n').first;
  const std::string text = (AttributeText(name) + "=").str();
  for (size_t found = rest.find(text); found != StringRef::npos;
       found = rest.find(text, found + 1)) {
    if (found == 0 || rest[found - 1] == ' ') return begin + found;
  }
  return std::nullopt;
}

// What the opcode table requires: the number of operands and the attributes.
bool InstructionParser::CheckParts(const Parts& parts) {
  const OpcodeInfo& info = InfoOf(parts.spec.opcode);
  const int count = static_cast<int>(parts.operands.size());
  if (count < info.min_operands || count > info.max_operands) {
    const std::string expected =
        info.min_operands == info.max_operands
            ? std::to_string(info.min_operands)
            : (count < info.min_operands ? "at least " + std::to_string(info.min_operands)
                                         : "at most " + std::to_string(info.max_operands));
    return state_.FailAt(parts.spec.opcode_offset,
                         info.name.str() + " takes " + expected +
                             (expected == "1" ? " operand, not " : " operands, not ") +
                             std::to_string(count));
  }
  for (const AttributeName required : info.required_attributes) {
    const bool present = llvm::any_of(
        parts.attributes, [&](const Attribute& attribute) { return attribute.name == required; });
    if (present) continue;
    const std::string name = "the attribute '" + AttributeText(required).str() + "'";
    if (const std::optional<size_t> later = OffsetOnLine(required)) {
      return state_.FailAt(*later, "expected ',' before " + name);
    }
    return state_.FailAt(parts.spec.opcode_offset, info.name.str() + " needs " + name);
  }
  return true;
}

// OPCODE-start wraps the operation into a computation of its own; -update and -done take that of
// their operand.
bool InstructionParser::WrapAsync(Parts& parts, AsyncForm form) {
  if (form == AsyncForm::kStart) return CheckParts(parts) && AddWrappedComputation(parts);
  parts.spec.opcode = form == AsyncForm::kUpdate ? Opcode::kAsyncUpdate : Opcode::kAsyncDone;
  const bool has_calls = llvm::any_of(parts.attributes, [](const Attribute& attribute) {
    return attribute.name == AttributeName::kCalls;
  });
  if (has_calls || parts.operands.size() != 1) return true;
  if (const Attribute* calls = parts.operands.front()->Find(AttributeName::kCalls)) {
    parts.attributes.push_back(*calls);
  }
  return true;
}

namespace {

enum class AsyncOwner : uint8_t { kStart, kWrapped, kBoth };

// Where an attribute of `OPCODE-start` belongs: to the start, to the operation that it wraps.
AsyncOwner AsyncOwnerOf(AttributeName name) {
  switch (name) {
    case AttributeName::kAsyncExecutionThread:
    case AttributeName::kControlPredecessors:
      return AsyncOwner::kStart;
    case AttributeName::kBackendConfig:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kMetadata:
    case AttributeName::kStatistics:
      return AsyncOwner::kBoth;
    default:
      return AsyncOwner::kWrapped;
  }
}

}  // namespace

// Moves the operation into `computation { parameters; ROOT OPCODE(parameters), attributes }`.
bool InstructionParser::AddWrappedComputation(Parts& parts) {
  const size_t offset = parts.spec.opcode_offset;
  if (parts.spec.shape == nullptr || parts.spec.shape->elements().size() < 2) {
    return state_.FailAt(offset, "an async start needs the shape ((operands), result, ...)");
  }
  ComputationScope scope = {
      ComputationBuilder(state_.module, names_.FreshName("async_computation")), names_.NewScope()};
  Parts wrapped = parts;
  wrapped.spec.name = names_.FreshName(OpcodeName(parts.spec.opcode));
  wrapped.spec.shape = parts.spec.shape->elements()[1];
  for (size_t i = 0; i < parts.operands.size(); ++i) {
    ComputationBuilder::Spec parameter;
    parameter.opcode = Opcode::kParameter;
    parameter.name = names_.FreshName("param");
    parameter.shape = &parts.operands[i]->shape();
    parameter.parameter_number = static_cast<int64_t>(i);
    parameter.offset = parameter.opcode_offset = static_cast<uint32_t>(offset);
    wrapped.operands[i] = scope.builder.Add(parameter);
  }
  llvm::erase_if(wrapped.attributes, [](const Attribute& attribute) {
    return AsyncOwnerOf(attribute.name) == AsyncOwner::kStart;
  });
  if (Finish(scope, wrapped) == nullptr) return false;
  Attribute calls;
  calls.name = AttributeName::kCalls;
  calls.text = AttributeText(AttributeName::kCalls);
  const Computation* computation = scope.builder.Finish(nullptr, {}, static_cast<uint32_t>(offset));
  names_.DefineComputation(computation);
  calls.value = computation;
  calls.offset = static_cast<uint32_t>(offset);
  llvm::erase_if(parts.attributes, [](const Attribute& attribute) {
    return AsyncOwnerOf(attribute.name) == AsyncOwner::kWrapped;
  });
  parts.attributes.insert(parts.attributes.begin(), calls);
  parts.pending.clear();
  parts.spec.opcode = Opcode::kAsyncStart;
  return true;
}

// Infers the shape if the text gave none, and adds the instruction to the computation.
Instruction* InstructionParser::Finish(ComputationScope& scope, Parts& parts) {
  parts.spec.operands = parts.operands;
  parts.spec.attributes = parts.attributes;
  const bool infer = parts.spec.shape == nullptr;
  Instruction* instruction = scope.builder.Add(parts.spec);
  if (infer) {
    std::string error;
    const Shape* shape =
        parts.pending.empty() ? InferShape(*instruction, state_.module.shapes(), error) : nullptr;
    if (shape == nullptr) {
      state_.FailAt(parts.spec.opcode_offset,
                    error.empty() ? OpcodeName(parts.spec.opcode).str() +
                                        " needs a shape, it does not follow from the operands"
                                  : error);
      return nullptr;
    }
    scope.builder.SetShape(*instruction, shape);
  }
  for (const PendingComputation& target : parts.pending) pending_.push_back({instruction, target});
  return instruction;
}

}  // namespace hlo_indexing::hlo
