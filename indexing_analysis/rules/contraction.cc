// Operations that combine many elements into one.
#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using simplifier::Constant;
using Indices = llvm::SmallVector<Sum, 6>;

// One side of a dot. Output dimensions are batch, lhs free, rhs free.
struct DotSide {
  const hlo::Shape* shape = nullptr;
  llvm::ArrayRef<int64_t> batch;
  llvm::ArrayRef<int64_t> contracting;
  // Dimensions that are summed over besides.
  llvm::ArrayRef<int64_t> summed;
  // Where its dimensions start in the output.
  size_t first_batch = 0;
  size_t first_free = 0;
};

DotSide DimensionsOf(const hlo::Instruction& dot, size_t side) {
  DotSide lhs = {&dot.operand(0).shape(),
                 dot.Integers(AttributeName::kLhsBatchDims),
                 dot.Integers(AttributeName::kLhsContractingDims),
                 {},
                 0,
                 0};
  lhs.first_free = lhs.batch.size();
  if (side == 0) return lhs;
  DotSide rhs = {&dot.operand(1).shape(),
                 dot.Integers(AttributeName::kRhsBatchDims),
                 dot.Integers(AttributeName::kRhsContractingDims),
                 {},
                 0,
                 0};
  rhs.first_free = lhs.shape->sizes().size() - lhs.contracting.size();
  return rhs;
}

// The index into one side of a dot.
Indices DotIndex(ReadContext& context, Access& access, const DotSide& side) {
  const llvm::ArrayRef<int64_t> sizes = side.shape->sizes();
  Indices index(sizes.size(), Constant(0));
  for (size_t i = 0; i < side.batch.size(); ++i) {
    index[static_cast<size_t>(side.batch[i])] = context.index()[side.first_batch + i];
  }
  for (const llvm::ArrayRef<int64_t> summed : {side.contracting, side.summed}) {
    for (const int64_t dimension : summed) {
      const size_t i = static_cast<size_t>(dimension);
      index[i] = context.AddRange(access, sizes[i]);
    }
  }
  size_t next_free = side.first_free;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (llvm::is_contained(side.batch, i) || llvm::is_contained(side.contracting, i) ||
        llvm::is_contained(side.summed, i)) {
      continue;
    }
    index[static_cast<size_t>(i)] = context.index()[next_free++];
  }
  return index;
}

}  // namespace

// Every array is read along the reduced dimensions by each output, and so are the initial values:
// its own in any case, those of the others if there is anything to combine.
void Reduce(ReadContext& context) {
  const llvm::ArrayRef<int64_t> reduced =
      context.instruction().Integers(AttributeName::kDimensions);
  const size_t count = context.num_operands() / 2;
  if (context.operand(count).rank() != 0) {
    // The computation combines whole results.
    const llvm::StringRef reason = "the reduction combines arrays, of which it may read less";
    for (size_t i = 0; i < context.num_operands(); ++i) context.ReadWholeOperand(i, reason);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const hlo::Shape& operand = context.operand(i);
    Access access = context.Start();
    Indices index;
    size_t next_kept = 0;
    for (int64_t dimension = 0; dimension < operand.rank(); ++dimension) {
      index.push_back(
          llvm::is_contained(reduced, dimension)
              ? context.AddRange(access, operand.sizes()[static_cast<size_t>(dimension)])
              : context.index()[next_kept++]);
    }
    const bool is_own = i == static_cast<size_t>(context.output_leaf());
    context.Read(count + i, 0, is_own ? context.Start() : access, {});
    context.Read(i, 0, std::move(access), index);
  }
}

// out[b, l, r] = sum over c of lhs[b, l, c] * rhs[b, r, c], one range variable per pair of
// contracting dimensions in the order of the attribute. Of sparse operands, only some indices along
// the contracting dimensions meet; further operands say which.
void Dot(ReadContext& context) {
  const hlo::Instruction& dot = context.instruction();
  const bool is_sparse =
      dot.Find(AttributeName::kSparsity) != nullptr || context.num_operands() != 2;
  for (size_t side = 0; side < 2; ++side) {
    Access access = context.Start();
    const Indices index = DotIndex(context, access, DimensionsOf(dot, side));
    if (is_sparse) access.superset_reason = "a sparse operand says which elements meet";
    context.Read(side, 0, std::move(access), index);
  }
  for (size_t i = 2; i < context.num_operands(); ++i) {
    context.ReadWholeOperand(i, "which elements meet depends on a part of this operand");
  }
}

