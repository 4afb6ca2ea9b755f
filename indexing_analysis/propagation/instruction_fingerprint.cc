#include "indexing_analysis/propagation/instruction_fingerprint.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "indexing_analysis/propagation/integer_values.h"
#include "indexing_analysis/rules/rule_table.h"
#include "indexing_analysis/rules/used_parameters.h"
#include "llvm/ADT/bit.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Attribute;
using hlo::AttributeName;
using hlo::Instruction;

void Add(int64_t value, InstructionFingerprint& fingerprint) {
  fingerprint.push_back(static_cast<uint64_t>(value));
}

void Add(const void* address, InstructionFingerprint& fingerprint) {
  fingerprint.push_back(reinterpret_cast<uintptr_t>(address));
}

// The size, then eight characters at a time.
void Add(llvm::StringRef text, InstructionFingerprint& fingerprint) {
  Add(static_cast<int64_t>(text.size()), fingerprint);
  for (; !text.empty(); text = text.drop_front(std::min(text.size(), sizeof(uint64_t)))) {
    uint64_t characters = 0;
    std::memcpy(&characters, text.data(), std::min(text.size(), sizeof(characters)));
    fingerprint.push_back(characters);
  }
}

void Add(const hlo::SliceRange& range, InstructionFingerprint& fingerprint) {
  for (const int64_t value : {range.start, range.limit, range.stride}) Add(value, fingerprint);
}

void Add(const hlo::PaddingDimension& padding, InstructionFingerprint& fingerprint) {
  for (const int64_t value : {padding.low, padding.high, padding.interior}) Add(value, fingerprint);
}

void Add(const hlo::WindowDimension& window, InstructionFingerprint& fingerprint) {
  for (const int64_t value :
       {window.size, window.stride, window.padding_low, window.padding_high, window.base_dilation,
        window.window_dilation, int64_t{window.reversal ? 1 : 0}}) {
    Add(value, fingerprint);
  }
}

void Add(bool value, InstructionFingerprint& fingerprint) { Add(int64_t{value}, fingerprint); }

void Add(double value, InstructionFingerprint& fingerprint) {
  fingerprint.push_back(llvm::bit_cast<uint64_t>(value));
}

void Add(const hlo::Keyword& keyword, InstructionFingerprint& fingerprint) {
  Add(keyword.text, fingerprint);
}

void Add(const hlo::QuotedString& text, InstructionFingerprint& fingerprint) {
  Add(text.escaped, fingerprint);
}

void Add(const hlo::RawText& text, InstructionFingerprint& fingerprint) {
  Add(text.text, fingerprint);
}

template <typename T>
void Add(llvm::ArrayRef<T> values, InstructionFingerprint& fingerprint) {
  Add(static_cast<int64_t>(values.size()), fingerprint);
  for (const T& value : values) Add(value, fingerprint);
}

void Add(const hlo::ConvolutionDimensions* labels, InstructionFingerprint& fingerprint) {
  for (const llvm::StringRef text : {labels->input, labels->kernel, labels->output}) {
    Add(text, fingerprint);
  }
}

void Add(const hlo::ReplicaGroups* groups, InstructionFingerprint& fingerprint) {
  Add(static_cast<int64_t>(groups->form), fingerprint);
  Add(groups->groups, fingerprint);
  Add(groups->dimensions, fingerprint);
  Add(groups->reshape, fingerprint);
  Add(groups->permutation, fingerprint);
  Add(groups->mesh, fingerprint);
}

using Computations = llvm::ArrayRef<const hlo::Computation*>;

template <typename T>
constexpr bool kIsComputation =
    std::is_same_v<T, const hlo::Computation*> || std::is_same_v<T, Computations>;

// Notes for the compiler and the runtime, which no rule looks at.
bool IsAnnotation(const Attribute& attribute) {
  switch (attribute.name) {
    case AttributeName::kBackendConfig:
    case AttributeName::kControlPredecessors:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kMetadata:
    case AttributeName::kOrigin:
    case AttributeName::kOther:
    case AttributeName::kOutputToOperandAliasing:
    case AttributeName::kResultAccuracy:
    case AttributeName::kSharding:
    case AttributeName::kStatistics:
      return true;
    default:
      return false;
  }
}

void AddAttribute(const Attribute& attribute, InstructionFingerprint& fingerprint) {
  fingerprint.push_back(uint64_t{static_cast<uint8_t>(attribute.name)} << 32 |
                        attribute.value.index());
  // The number of a channel says nothing, only that there is one.
  if (attribute.name == AttributeName::kChannelId) return;
  std::visit(
      [&]<typename T>(const T& value) {
        // Callees are added by what the rule looks at in them; here, that there is one.
        if constexpr (!kIsComputation<T>) Add(value, fingerprint);
      },
      attribute.value);
}

