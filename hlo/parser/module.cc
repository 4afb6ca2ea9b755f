// Modules and computations in HLO text.
#include "hlo/parser/module.h"

#include <memory>
#include <string>
#include <vector>

#include "hlo/parser/module_header.h"
#include "hlo/parser/parser.h"

namespace hlo_indexing::hlo {
namespace {

// A stretch of the text between separators.
struct Stretch {
  size_t begin;
  size_t end;
};

// Cuts the text at lines that are `// -----` and nothing else: longer rules are comments.
std::vector<Stretch> SplitAtSeparators(llvm::StringRef text) {
  constexpr llvm::StringRef kSeparator = "// -----";
  std::vector<Stretch> stretches = {{0, text.size()}};
  for (size_t found = text.find(kSeparator); found != llvm::StringRef::npos;
       found = text.find(kSeparator, found + 1)) {
    if (found != 0 && text[found - 1] != '\n') continue;
    const llvm::StringRef rest = text.drop_front(found + kSeparator.size()).ltrim(" \t\r");
    if (!rest.empty() && rest.front() != '\n') continue;
    stretches.back().end = found;
    stretches.push_back({found, text.size()});
  }
  return stretches;
}

}  // namespace

bool ModuleParser::Parse() {
  if (!ParseModule()) return false;
  // Nothing of what follows has been read.
  return !state_.cursor.UnclosedComment() || state_.Fail("");
}

bool ModuleParser::ParseModule() {
  const size_t errors = state_.diagnostics.size();
  if (!ParseHeader()) return false;
  ParseStackTables();
  while (!state_.cursor.AtEnd() && state_.cursor.PeekWord() != "HloModule") {
    if (!ParseNamedComputation() || MustEnd()) return false;
  }
  if (state_.diagnostics.size() > errors) return false;
  if (state_.module.computations().empty()) {
    return state_.Fail("expected a computation: NAME { ... }");
  }
  if (!ResolvePending() || !CheckCalls()) return false;
  SelectEntry();
  return CheckHeader(state_);
}

bool ModuleParser::ParseHeader() {
  if (state_.cursor.PeekWord() != "HloModule") return true;
  const size_t begin = state_.cursor.Offset();
  state_.cursor.ConsumeWord();
  const size_t offset = state_.cursor.Offset();
  const llvm::StringRef name = state_.cursor.ConsumeName();
  // Without a name, the next word would be that of a computation.
  const char next = state_.cursor.Peek();
  if (name.empty() || name == "ENTRY" || next == '{' || next == '(') {
    return state_.FailAt(name.empty() ? offset : begin,
                         "expected the name of the module: HloModule NAME");
  }
  state_.module.set_name(name);
  state_.cursor.ConsumeIf(':');
  return ParseModuleAttributes();
}

// The last of them, whose value is at `offset`.
bool ModuleParser::CheckModuleAttribute(llvm::ArrayRef<Attribute> attributes, size_t offset) {
  const Attribute& last = attributes.back();
  for (const Attribute& other : attributes.drop_back()) {
    if (other.text != last.text) continue;
    return state_.FailAt(
        last.offset, "attribute '" + support::Quotable(last.text) + "' of the module stands twice");
  }
  const llvm::StringRef value = std::get<RawText>(last.value).text;
  const bool is_count = last.text == "replica_count" || last.text == "num_partitions";
  int32_t count = 0;
  if (is_count && (value.getAsInteger(10, count) || count <= 0)) {
    return state_.FailAt(offset,
                         last.text.str() + " must be a number of devices, from 1 to 2147483647");
  }
  if (last.text == "is_scheduled" && value != "true" && value != "false") {
    return state_.FailAt(offset, "is_scheduled must be true or false");
  }
  return true;
}

bool ModuleParser::ParseModuleAttributes() {
  llvm::SmallVector<Attribute, 4> attributes;
  while (state_.cursor.ConsumeIf(',')) {
    Attribute& attribute = attributes.emplace_back();
    attribute.offset = static_cast<uint32_t>(state_.cursor.Offset());
    attribute.text = state_.cursor.ConsumeWord();
    if (attribute.text.empty()) return state_.Fail("expected the name of a module attribute");
    if (!state_.Expect('=', "after the attribute name")) return false;
    const size_t offset = state_.cursor.Offset();
    const std::optional<llvm::StringRef> value = state_.cursor.ConsumeBalanced();
    if (!value) return state_.FailAt(offset, "brackets or quotes do not close");
    attribute.value = RawText{*value};
    if (!CheckModuleAttribute(attributes, offset)) return false;
  }
  state_.module.set_attributes(state_.module.Copy(llvm::ArrayRef<Attribute>(attributes)));
  return true;
}

// Tables of numbered entries under the words FileNames, FunctionNames, FileLocations, StackFrames.
void ModuleParser::ParseStackTables() {
  const size_t start = state_.cursor.Offset();
  size_t end = start;
  while (true) {
    const llvm::StringRef word = state_.cursor.PeekWord();
    const bool is_table = word == "FileNames" || word == "FunctionNames" ||
                          word == "FileLocations" || word == "StackFrames";
    const bool is_entry = end != start && !word.empty() && llvm::all_of(word, llvm::isDigit);
    if (!is_table && !is_entry) break;
    state_.cursor.ConsumeWord();
    if (is_entry && !state_.cursor.ConsumeString() && !state_.cursor.ConsumeBalanced()) break;
    end = state_.cursor.Offset();
  }
  state_.module.set_stack_tables(state_.source.text.slice(start, end).rtrim());
}

bool ModuleParser::ParseNamedComputation() {
  const size_t offset = state_.cursor.Offset();
  const bool is_entry = state_.cursor.PeekWord() == "ENTRY";
  if (is_entry) state_.cursor.ConsumeWord();
  const size_t name_offset = state_.cursor.Offset();
  const llvm::StringRef name = state_.cursor.ConsumeName();
  if (name.empty()) {
    return state_.Fail("expected a computation: NAME { ... }, or NAME (p: SHAPE) -> SHAPE { ... }");
  }
  const Shape* result = nullptr;
  if (state_.cursor.Peek() == '(' && !ParseSignature(result)) return false;
  if (state_.cursor.Peek() != '{') {
    return state_.Fail("expected '{' to open computation '" + support::Quotable(name) + "'");
  }
  if (names_.LookUpComputation(name) != nullptr) {
    state_.FailAt(name_offset, "computation '" + support::Quotable(name) + "' is defined twice");
  }
  const Computation* computation = ParseBody(name, offset, result);
  if (computation == nullptr) return !MustEnd() && !state_.cursor.AtEnd();
  names_.DefineComputation(computation);
  if (!is_entry) return true;
  if (entry_ != nullptr) return state_.FailAt(offset, "a second ENTRY computation");
  entry_ = computation;
  return true;
}

// (name: shape, ...) -> shape. The parameters' shapes stand again at the parameters.
bool ModuleParser::ParseSignature(const Shape*& result) {
  state_.cursor.ConsumeIf('(');
  if (!state_.cursor.ConsumeIf(')')) {
    do {
      if (state_.cursor.ConsumeName().empty()) {
        return state_.Fail("expected the name of a parameter");
      }
      if (!state_.Expect(':', "after the parameter's name")) return false;
      if (ParseShape(state_) == nullptr) return false;
    } while (state_.cursor.ConsumeIf(','));
    if (!state_.Expect(')', "after the parameters")) return false;
  }
  if (!state_.cursor.ConsumeIf(llvm::StringRef("->"))) {
    return state_.Fail("expected '->' and the result's shape");
  }
  result = ParseShape(state_);
  return result != nullptr;
}

// { instructions } and attributes. After errors the rest of the computation is still read, but the
// result is null.
const Computation* ModuleParser::ParseBody(llvm::StringRef name, size_t offset,
                                           const Shape* result) {
  const NestingScope nesting(state_);
  if (!nesting.Check()) return nullptr;
  state_.cursor.ConsumeIf('{');
  const size_t errors = state_.diagnostics.size();
  ComputationScope scope = {ComputationBuilder(state_.module, name), names_.NewScope(), nullptr,
                            scope_};
  scope_ = &scope;
  while (state_.cursor.Peek() != '}') {
    if (state_.cursor.AtEnd()) {
      state_.Fail("expected '}' to close computation '" + support::Quotable(name) + "'");
      break;
    }
    instructions_.Parse(scope);
    if (MustEnd()) break;
  }
  scope_ = scope.outer;
  state_.cursor.ConsumeIf('}');
  llvm::SmallVector<Attribute, 1> attributes;
  llvm::SmallVector<PendingComputation, 1> pending;
  // An inline computation has no attributes; a comma after it belongs to the instruction.
  while (!state_.is_stopped && scope.outer == nullptr && state_.cursor.ConsumeIf(',')) {
    if (!ParseAttribute(state_, *this, attributes.emplace_back(), pending)) return nullptr;
  }
  if (state_.diagnostics.size() > errors) return nullptr;
  if (scope.builder.instructions().empty()) {
    state_.FailAt(offset, "computation '" + support::Quotable(name) + "' has no instructions");
    return nullptr;
  }
  if (!CheckParameters(scope)) return nullptr;
  const Computation* computation =
      scope.builder.Finish(scope.root, attributes, static_cast<uint32_t>(offset));
  const Instruction& root = computation->root();
  if (result != nullptr && !Compatible(*result, root.shape(), ShapeAspects::kTypeAndDimensions)) {
    state_.FailAt(root.offset(), "the root has shape " + root.shape().ToString() +
                                     ", the signature says " + result->ToString());
    return nullptr;
  }
  return computation;
}

// Parameters must be numbered 0, 1, ... without gaps.
bool ModuleParser::CheckParameters(const ComputationScope& scope) {
  llvm::SmallVector<const Instruction*, 8> parameters;
  for (const Instruction* instruction : scope.builder.instructions()) {
    if (instruction->opcode() == Opcode::kParameter) parameters.push_back(instruction);
  }
  const int64_t count = static_cast<int64_t>(parameters.size());
  std::vector<const Instruction*> by_number(parameters.size(), nullptr);
  for (const Instruction* parameter : parameters) {
    const int64_t number = parameter->parameter_number();
    if (number >= count) {
      return state_.FailAt(parameter->offset(), "parameter number " + std::to_string(number) +
                                                    " in a computation with " +
                                                    std::to_string(count) + " parameters");
    }
    const Instruction*& slot = by_number[static_cast<size_t>(number)];
    if (slot != nullptr) {
      return state_.FailAt(parameter->offset(), "parameter number " + std::to_string(number) +
                                                    " is taken by '" + slot->name().str() + "'");
    }
    slot = parameter;
  }
  return true;
}

// Fills the references to computations that came later, in the order in which they were made.
bool ModuleParser::ResolvePending() {
  const std::vector<PendingReference>& pending = instructions_.pending();
  const auto find = [this](const PendingComputation& target) -> const Computation* {
    const Computation* found = FindComputation(target.name);
    if (found != nullptr) return found;
    llvm::SmallVector<llvm::StringRef, 32> names;
    for (const Computation* computation : state_.module.computations()) {
      names.push_back(computation->name());
    }
    state_.FailAt(target.offset, "there is no computation '" + support::Quotable(target.name) +
                                     "'" + support::DidYouMean(target.name, names));
    return nullptr;
  };
  for (size_t i = 0; i < pending.size() && !MustEnd();) {
    Instruction& instruction = *pending[i].instruction;
    state_.module.ResolveComputations(instruction, [&](Attribute& attribute) {
      using Callees = llvm::ArrayRef<const Computation*>;
      if (auto* callee = std::get_if<const Computation*>(&attribute.value)) {
        if (*callee == nullptr) *callee = find(pending[i++].target);
      } else if (const auto* callees = std::get_if<Callees>(&attribute.value)) {
        llvm::SmallVector<const Computation*, 4> resolved(callees->begin(), callees->end());
        for (const Computation*& computation : resolved) {
          if (computation == nullptr) computation = find(pending[i++].target);
        }
        attribute.value = Callees(state_.module.Copy(Callees(resolved)));
      }
    });
  }
  return state_.diagnostics.empty();
}

// No computation may call itself, directly or through others: a depth-first search with its own
// stack.
bool ModuleParser::CheckCalls() {
  struct Call {
    const Computation* callee;
    const Instruction* caller;
  };
  const llvm::ArrayRef<const Computation*> computations = state_.module.computations();
  std::vector<std::vector<Call>> calls(computations.size());
  for (size_t i = 0; i < computations.size(); ++i) {
    for (const Instruction* instruction : computations[i]->instructions()) {
      for (const Computation* callee : instruction->Callees()) {
        calls[i].push_back({callee, instruction});
      }
    }
  }
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(computations.size(), Mark::kNew);
  std::vector<size_t> next_call(computations.size(), 0);
  std::vector<size_t> open;
  for (size_t start = 0; start < computations.size(); ++start) {
    if (marks[start] == Mark::kNew) open.push_back(start);
    while (!open.empty()) {
      const size_t current = open.back();
      marks[current] = Mark::kOpen;
      if (next_call[current] == calls[current].size()) {
        marks[current] = Mark::kDone;
        open.pop_back();
        continue;
      }
      const Call& call = calls[current][next_call[current]++];
      const size_t callee = static_cast<size_t>(call.callee->index());
      if (marks[callee] == Mark::kOpen) {
        return state_.FailAt(call.caller->offset(),
                             "computation '" + call.callee->name().str() + "' calls itself");
      }
      if (marks[callee] == Mark::kNew) open.push_back(callee);
    }
  }
  return true;
}

void ModuleParser::SelectEntry() {
  state_.module.set_entry(entry_ != nullptr ? entry_ : state_.module.computations().back());
  state_.module.set_has_entry_keyword(entry_ != nullptr);
}

const Computation* ModuleParser::FindComputation(llvm::StringRef name) {
  return names_.LookUpComputation(name);
}

const Computation* ModuleParser::ParseInlineComputation() {
  const llvm::StringRef name = names_.FreshName("inline_computation");
  const Computation* computation = ParseBody(name, state_.cursor.Offset(), nullptr);
  if (computation != nullptr) names_.DefineComputation(computation);
  return computation;
}

const Instruction* ModuleParser::FindInstruction(llvm::StringRef name) {
  return scope_ == nullptr ? nullptr : names_.LookUpInstruction(scope_->number, name).first;
}

std::vector<std::unique_ptr<Module>> ParseModules(const std::shared_ptr<const std::string>& text,
                                                  const ParseOptions& options,
                                                  std::vector<support::Diagnostic>& diagnostics) {
  std::vector<std::unique_ptr<Module>> modules;
  const auto lines = std::make_shared<const support::LineIndex>(*text);
  const support::SourceText source = {options.file_name, *text, lines.get()};
  if (text->size() > UINT32_MAX) {
    diagnostics.push_back(support::MakeDiagnostic(source, 0, "the text is larger than 4 GiB"));
    return modules;
  }
  const bool may_be_stopped = options.keep_running != nullptr;
  for (const Stretch& stretch : SplitAtSeparators(*text)) {
    if (may_be_stopped && !diagnostics.empty() && !options.keep_running()) break;
    size_t begin = stretch.begin;
    while (true) {
      TextCursor rest(*text, begin, stretch.end);
      // A comment without an end is an error of the module that begins with it.
      if (rest.AtEnd() && !rest.UnclosedComment()) break;
      auto module = std::make_unique<Module>();
      module->SetText(text, lines, options.file_name);
      std::vector<support::Diagnostic> errors;
      ParseState state(source, begin, stretch.end, options, *module, errors);
      const bool parsed = ModuleParser(state).Parse();
      diagnostics.insert(diagnostics.end(), errors.begin(), errors.end());
      if (!parsed) break;
      modules.push_back(std::move(module));
      begin = state.cursor.Offset();
    }
  }
  if (options.progress) options.progress(text->size(), text->size());
  if (modules.empty() && diagnostics.empty()) {
    diagnostics.push_back(support::MakeDiagnostic(
        source, 0, "expected an HLO module, found only blanks and comments"));
  }
  return modules;
}

absl::StatusOr<std::unique_ptr<Module>> ParseModule(llvm::StringRef text,
                                                    const ParseOptions& options) {
  std::vector<support::Diagnostic> diagnostics;
  std::vector<std::unique_ptr<Module>> modules =
      ParseModules(std::make_shared<const std::string>(text.str()), options, diagnostics);
  if (!diagnostics.empty()) return support::ToStatus(diagnostics);
  if (modules.size() != 1) {
    return absl::InvalidArgumentError(options.file_name + ": expected one module, found " +
                                      std::to_string(modules.size()));
  }
  return std::move(modules.front());
}

}  // namespace hlo_indexing::hlo
