#include "indexing_analysis/instruction_profile.h"

#include <type_traits>

#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/index_operands.h"
#include "indexing_analysis/integer_values.h"
#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Attribute;
using hlo::Instruction;
using hlo::Opcode;

void Add(int64_t value, InstructionProfile& profile) {
  profile.push_back(static_cast<uint64_t>(value));
}

void Add(const void* address, InstructionProfile& profile) {
  profile.push_back(reinterpret_cast<uintptr_t>(address));
}

void Add(llvm::StringRef text, InstructionProfile& profile) {
  Add(static_cast<int64_t>(text.size()), profile);
  for (const char character : text) Add(int64_t{character}, profile);
}

void Add(const hlo::SliceRange& range, InstructionProfile& profile) {
  for (const int64_t value : {range.start, range.limit, range.stride}) Add(value, profile);
}

void Add(const hlo::PaddingDimension& padding, InstructionProfile& profile) {
  for (const int64_t value : {padding.low, padding.high, padding.interior}) Add(value, profile);
}

void Add(const hlo::WindowDimension& window, InstructionProfile& profile) {
  for (const int64_t value :
       {window.size, window.stride, window.padding_low, window.padding_high, window.base_dilation,
        window.window_dilation, int64_t{window.reversal ? 1 : 0}}) {
    Add(value, profile);
  }
}

template <typename T>
void Add(llvm::ArrayRef<T> values, InstructionProfile& profile) {
  Add(static_cast<int64_t>(values.size()), profile);
  for (const T& value : values) Add(value, profile);
}

void Add(const hlo::ConvolutionDimensions& labels, InstructionProfile& profile) {
  for (const llvm::StringRef text : {labels.input, labels.kernel, labels.output}) {
    Add(text, profile);
  }
}

void Add(const hlo::ReplicaGroups& groups, InstructionProfile& profile) {
  Add(static_cast<int64_t>(groups.form), profile);
  Add(groups.groups, profile);
  Add(groups.dimensions, profile);
  Add(groups.reshape, profile);
  Add(groups.permutation, profile);
  Add(groups.mesh, profile);
}

// Computations that say what is read, not only how values are combined.
bool IsReadThrough(const Instruction& instruction) {
  return IsFollowed(instruction) || instruction.opcode() == Opcode::kScan;
}

template <typename T>
concept ReadByRules = std::is_same_v<T, int64_t> || std::is_same_v<T, llvm::ArrayRef<int64_t>> ||
                      std::is_same_v<T, llvm::ArrayRef<llvm::ArrayRef<int64_t>>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::SliceRange>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::PaddingDimension>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::WindowDimension>>;

// The values that rules look at; of other attributes, only whether they are there.
template <typename T>
void ProfileValue(const T& value, InstructionProfile& profile) {
  if constexpr (std::is_same_v<T, bool>) {
    Add(int64_t{value}, profile);
  } else if constexpr (std::is_same_v<T, hlo::Keyword>) {
    Add(value.text, profile);
  } else if constexpr (std::is_same_v<T, const hlo::ConvolutionDimensions*> ||
                       std::is_same_v<T, const hlo::ReplicaGroups*>) {
    Add(*value, profile);
  } else if constexpr (ReadByRules<T>) {
    Add(value, profile);
  }
}

// Attributes that say nothing about what is read.
bool IsIrrelevant(const Attribute& attribute) {
  return std::holds_alternative<hlo::RawText>(attribute.value);
}

// Rules that look at nothing but the dimensions of the operands and the output.
bool LooksAtDimensionsOnly(ReadRule rule) {
  return rule == read_rules::Elementwise || rule == read_rules::Reshape;
}

