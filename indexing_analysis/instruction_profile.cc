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

void Profile(int64_t value, llvm::FoldingSetNodeID& node_id) { node_id.AddInteger(value); }

void Profile(const hlo::SliceRange& range, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {range.start, range.limit, range.stride}) node_id.AddInteger(value);
}

void Profile(const hlo::PaddingDimension& padding, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {padding.low, padding.high, padding.interior}) {
    node_id.AddInteger(value);
  }
}

void Profile(const hlo::WindowDimension& window, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value :
       {window.size, window.stride, window.padding_low, window.padding_high, window.base_dilation,
        window.window_dilation, int64_t{window.reversal ? 1 : 0}}) {
    node_id.AddInteger(value);
  }
}

template <typename T>
void Profile(llvm::ArrayRef<T> values, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(values.size()));
  for (const T& value : values) Profile(value, node_id);
}

void Profile(const hlo::ConvolutionDimensions& labels, llvm::FoldingSetNodeID& node_id) {
  for (const llvm::StringRef text : {labels.input, labels.kernel, labels.output}) {
    node_id.AddString(text);
  }
}

void Profile(const hlo::ReplicaGroups& groups, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(groups.form));
  Profile(groups.groups, node_id);
  Profile(groups.dimensions, node_id);
  Profile(groups.reshape, node_id);
  Profile(groups.permutation, node_id);
  node_id.AddString(groups.mesh);
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
void ProfileValue(const T& value, llvm::FoldingSetNodeID& node_id) {
  if constexpr (std::is_same_v<T, bool>) {
    node_id.AddBoolean(value);
  } else if constexpr (std::is_same_v<T, hlo::Keyword>) {
    node_id.AddString(value.text);
  } else if constexpr (std::is_same_v<T, const hlo::ConvolutionDimensions*> ||
                       std::is_same_v<T, const hlo::ReplicaGroups*>) {
    Profile(*value, node_id);
  } else if constexpr (ReadByRules<T>) {
    Profile(value, node_id);
  }
}

// Attributes that say nothing about what is read.
bool IsIrrelevant(const Attribute& attribute) {
  return std::holds_alternative<hlo::RawText>(attribute.value);
}

// Whether what is read depends on how many devices run the module.
bool IsCollective(const Instruction& instruction) {
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  return llvm::is_contained(
      {read_rules::AllReduce, read_rules::AllGather, read_rules::ReduceScatter,
       read_rules::AllToAll, read_rules::CollectiveBroadcast, read_rules::CollectivePermute,
       read_rules::RaggedAllToAll},
      rule);
}

void ProfileAttribute(const Instruction& instruction, const Attribute& attribute,
                      llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(attribute.name));
  // The number of a channel says nothing, only that there is one.
  if (attribute.name == hlo::AttributeName::kChannelId) return;
  if (attribute.name == hlo::AttributeName::kCustomCallTarget) {
    if (const auto* target = std::get_if<hlo::QuotedString>(&attribute.value)) {
      node_id.AddString(target->escaped);
    }
    return;
  }
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, const hlo::Computation*>) {
          if (IsReadThrough(instruction)) node_id.AddPointer(value);
        } else if constexpr (std::is_same_v<T, llvm::ArrayRef<const hlo::Computation*>>) {
          if (!IsReadThrough(instruction)) return;
          for (const hlo::Computation* computation : value) node_id.AddPointer(computation);
        } else {
          ProfileValue(value, node_id);
        }
      },
      attribute.value);
}

// What is known of a component of all indices in an array. False where that depends on the index's
// place in it.
bool ProfileComponent(const Instruction& index, int64_t vector_dimension, int64_t component,
                      llvm::FoldingSetNodeID& node_id) {
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
  node_id.AddInteger(known.range.lower);
  node_id.AddInteger(known.range.upper);
  return true;
}

// Which operands the indices are, and what is known of each.
Sharing ProfileIndices(const Instruction& instruction, llvm::FoldingSetNodeID& node_id) {
  const IndexOperands indices = IndexOperandsOf(instruction);
  const auto operands = instruction.operands().slice(indices.first, indices.count);
  for (const Instruction* index : operands) {
    const auto* const first = llvm::find(instruction.operands(), index);
    node_id.AddInteger(static_cast<int64_t>(first - instruction.operands().begin()));
    if (!index->shape().IsArray()) return Sharing::kNothing;
    const int64_t dimension = indices.vector_dimension;
    const int64_t components = dimension < index->shape().rank()
                                   ? index->shape().sizes()[static_cast<size_t>(dimension)]
                                   : 1;
    for (int64_t i = 0; i < components; ++i) {
      if (!ProfileComponent(*index, dimension, i, node_id)) return Sharing::kNothing;
    }
  }
  return Sharing::kMapsButValues;
}

}  // namespace

Sharing ProfileInstruction(const Instruction& instruction, int64_t output_leaf,
                           const CustomCallRegistry* custom_calls,
                           llvm::FoldingSetNodeID& node_id) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kConditional || opcode == Opcode::kWhile) return Sharing::kNothing;
  if (opcode == Opcode::kCustomCall && custom_calls != nullptr) {
    const auto target = instruction.Get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget);
    if (target && custom_calls->Find(target->Unescape()) != nullptr) return Sharing::kNothing;
  }
  node_id.AddInteger(output_leaf);
  if (opcode == Opcode::kFusion || opcode == Opcode::kCall) {
    node_id.AddPointer(FollowedCallee(instruction));
    return Sharing::kMaps;
  }
  const ReadRule rule = ReadRuleOf(opcode);
  node_id.AddPointer(reinterpret_cast<const void*>(rule));
  // These rules tell opcodes apart.
  const bool looks_at_opcode = rule == nullptr || rule == read_rules::CopyStart ||
                               rule == read_rules::AllGather ||
                               rule == read_rules::CollectivePermute;
  if (looks_at_opcode) node_id.AddInteger(static_cast<unsigned>(opcode));
  if (IsCollective(instruction)) node_id.AddPointer(&instruction.parent().parent());
  node_id.AddPointer(&instruction.shape());
  for (const Instruction* operand : instruction.operands()) node_id.AddPointer(&operand->shape());
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsIrrelevant(attribute)) ProfileAttribute(instruction, attribute, node_id);
  }
  if (rule == read_rules::Scatter) {
    const hlo::Computation& callee = *instruction.Callee(hlo::AttributeName::kToApply);
    for (const bool is_used : UsedParameters(callee, static_cast<size_t>(output_leaf))) {
      node_id.AddBoolean(is_used);
    }
  }
  return ReadsRuntimeValues(opcode) ? ProfileIndices(instruction, node_id) : Sharing::kMaps;
}

}  // namespace hlo_indexing::indexing_analysis
