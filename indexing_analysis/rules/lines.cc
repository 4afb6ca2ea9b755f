// Operations that read whole lines of their operands: sorts, transforms, scans, normalisations.
#include <algorithm>
#include <vector>

#include "indexing_analysis/rules/read_rules.h"
#include "indexing_analysis/rules/rule_table.h"
#include "indexing_analysis/rules/used_parameters.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using Indices = llvm::SmallVector<Sum, 6>;

// The operand at the index of the output, but every index along the dimension.
void ReadLine(ReadContext& context, size_t operand, size_t dimension) {
  Access access = context.Start();
  Indices index(context.index().begin(), context.index().end());
  const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
  if (dimension >= index.size() || dimension >= sizes.size()) {
    context.ReadUnknown("the shapes do not fit the opcode");
    return;
  }
  index[dimension] = context.AddRange(access, sizes[dimension]);
  context.ReadWithin(operand, 0, std::move(access), index);
}

// Every element of the operand that has this index in dimension `feature`.
void ReadFeature(ReadContext& context, size_t operand, size_t feature, const Sum& feature_index) {
  Access access = context.Start();
  Indices index;
  const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
  for (size_t i = 0; i < sizes.size(); ++i) {
    index.push_back(i == feature ? feature_index : context.AddRange(access, sizes[i]));
  }
  context.ReadWithin(operand, 0, std::move(access), index);
}

// How an element of a scan depends on an operand: on the same step, on the steps before.
struct StepDependence {
  enum class When : uint8_t { kNever, kSometimes, kAlways };
  bool same_step = false;
  When steps_before = When::kNever;
};

// Which operands an output or carry depends on, and at what distance of steps.
class ScanDependence {
 public:
  ScanDependence(const hlo::Computation& callee, size_t leaf, size_t outputs, size_t carries) {
    const size_t operands = callee.parameters().size();
    std::vector<bool> reached = UsedParameters(callee, leaf);
    dependence_.resize(operands);
    for (size_t i = 0; i < operands; ++i) dependence_[i].same_step = reached[i];
    std::vector<size_t> times(operands, 0);
    // What is carried repeats after as many steps as there are sets of carries; beyond a few, every
    // step counts as one that may be read.
    constexpr size_t kSteps = 16;
    for (size_t step = 0; step < kSteps; ++step) {
      std::vector<bool> before(operands, false);
      for (size_t c = 0; c < carries; ++c) {
        if (!reached[operands - carries + c]) continue;
        const std::vector<bool> used = UsedParameters(callee, outputs - carries + c);
        for (size_t i = 0; i < operands; ++i) before[i] = before[i] || used[i];
      }
      for (size_t i = 0; i < operands; ++i) times[i] += before[i] ? 1 : 0;
      // The same carries again: a fixed point.
      if (before == reached) {
        for (size_t i = 0; i < operands; ++i) times[i] += before[i] ? kSteps - step - 1 : 0;
        break;
      }
      reached = std::move(before);
    }
    using When = StepDependence::When;
    for (size_t i = 0; i < operands; ++i) {
      dependence_[i].steps_before = times[i] == 0        ? When::kNever
                                    : times[i] == kSteps ? When::kAlways
                                                         : When::kSometimes;
    }
  }

  const StepDependence& Of(size_t operand) const { return dependence_[operand]; }

 private:
  std::vector<StepDependence> dependence_;
};

// The accessed element of a scan.
struct ScanPosition {
  size_t scanned = 0;
  bool is_carry = false;
  // The index beside the scanned dimension.
  Indices slice;
  // Whether an element of a slice depends on the same element of other slices only.
  bool is_elementwise = false;
};