void ProfileAttribute(const Instruction& instruction, const Attribute& attribute,
                      InstructionProfile& profile) {
  Add(static_cast<int64_t>(attribute.name), profile);
  // The number of a channel says nothing, only that there is one.
  if (attribute.name == hlo::AttributeName::kChannelId) return;
  if (attribute.name == hlo::AttributeName::kCustomCallTarget) {
    if (const auto* target = std::get_if<hlo::QuotedString>(&attribute.value)) {
      Add(target->escaped, profile);
    }
    return;
  }
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, const hlo::Computation*>) {
          if (IsReadThrough(instruction)) Add(value, profile);
        } else if constexpr (std::is_same_v<T, llvm::ArrayRef<const hlo::Computation*>>) {
          if (!IsReadThrough(instruction)) return;
          for (const hlo::Computation* computation : value) Add(computation, profile);
        } else {
          ProfileValue(value, profile);
        }
      },
      attribute.value);
}

// What is known of a component of all indices in an array. False where that depends on the index's
// place in it.
bool ProfileComponent(const Instruction& index, int64_t vector_dimension, int64_t component,
                      InstructionProfile& profile) {
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
  Add(known.range.lower, profile);
  Add(known.range.upper, profile);
  return true;
}

// Which operands the indices are, and what is known of each.
Sharing ProfileIndices(const Instruction& instruction, InstructionProfile& profile) {
  const IndexOperands indices = IndexOperandsOf(instruction);
  const auto operands = instruction.operands().slice(indices.first, indices.count);
  for (const Instruction* index : operands) {
    const auto* const first = llvm::find(instruction.operands(), index);
    Add(int64_t{first - instruction.operands().begin()}, profile);
    if (!index->shape().IsArray()) return Sharing::kNothing;
    const int64_t dimension = indices.vector_dimension;
    const int64_t components = dimension < index->shape().rank()
                                   ? index->shape().sizes()[static_cast<size_t>(dimension)]
                                   : 1;
    for (int64_t i = 0; i < components; ++i) {
      if (!ProfileComponent(*index, dimension, i, profile)) return Sharing::kNothing;
    }
  }
  return Sharing::kMapsButValues;
}

}  // namespace

Sharing ProfileInstruction(const Instruction& instruction, int64_t output_leaf,
                           const CustomCallRegistry* custom_calls, InstructionProfile& profile) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kConditional || opcode == Opcode::kWhile) return Sharing::kNothing;
  if (opcode == Opcode::kCustomCall && custom_calls != nullptr) {
    const auto target = instruction.Get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget);
    if (target && custom_calls->Find(target->Unescape()) != nullptr) return Sharing::kNothing;
  }
  Add(output_leaf, profile);
  if (opcode == Opcode::kFusion || opcode == Opcode::kCall) {
    Add(FollowedCallee(instruction), profile);
    return Sharing::kMaps;
  }
  const ReadRule rule = ReadRuleOf(opcode);
  Add(reinterpret_cast<const void*>(rule), profile);
  // Shapes belong to one module, so instructions of two never share anything. Only this rule looks
  // at element types and layouts.
  const bool looks_at_types = rule == read_rules::Bitcast;
  const auto add_shape = [&](const hlo::Shape& shape) {
    Add(looks_at_types ? &shape : &shape.untyped(), profile);
  };
  add_shape(instruction.shape());
  for (const Instruction* operand : instruction.operands()) add_shape(operand->shape());
  if (LooksAtDimensionsOnly(rule)) return Sharing::kMaps;
  // These rules tell opcodes apart.
  const bool looks_at_opcode = rule == nullptr || rule == read_rules::CopyStart ||
                               rule == read_rules::AllGather ||
                               rule == read_rules::CollectivePermute;
  if (looks_at_opcode) Add(static_cast<int64_t>(opcode), profile);
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsIrrelevant(attribute)) ProfileAttribute(instruction, attribute, profile);
  }
  if (rule == read_rules::Scatter) {
    const hlo::Computation& callee = *instruction.Callee(hlo::AttributeName::kToApply);
    for (const bool is_used : UsedParameters(callee, static_cast<size_t>(output_leaf))) {
      Add(int64_t{is_used}, profile);
    }
  }
  return ReadsRuntimeValues(opcode) ? ProfileIndices(instruction, profile) : Sharing::kMaps;
}

}  // namespace hlo_indexing::indexing_analysis
