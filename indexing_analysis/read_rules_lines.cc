// Operations that read whole lines of their operands: sorts, transforms, scans, normalisations.
#include <algorithm>

#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using Indices = llvm::SmallVector<Sum, 6>;

// The operand at the index of the output, but every place along the dimension.
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

size_t FeatureDimension(ReadContext& context) {
  return static_cast<size_t>(context.instruction().Required<int64_t>(AttributeName::kFeatureIndex));
}

bool RequireRank(ReadContext& context, size_t rank_above) {
  if (context.index().size() > rank_above) return true;
  context.ReadUnknown("the shapes do not fit the opcode");
  return false;
}

}  // namespace

// Every place of a line may end up anywhere in it, and the comparison looks at all operands.
void Sort(ReadContext& context) {
  const int64_t dimension = context.instruction().Integers(AttributeName::kDimensions)[0];
  for (size_t i = 0; i < context.num_operands(); ++i) {
    ReadLine(context, i, static_cast<size_t>(dimension));
  }
}

// Values and places depend on the whole line.
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

// Output k at place i of the scanned dimension depends on what went in up to there, a carry at the
// end on everything; both on the carries at the start. With a computation on slices, what an
// element of a slice depends on is not followed.
void Scan(ReadContext& context) {
  const hlo::Instruction& scan = context.instruction();
  const llvm::ArrayRef<int64_t> dimensions = scan.Integers(AttributeName::kDimensions);
  const int64_t outputs = scan.shape().num_array_leaves();
  const int64_t carries = scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0);
  const int64_t inputs = static_cast<int64_t>(context.num_operands()) - carries;
  if (dimensions.size() != 1 || inputs <= 0 || carries < 0 || carries > outputs) {
    context.ReadUnknown("scan needs one dimension, inputs and carries");
    return;
  }
  const size_t scanned = static_cast<size_t>(dimensions[0]);
  const bool is_carry = context.output_leaf() >= outputs - carries;
  const hlo::Attribute* reverse = scan.Find(AttributeName::kIsReverse);
  const bool* is_reverse = reverse == nullptr ? nullptr : std::get_if<bool>(&reverse->value);
  Indices slice(context.index().begin(), context.index().end());
  if (!is_carry && scanned < slice.size()) slice.erase(slice.begin() + scanned);
  const hlo::Computation* callee = scan.Callee(AttributeName::kToApply);
  const bool is_elementwise =
      slice.empty() || llvm::all_of(callee->parameters(), [](const hlo::Instruction* parameter) {
        return parameter->shape().IsScalar();
      });
  const auto read = [&](size_t operand, bool is_input) {
    Access access = context.Start();
    Indices index = slice;
    const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
    const size_t rank = slice.size() + (is_input ? 1 : 0);
    if (sizes.size() != rank || scanned > slice.size()) {
      context.ReadWholeOperand(operand, "a scan over arrays of other ranks is not followed");
      return;
    }
    if (is_input) {
      const Sum place = context.AddRange(access, sizes[scanned]);
      if (!is_carry) {
        const Sum before = Subtract(context.digits(), context.index()[scanned], place);
        const bool backwards = is_reverse != nullptr && *is_reverse;
        context.Constrain(access, before,
                          backwards ? Interval{Interval::kMinusInfinity, 0}
                                    : Interval{0, Interval::kPlusInfinity});
      }
      index.insert(index.begin() + scanned, place);
    }
    for (size_t i = 0; i < index.size() && !is_elementwise; ++i) {
      if (is_input && i == scanned) continue;
      index[i] = context.AddRange(access, sizes[i]);
      access.superset_reason = "what a slice of a scan depends on is not followed by element";
    }
    context.ReadWithin(operand, 0, std::move(access), index);
  };
  for (int64_t i = 0; i < inputs; ++i) read(static_cast<size_t>(i), true);
  for (int64_t i = inputs; i < inputs + carries; ++i) read(static_cast<size_t>(i), false);
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