// What the element reads of one operand: an array that is scanned, or a carry at the start.
void ReadOfScan(ReadContext& context, const ScanPosition& position, size_t operand, bool is_input,
                const StepDependence& dependence) {
  using When = StepDependence::When;
  if (!dependence.same_step && dependence.steps_before == When::kNever) return;
  const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
  const bool fits = sizes.size() == position.slice.size() + (is_input ? 1 : 0) &&
                    position.scanned <= position.slice.size();
  if (!fits) {
    context.ReadWholeOperand(operand, "a scan over arrays of other ranks is not followed");
    return;
  }
  Access access = context.Start();
  Indices index = position.slice;
  for (size_t i = 0; i < index.size() && !position.is_elementwise; ++i) {
    index[i] = context.AddRange(access, sizes[i < position.scanned || !is_input ? i : i + 1]);
    access.superset_reason = "what a slice of a scan depends on is not followed by element";
  }
  const bool is_uniform = dependence.same_step && dependence.steps_before == When::kAlways;
  if (!is_input) {
    // Only the first step reads the carry itself.
    if (!is_uniform) access.superset_reason = "a carry is handed on by some steps only";
  } else {
    const Sum step = context.AddRange(access, sizes[position.scanned]);
    const hlo::Attribute* reverse = context.instruction().Find(AttributeName::kIsReverse);
    const bool* is_reverse = reverse == nullptr ? nullptr : std::get_if<bool>(&reverse->value);
    const bool backwards = is_reverse != nullptr && *is_reverse;
    const Sum end = !position.is_carry ? context.index()[position.scanned]
                    : backwards        ? simplifier::Constant(0)
                                       : simplifier::Constant(sizes[position.scanned] - 1);
    Sum distance = Subtract(context.digits(), end, step);
    if (backwards) distance = Scale(context.digits(), distance, -1);
    const int64_t nearest = dependence.same_step ? 0 : 1;
    const int64_t farthest = dependence.steps_before == When::kNever ? 0 : Interval::kPlusInfinity;
    context.Constrain(access, distance, {nearest, farthest});
    if (dependence.steps_before == When::kSometimes) {
      access.superset_reason = "an input is handed on by some steps only";
    }
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(position.scanned), step);
  }
  context.ReadWithin(operand, 0, std::move(access), index);
}

// Whether every instruction works element by element, so that slices are as good as scalars.
bool IsElementwise(const hlo::Computation& computation) {
  return llvm::all_of(computation.instructions(), [](const hlo::Instruction* instruction) {
    const RuleTraits& traits = TraitsOf(instruction->opcode());
    const bool is_splat = instruction->opcode() == hlo::Opcode::kBroadcast &&
                          instruction->operand(0).shape().IsScalar();
    switch (traits.forwarding) {
      case Forwarding::kNoOperand:
      case Forwarding::kTuple:
      case Forwarding::kGetTupleElement:
        return true;
      // Some change the size of a dimension, which scalars do not have.
      case Forwarding::kFirstOperand:
      case Forwarding::kNone:
        return traits.is_elementwise || is_splat;
    }
    return false;
  });
}

size_t FeatureDimension(ReadContext& context) {
  return static_cast<size_t>(context.instruction().Required<int64_t>(AttributeName::kFeatureIndex));
}

bool RequireRank(ReadContext& context, size_t rank_above) {
  if (context.index().size() > rank_above) return true;
  context.ReadUnknown("the shapes do not fit the opcode");
  return false;
}

}  // namespace

// Every element of a line may end up anywhere in it, as the operands say that the comparison looks
// at.
void Sort(ReadContext& context) {
  const int64_t dimension = context.instruction().Integers(AttributeName::kDimensions)[0];
  const std::vector<bool> keys = SortKeys(context.instruction());
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (!keys[i] && i != static_cast<size_t>(context.output_leaf())) continue;
    ReadLine(context, i, static_cast<size_t>(dimension));
  }
}

// Values and indices depend on the whole line.
void TopK(ReadContext& context) { ReadLine(context, 0, context.output().sizes().size() - 1); }

// The transformed lines. The inverse of a real transform uses length / 2 + 1 values of the last.
void Fft(ReadContext& context) {
  const llvm::ArrayRef<int64_t> lengths = context.instruction().Integers(AttributeName::kFftLength);
  const llvm::StringRef type =
      context.instruction().Required<hlo::Keyword>(AttributeName::kFftType).text;
  const llvm::ArrayRef<int64_t> sizes = context.operand(0).sizes();
  Access access = context.Start();
  Indices index(context.index().begin(), context.index().end());
  for (size_t i = sizes.size() - lengths.size(); i < sizes.size(); ++i) {
    int64_t size = sizes[i];
    if (type == "IRFFT" && i + 1 == sizes.size()) size = std::min(size, lengths.back() / 2 + 1);
    index[i] = context.AddRange(access, size);
  }
  context.ReadWithin(0, 0, std::move(access), index);
}

