#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

// Whether the declaration is one that the use can mean; the use is completed then.
bool Complete(const ForwardName& use, const Declaration& declaration) {
  const uint32_t index = declaration.index;
  switch (declaration.meaning) {
    case Meaning::kLabel:
      if (use.label != nullptr) {
        *use.label = index;
        return true;
      }
      if (use.operand == nullptr) return false;
      use.operand->kind = OperandKind::kLabel;
      use.operand->index = index;
      return true;
    case Meaning::kLabelList:
    case Meaning::kPrototype:
      if (use.operand == nullptr || use.is_label) return false;
      use.operand->kind = declaration.meaning == Meaning::kLabelList ? OperandKind::kLabelList
                                                                     : OperandKind::kPrototype;
      use.operand->index = index;
      return true;
    case Meaning::kFunction:
      if (use.is_label) return false;
      if (use.operand != nullptr) {
        use.operand->kind = OperandKind::kFunction;
        use.operand->index = index;
      } else if (use.function != nullptr) {
        *use.function = index;
      } else if (use.initializer != nullptr) {
        use.initializer->function = index + 1;
      } else {
        return false;
      }
      return true;
    case Meaning::kModuleVariable:
      if (use.initializer == nullptr) return false;
      use.initializer->variable = index + 1;
      return true;
    case Meaning::kRegister:
    case Meaning::kLocalVariable:
      return false;
  }
  return false;
}

}  // namespace

void ResolveForwardInScope(ParserState& state) {
  size_t kept = state.scopes_of_forward.back();
  for (size_t i = kept; i < state.forward.size(); ++i) {
    const ForwardName& use = state.forward[i];
    const std::optional<Declaration> declaration = state.names.FindInCurrentScope(use.name);
    if (declaration && Complete(use, *declaration)) continue;
    state.forward[kept++] = use;
  }
  state.forward.resize(kept);
  state.scopes_of_forward.pop_back();
}

absl::Status ResolveForwardInFunction(ParserState& state) {
  for (const ForwardName& use : state.forward) {
    if (use.is_label) {
      return UnknownName(state, use.name, use.place, "label", /*is_module_only=*/false);
    }
    const std::optional<Declaration> declaration = state.names.Find(use.name);
    if (declaration && Complete(use, *declaration)) continue;
    state.module_forward.push_back(use);
  }
  state.forward.clear();
  return absl::OkStatus();
}

absl::Status ResolveForwardInModule(ParserState& state) {
  for (const ForwardName& use : state.module_forward) {
    const std::optional<Declaration> declaration = state.names.Find(use.name);
    if (!declaration) {
      return UnknownName(state, use.name, use.place,
                         use.initializer != nullptr ? "name" : "function",
                         /*is_module_only=*/true);
    }
    if (!Complete(use, *declaration)) {
      return state.cursor.Error(use.place, Concat({Quoted(use.name), " is no function"}));
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx::syntax