void AddAttributes(const Instruction& instruction, InstructionFingerprint& fingerprint) {
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsAnnotation(attribute)) AddAttribute(attribute, fingerprint);
  }
}

void AddCallees(const Instruction& instruction, int64_t output_leaf, RuleInputs::Callees callees,
                InstructionFingerprint& fingerprint) {
  switch (callees) {
    case RuleInputs::Callees::kNothing:
      return;
    case RuleInputs::Callees::kUsedParameters: {
      const hlo::Computation& callee = *instruction.Callee(AttributeName::kToApply);
      for (const bool is_used : UsedParameters(callee, static_cast<size_t>(output_leaf))) {
        Add(is_used, fingerprint);
      }
      return;
    }
    case RuleInputs::Callees::kEverything:
      for (const Attribute& attribute : instruction.attributes()) {
        if (const auto* one = std::get_if<const hlo::Computation*>(&attribute.value)) {
          Add(*one, fingerprint);
        } else if (const auto* list = std::get_if<Computations>(&attribute.value)) {
          Add(*list, fingerprint);
        }
      }
  }
}

// What is known of a component of all indices in an array. False if that depends on where in it an
// index stands.
bool AddComponent(const Instruction& index, int64_t vector_dimension, int64_t component,
                  InstructionFingerprint& fingerprint) {
  DigitContext digits;
  llvm::SmallVector<Sum, 6> element;
  for (int64_t i = 0; i < index.shape().rank(); ++i) {
    const int64_t size = index.shape().sizes()[static_cast<size_t>(i)];
    if (size <= 0) return false;
    element.push_back(i == vector_dimension
                          ? simplifier::Constant(component)
                          : digits.Variable(static_cast<VariableId>(i), {0, size - 1}));
  }
  const IntegerValue known = KnownInteger(digits, {&index, nullptr}, element);
  if (known.sum && !known.sum->IsConstant()) return false;
  Add(known.range.lower, fingerprint);
  Add(known.range.upper, fingerprint);
  return true;
}

// Which operands the indices are, and what is known of each.
Shareable AddIndices(const Instruction& instruction, const IndexOperands& indices,
                     InstructionFingerprint& fingerprint) {
  const auto operands = instruction.operands().slice(indices.first, indices.count);
  for (const Instruction* index : operands) {
    const auto* const first = llvm::find(instruction.operands(), index);
    Add(int64_t{first - instruction.operands().begin()}, fingerprint);
    if (!index->shape().IsArray()) return Shareable::kNothing;
    const int64_t dimension = indices.vector_dimension;
    const int64_t components = dimension < index->shape().rank()
                                   ? index->shape().sizes()[static_cast<size_t>(dimension)]
                                   : 1;
    for (int64_t i = 0; i < components; ++i) {
      if (!AddComponent(*index, dimension, i, fingerprint)) return Shareable::kNothing;
    }
  }
  return Shareable::kMapsButValues;
}

bool HasRegisteredMaps(const Instruction& instruction, const CustomCallRegistry* custom_calls) {
  if (custom_calls == nullptr) return false;
  const auto target = instruction.Get<hlo::QuotedString>(AttributeName::kCustomCallTarget);
  return target && custom_calls->Find(target->Unescape()) != nullptr;
}

}  // namespace

Shareable FingerprintInstruction(const Instruction& instruction, int64_t output_leaf,
                                 const CustomCallRegistry* custom_calls,
                                 InstructionFingerprint& fingerprint) {
  const hlo::Opcode opcode = instruction.opcode();
  const RuleTraits& traits = TraitsOf(opcode);
  const RuleInputs& inputs = traits.inputs;
  if (inputs.anything_else) return Shareable::kNothing;
  if (inputs.registered_maps && HasRegisteredMaps(instruction, custom_calls)) {
    return Shareable::kNothing;
  }
  Add(output_leaf, fingerprint);
  Add(reinterpret_cast<const void*>(ReadRuleOf(opcode)), fingerprint);
  // Shapes belong to one module, so instructions of two are never equivalent.
  const auto add_shape = [&](const hlo::Shape& shape) {
    Add(inputs.element_types_and_layouts ? &shape : &shape.untyped(), fingerprint);
  };
  if (inputs.dimensions || inputs.element_types_and_layouts) {
    add_shape(instruction.shape());
    for (const Instruction* operand : instruction.operands()) add_shape(operand->shape());
  }
  if (inputs.opcode) Add(static_cast<int64_t>(opcode), fingerprint);
  if (inputs.attributes) AddAttributes(instruction, fingerprint);
  AddCallees(instruction, output_leaf, inputs.callees, fingerprint);
  if (!inputs.index_values) return Shareable::kMaps;
  if (traits.index_operands == nullptr) return Shareable::kNothing;
  return AddIndices(instruction, traits.index_operands(instruction), fingerprint);
}

}  // namespace hlo_indexing::indexing_analysis