// Output k at index i of the scanned dimension depends on what went in up to there, a carry at the
// end on everything; both on the carries at the start: as far as the computation forwards them.
void Scan(ReadContext& context) {
  const hlo::Instruction& scan = context.instruction();
  const llvm::ArrayRef<int64_t> dimensions = scan.Integers(AttributeName::kDimensions);
  const size_t outputs = static_cast<size_t>(scan.shape().num_array_leaves());
  const size_t carries =
      static_cast<size_t>(scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0));
  const hlo::Computation& callee = *scan.Callee(AttributeName::kToApply);
  const bool fits = dimensions.size() == 1 && carries < context.num_operands() &&
                    carries <= outputs && callee.parameters().size() == context.num_operands() &&
                    static_cast<size_t>(callee.root().shape().num_array_leaves()) == outputs;
  if (!fits) {
    context.ReadUnknown("scan needs one dimension, inputs and carries");
    return;
  }
  ScanPosition position;
  position.scanned = static_cast<size_t>(dimensions[0]);
  position.is_carry = static_cast<size_t>(context.output_leaf()) >= outputs - carries;
  position.slice.assign(context.index().begin(), context.index().end());
  if (!position.is_carry) {
    if (position.scanned >= position.slice.size()) {
      context.ReadUnknown("an output of the scan lacks the scanned dimension");
      return;
    }
    position.slice.erase(position.slice.begin() + static_cast<std::ptrdiff_t>(position.scanned));
  }
  position.is_elementwise = position.slice.empty() || IsElementwise(callee);
  const ScanDependence dependence(callee, static_cast<size_t>(context.output_leaf()), outputs,
                                  carries);
  for (size_t i = 0; i < context.num_operands(); ++i) {
    ReadOfScan(context, position, i, i + carries < context.num_operands(), dependence.Of(i));
  }
}

// (operand, scale, offset) -> (normalised operand, mean, variance): the last two are statistics of
// a feature, which normalising uses.
void BatchNormTraining(ReadContext& context) {
  const size_t feature = FeatureDimension(context);
  const bool is_statistic = context.output_leaf() != 0;
  if (!RequireRank(context, is_statistic ? 0 : feature)) return;
  const Sum of = context.index()[is_statistic ? 0 : feature];
  ReadFeature(context, 0, feature, of);
  if (is_statistic) return;
  context.ReadWithin(1, 0, context.Start(), of);
  context.ReadWithin(2, 0, context.Start(), of);
}

// (operand, scale, offset, mean, variance)
void BatchNormInference(ReadContext& context) {
  const size_t feature = FeatureDimension(context);
  if (!RequireRank(context, feature)) return;
  context.ReadSameIndexWithin(0, 0);
  for (size_t i = 1; i < context.num_operands(); ++i) {
    context.ReadWithin(i, 0, context.Start(), context.index()[feature]);
  }
}

// (operand, scale, mean, variance, gradient of the output) -> gradients of (operand, scale,
// offset). That of the scale does not depend on the scale, that of the offset on the output's
// gradient alone.
void BatchNormGrad(ReadContext& context) {
  const size_t feature = FeatureDimension(context);
  const int64_t leaf = context.output_leaf();
  if (!RequireRank(context, leaf == 0 ? feature : 0)) return;
  const Sum of = context.index()[leaf == 0 ? feature : 0];
  ReadFeature(context, 4, feature, of);
  if (leaf == 2) return;
  ReadFeature(context, 0, feature, of);
  if (leaf == 0) context.ReadWithin(1, 0, context.Start(), of);
  context.ReadWithin(2, 0, context.Start(), of);
  context.ReadWithin(3, 0, context.Start(), of);
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
