#include "codegen/ptx/module.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {

struct Module::Contents {
  std::string text;
  std::string name;
  syntax::Module module;
};

absl::StatusOr<Module> Module::Parse(std::string text, std::string name,
                                     const syntax::ParserLimits& limits) {
  auto contents = std::make_shared<Contents>();
  contents->text = std::move(text);
  contents->name = std::move(name);
  HLO_INDEXING_ASSIGN_OR_RETURN(contents->module,
                                syntax::ParseModule(contents->text, contents->name, limits));
  return Module(std::move(contents));
}

std::string_view Module::text() const { return contents_->text; }
std::string_view Module::name() const { return contents_->name; }
const syntax::Module& Module::syntax() const { return contents_->module; }

std::vector<std::string_view> Module::kernels() const {
  std::vector<std::string_view> names;
  for (const syntax::Function& function : contents_->module.functions) {
    if (function.is_entry && function.has_body) names.push_back(function.name);
  }
  return names;
}

absl::StatusOr<uint32_t> Module::FindKernel(std::string_view kernel) const {
  const std::vector<syntax::Function>& functions = contents_->module.functions;
  const std::vector<std::string_view> all = kernels();
  const std::vector<std::string> names(all.begin(), all.end());
  if (kernel.empty() && all.size() == 1) kernel = all.front();
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].is_entry && functions[i].has_body && functions[i].name == kernel) return i;
  }
  constexpr size_t kMostNames = 10;
  const size_t shown = std::min(names.size(), kMostNames);
  const std::string list = absl::StrCat(
      absl::StrJoin(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < names.size() ? ", ..." : "");
  if (kernel.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(contents_->name, " has ", names.size(), " kernels",
                     names.empty() ? "" : absl::StrCat(", one has to be named: ", list)));
  }
  return absl::NotFoundError(absl::StrCat(contents_->name, " has no kernel '", std::string(kernel),
                                          "'",
                                          names.empty() ? "" : absl::StrCat("; it has ", list)));
}

KernelSummary Module::Summarize(uint32_t kernel) const {
  const syntax::Function& function = contents_->module.functions[kernel];
  KernelSummary summary;
  summary.name = function.name;
  uint64_t offset = 0;
  for (const uint32_t index : function.parameters) {
    const syntax::Variable& variable = function.variables[index];
    const uint64_t alignment = std::max<uint64_t>(variable.alignment, 1);
    offset = (offset + alignment - 1) / alignment * alignment;
    summary.parameters.push_back(
        {variable.name, variable.type, offset, variable.SizeInBytes(), variable.is_pointer});
    offset += variable.SizeInBytes();
  }
  for (const syntax::Register& declared : function.registers) {
    ++summary.registers[BitWidth(declared.type)];
  }
  summary.live_registers = syntax::CountLiveRegisters(function);
  for (const syntax::Variable& variable : function.variables) {
    if (variable.space == Space::kShared) {
      summary.shared_bytes += variable.SizeInBytes();
      summary.has_dynamic_shared |= variable.elements == 0;
    }
    if (variable.space == Space::kLocal) summary.local_bytes += variable.SizeInBytes();
  }
  for (const syntax::Variable& variable : contents_->module.variables) {
    summary.has_dynamic_shared |= variable.space == Space::kShared && variable.elements == 0;
  }
  // Variables of the module take room where the kernel, or what it calls, uses them.
  std::vector<uint32_t> called = {kernel};
  std::vector<bool> is_called(contents_->module.functions.size(), false);
  std::vector<bool> is_used(contents_->module.variables.size(), false);
  for (size_t i = 0; i < called.size(); ++i) {
    syntax::ForEachOperand(
        contents_->module.functions[called[i]], [&](const syntax::Operand& operand) {
          if (operand.kind == syntax::OperandKind::kFunction && !is_called[operand.index]) {
            is_called[operand.index] = true;
            called.push_back(operand.index);
          }
          const bool is_new = operand.kind == syntax::OperandKind::kVariable && !operand.is_local &&
                              !is_used[operand.index];
          if (!is_new) return;
          is_used[operand.index] = true;
          const syntax::Variable& variable = contents_->module.variables[operand.index];
          if (variable.space == Space::kShared) summary.shared_bytes += variable.SizeInBytes();
        });
  }
  summary.is_block_required = function.required_block[0] != 0;
  summary.block = summary.is_block_required ? function.required_block : function.max_block;
  static constexpr std::string_view kSpaces[] = {"global", "shared", "local", "const", "param"};
  for (const syntax::Instruction& instruction : function.instructions) {
    std::string family(instruction.opcode);
    for (const syntax::Modifier& modifier : instruction.modifiers) {
      const std::string_view space = modifier.name.substr(0, modifier.name.find("::"));
      if (std::ranges::find(kSpaces, space) != std::end(kSpaces)) {
        family += ".";
        family += space;
        break;
      }
    }
    ++summary.instructions[family];
  }
  return summary;
}

}  // namespace hlo_indexing::ptx