// As dot; operands 2 and 3 scale blocks of the first two: an element of them for each block of
// equal size along every dimension.
void ScaledDot(ReadContext& context) {
  for (size_t side = 0; side < 2; ++side) {
    Access access = context.Start();
    const Indices index = DotIndex(context, access, DimensionsOf(context.instruction(), side));
    context.Read(side, 0, std::move(access), index);
  }
  for (size_t i = 2; i < context.num_operands(); ++i) {
    const DotSide side = DimensionsOf(context.instruction(), i - 2);
    const llvm::ArrayRef<int64_t> blocks = context.operand(i).sizes();
    if (!blocks.empty() && blocks.size() != side.shape->sizes().size()) {
      context.ReadWholeOperand(i, "the scales have another rank than what they scale");
      continue;
    }
    Access access = context.Start();
    Indices index = DotIndex(context, access, side);
    // A scalar scales every product.
    index.resize(blocks.size());
    for (size_t k = 0; k < blocks.size(); ++k) {
      const int64_t size = side.shape->sizes()[k];
      if (llvm::is_contained(side.contracting, static_cast<int64_t>(k))) {
        index[k] = context.AddRange(access, blocks[k]);
      } else if (blocks[k] > 0 && size % blocks[k] == 0) {
        index[k] = DivMod(context.digits(), index[k], size / blocks[k]).quotient;
      } else {
        index[k] = context.AddRange(access, blocks[k]);
        access.superset_reason = "the blocks of a scale have different sizes";
      }
    }
    context.ReadWithin(i, 0, std::move(access), index);
  }
}

// (lhs, rhs, group sizes). Groups split one dimension of the left side. If that is free, a row
// meets the part of the right side that belongs to its group; if it is contracted, each group
// gives a result of its own; a batch dimension may be split as well.
// Which group an index belongs to depends on all sizes.
void RaggedDot(ReadContext& context) {
  const hlo::Instruction& dot = context.instruction();
  const llvm::ArrayRef<int64_t> ragged = dot.Integers(AttributeName::kLhsRaggedDims);
  const llvm::ArrayRef<int64_t> group = dot.Integers(AttributeName::kRhsGroupDims);
  DotSide lhs = DimensionsOf(dot, 0);
  DotSide rhs = DimensionsOf(dot, 1);
  const bool gives_groups = ragged.size() == 1 && llvm::is_contained(lhs.contracting, ragged[0]);
  rhs.summed = group;
  lhs.first_batch = rhs.first_batch = gives_groups ? 1 : 0;
  lhs.first_free += gives_groups ? 1 : 0;
  rhs.first_free += gives_groups ? 1 : 0;
  const size_t free_of_rhs =
      rhs.shape->sizes().size() - rhs.batch.size() - rhs.contracting.size() - rhs.summed.size();
  const bool fits =
      ragged.size() == 1 &&
      rhs.shape->sizes().size() >= rhs.batch.size() + rhs.contracting.size() + rhs.summed.size() &&
      rhs.first_free + free_of_rhs == context.index().size();
  const llvm::StringRef reason = "the group of a place depends on the group sizes";
  for (size_t side = 0; side < 2; ++side) {
    const DotSide& dimensions = side == 0 ? lhs : rhs;
    if (!fits) {
      context.ReadWholeOperand(side, "the form of this ragged-dot is not followed by element");
      continue;
    }
    Access access = context.Start();
    const Indices index = DotIndex(context, access, dimensions);
    // An index behind the last group meets nothing.
    access.superset_reason = reason.str();
    context.ReadWithin(side, 0, std::move(access), index);
  }
  context.ReadWholeOperand(2, reason);
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
