// Operations whose offsets are known at run time.
#include <vector>

#include "indexing_analysis/rules/index_operands.h"
#include "indexing_analysis/rules/read_rules.h"
#include "indexing_analysis/rules/used_parameters.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using simplifier::Constant;
using simplifier::Constraint;
using Indices = llvm::SmallVector<Sum, 6>;

// Every start index is read by every element of the output. The start indices are scalars, or one
// vector.
void ReadStartIndices(ReadContext& context, size_t first) {
  for (size_t i = first; i < context.num_operands(); ++i) {
    Access access = context.Start();
    Indices index;
    for (const int64_t size : context.operand(i).sizes()) {
      index.push_back(context.AddRange(access, size));
    }
    context.Read(i, 0, std::move(access), index);
  }
}

// The offsets of the slice, each clamped so that the slice stays inside the array.
Indices StartIndices(ReadContext& context, size_t first, llvm::ArrayRef<int64_t> array_sizes,
                     llvm::ArrayRef<int64_t> slice_sizes, Access& access) {
  const bool is_vector = context.num_operands() > first && context.operand(first).rank() == 1;
  Indices starts;
  for (size_t i = 0; i < array_sizes.size(); ++i) {
    const Interval bounds = {0, array_sizes[i] - slice_sizes[i]};
    const Sum position = Constant(static_cast<int64_t>(i));
    starts.push_back(is_vector ? context.RuntimeValue(first, position, bounds, access)
                               : context.RuntimeValue(first + i, {}, bounds, access));
  }
  return starts;
}

// The integer vectors that gather and scatter take as indices.
struct IndexVectors {
  // Of their array.
  const hlo::Shape& shape;
  // The dimension of the vectors; the rank if each index is a vector of one.
  int64_t dimension = 0;

  static IndexVectors Of(const hlo::Instruction& instruction, const IndexOperands& indices) {
    return {instruction.operand(indices.first).shape(), indices.vector_dimension};
  }
  // The index of a component of the vector at `batch`.
  Indices Element(llvm::ArrayRef<Sum> batch, const Sum& component) const {
    Indices index(batch.begin(), batch.end());
    if (dimension < shape.rank()) index.insert(index.begin() + dimension, component);
    return index;
  }
  // The part of a batch index that belongs to this dimension of the indices.
  Sum BatchIndex(llvm::ArrayRef<Sum> batch, int64_t of_dimension) const {
    return batch[static_cast<size_t>(of_dimension - (of_dimension > dimension ? 1 : 0))];
  }
};

// All components of one vector.
void ReadIndexVector(ReadContext& context, size_t operand, const IndexVectors& vectors,
                     Access access, llvm::ArrayRef<Sum> batch) {
  const bool is_scalar = vectors.dimension >= vectors.shape.rank();
  const Sum component =
      is_scalar
          ? Constant(0)
          : context.AddRange(access, vectors.shape.sizes()[static_cast<size_t>(vectors.dimension)]);
  context.Read(operand, 0, std::move(access), vectors.Element(batch, component));
}

// An update that covers the accessed element: where it lies, and what says that it covers it.
struct Update {
  // In the array of updates.
  Indices index;
  llvm::SmallVector<Constraint, 8> conditions;
};

// The update over all batch indices, as range variables; those of the element's position in the
// batching dimensions. The offset in the window is the distance from its start.
Update ScatterUpdate(ReadContext& context, Access& access) {
  const hlo::Instruction& scatter = context.instruction();
  const size_t count = context.num_operands() / 2;
  const llvm::ArrayRef<int64_t> sizes = context.output().sizes();
  const hlo::Shape& updates = context.operand(count + 1);
  const llvm::ArrayRef<int64_t> window = scatter.Integers(AttributeName::kUpdateWindowDims);
  const llvm::ArrayRef<int64_t> inserted = scatter.Integers(AttributeName::kInsertedWindowDims);
  const llvm::ArrayRef<int64_t> batching = scatter.Integers(AttributeName::kInputBatchingDims);
  const llvm::ArrayRef<int64_t> start_map =
      scatter.Integers(AttributeName::kScatterDimsToOperandDims);
  const llvm::ArrayRef<int64_t> indices_batching =
      scatter.Integers(AttributeName::kScatterIndicesBatchingDims);
  Indices batch;
  for (int64_t i = 0; i < updates.rank(); ++i) {
    if (llvm::is_contained(window, i)) continue;
    batch.push_back(context.AddRange(access, updates.sizes()[static_cast<size_t>(i)]));
  }
  // A batch without an index has no update.
  if (access.map.empty) return {};
  Update update;
  const auto require = [&](const Sum& sum, Interval bounds) {
    if (!bounds.Contains(simplifier::NaturalRange(sum))) update.conditions.push_back({sum, bounds});
  };
  const IndexVectors vectors = IndexVectors::Of(scatter, index_operands::Scatter(scatter));
  Indices offsets;
  size_t next_window = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t dimension = static_cast<int64_t>(i);
    const bool in_window =
        !llvm::is_contained(inserted, dimension) && !llvm::is_contained(batching, dimension);
    const int64_t extent =
        in_window ? updates.sizes()[static_cast<size_t>(window[next_window++])] : 1;
    Sum offset = context.index()[i];
    if (const auto* const found = llvm::find(batching, dimension); found != batching.end()) {
      offset = Subtract(context.digits(), offset,
                        vectors.BatchIndex(batch, indices_batching[found - batching.begin()]));
      // That says which batch it is, not whether its update covers the element.
      context.Constrain(access, offset, Interval::Point(0));
      continue;
    }
    if (const auto* const found = llvm::find(start_map, dimension); found != start_map.end()) {
      // One more position at both ends stands for all starts that are skipped.
      const int64_t last = sizes[i] - extent;
      const Sum start =
          context.RuntimeValue(count, vectors.Element(batch, Constant(found - start_map.begin())),
                               {-1, last + 1}, access);
      // A window of one element that covers a position of the array begins inside it.
      if (extent != 1) require(start, {0, last});
      offset = Subtract(context.digits(), offset, start);
    }
    require(offset, {0, extent - 1});
    if (in_window) offsets.push_back(offset);
  }
  size_t next_batch = 0;
  size_t next_offset = 0;
  for (int64_t i = 0; i < updates.rank(); ++i) {
    update.index.push_back(llvm::is_contained(window, i) ? offsets[next_offset++]
                                                         : batch[next_batch++]);
  }
  return update;
}

// The element of an operand at the index of the output, where one of the conditions does not hold:
// for each of them, where it fails on one side and those before it hold.
void ReadUnlessAll(ReadContext& context, size_t operand, Access access,
                   llvm::ArrayRef<Constraint> conditions) {
  for (const auto& [sum, bounds] : conditions) {
    Access below = access;
    context.Constrain(below, sum, {Interval::kMinusInfinity, bounds.lower - 1});
    context.Read(operand, 0, std::move(below), context.index());
    Access above = access;
    context.Constrain(above, sum, {bounds.upper + 1, Interval::kPlusInfinity});
    context.Read(operand, 0, std::move(above), context.index());
    context.Constrain(access, sum, bounds);
  }
}

// All indices that may address the accessed element: those of its position in the batching
// dimensions.
void ReadScatterIndices(ReadContext& context, size_t operand) {
  const hlo::Instruction& scatter = context.instruction();
  const llvm::ArrayRef<int64_t> of_array = scatter.Integers(AttributeName::kInputBatchingDims);
  const llvm::ArrayRef<int64_t> of_indices =
      scatter.Integers(AttributeName::kScatterIndicesBatchingDims);
  Access access = context.Start();
  Indices index;
  const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto* const found = llvm::find(of_indices, static_cast<int64_t>(i));
    index.push_back(found == of_indices.end()
                        ? context.AddRange(access, sizes[i])
                        : context.index()[static_cast<size_t>(
                              of_array[static_cast<size_t>(found - of_indices.begin())])]);
  }
  context.Read(operand, 0, std::move(access), index);
}

}  // namespace

// in[i + start]
void DynamicSlice(ReadContext& context) {
  Access access = context.Start();
  const Indices starts =
      StartIndices(context, 1, context.operand(0).sizes(), context.output().sizes(), access);
  Indices index;
  for (size_t i = 0; i < starts.size(); ++i) {
    index.push_back(Add(context.digits(), context.index()[i], starts[i]));
  }
  context.Read(0, 0, std::move(access), index);
  ReadStartIndices(context, 1);
}

// update[i - start] inside the slice; the operand outside: the union over dimensions of lying
// outside there and inside in all dimensions before.
void DynamicUpdateSlice(ReadContext& context) {
  const llvm::ArrayRef<int64_t> sizes = context.operand(0).sizes();
  const llvm::ArrayRef<int64_t> slice = context.operand(1).sizes();
  Access access = context.Start();
  const Indices starts = StartIndices(context, 2, sizes, slice, access);
  Indices offsets;
  llvm::SmallVector<Constraint, 8> conditions;
  for (size_t i = 0; i < starts.size(); ++i) {
    offsets.push_back(Subtract(context.digits(), context.index()[i], starts[i]));
    conditions.push_back({offsets[i], {0, slice[i] - 1}});
  }
  Access inside = access;
  for (const auto& [offset, bounds] : conditions) context.Constrain(inside, offset, bounds);
  context.Read(1, 0, std::move(inside), offsets);
  ReadStartIndices(context, 2);
  ReadUnlessAll(context, 0, std::move(access), conditions);
}

// out[batch, offset] = in[offset + start(batch)], the start clamped so that the slice stays inside.
// All components of the start are read, whether or not a slice can move in their dimensions: where
// the batch says which position of a dimension it is, the start has no say. A slice without
// elements, whose dimension is dropped, gives elements that nothing is read for.
void Gather(ReadContext& context) {
  const hlo::Instruction& gather = context.instruction();
  if (llvm::is_contained(gather.Integers(AttributeName::kSliceSizes), 0)) return;
  const llvm::ArrayRef<int64_t> offset_dims = gather.Integers(AttributeName::kOffsetDims);
  const llvm::ArrayRef<int64_t> slice = gather.Integers(AttributeName::kSliceSizes);
  const llvm::ArrayRef<int64_t> collapsed = gather.Integers(AttributeName::kCollapsedSliceDims);
  const llvm::ArrayRef<int64_t> batching = gather.Integers(AttributeName::kOperandBatchingDims);
  const llvm::ArrayRef<int64_t> start_map = gather.Integers(AttributeName::kStartIndexMap);
  const llvm::ArrayRef<int64_t> indices_batching =
      gather.Integers(AttributeName::kStartIndicesBatchingDims);
  const llvm::ArrayRef<int64_t> sizes = context.operand(0).sizes();
  Indices batch;
  Indices offsets;
  for (size_t i = 0; i < context.index().size(); ++i) {
    const bool is_offset = llvm::is_contained(offset_dims, static_cast<int64_t>(i));
    (is_offset ? offsets : batch).push_back(context.index()[i]);
  }
  const IndexVectors vectors = IndexVectors::Of(gather, index_operands::Gather(gather));
  ReadIndexVector(context, 1, vectors, context.Start(), batch);
  Access access = context.Start();
  Indices index;
  size_t next_offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t dimension = static_cast<int64_t>(i);
    const bool has_offset =
        !llvm::is_contained(collapsed, dimension) && !llvm::is_contained(batching, dimension);
    Sum at = has_offset ? offsets[next_offset++] : Constant(0);
    const auto* const of_batch = llvm::find(batching, dimension);
    const auto* const of_start = llvm::find(start_map, dimension);
    if (of_batch != batching.end()) {
      at = Add(context.digits(), at,
               vectors.BatchIndex(batch, indices_batching[of_batch - batching.begin()]));
    } else if (of_start != start_map.end()) {
      const Sum start =
          context.RuntimeValue(1, vectors.Element(batch, Constant(of_start - start_map.begin())),
                               {0, sizes[i] - slice[i]}, access);
      at = Add(context.digits(), at, start);
    }
    index.push_back(at);
  }
  context.Read(0, 0, std::move(access), index);
}

namespace {

// An element that one of so many conditions keeps from being replaced is read in twice as many
// ways. More would soon meet the limits of propagation, which lose more than what is replaced.
constexpr size_t kMaxConditionsOfUpdate = 3;

// Whether at most one index vector may address an element: one for each batch.
bool MeetsOneIndexVector(ReadContext& context, size_t operand) {
  const hlo::Instruction& scatter = context.instruction();
  const llvm::ArrayRef<int64_t> sizes = context.operand(operand).sizes();
  const llvm::ArrayRef<int64_t> batching =
      scatter.Integers(AttributeName::kScatterIndicesBatchingDims);
  const auto vector_dim = scatter.Required<int64_t>(AttributeName::kIndexVectorDim);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto dimension = static_cast<int64_t>(i);
    const bool is_batch = dimension != vector_dim && !llvm::is_contained(batching, dimension);
    if (is_batch && sizes[i] > 1) return false;
  }
  return true;
}

}  // namespace

// (arrays, indices, updates). An element gets the updates whose window covers it: those windows
// that lie inside the array with all of their elements; others are skipped. Whether one covers it
// depends on all indices; if there is one only, an element that it replaces is not read.
void Scatter(ReadContext& context) {
  const size_t count = context.num_operands() / 2;
  const size_t output = static_cast<size_t>(context.output_leaf());
  // What the computation of this array uses: elements of the arrays, then updates.
  const std::vector<bool> uses =
      UsedParameters(*context.instruction().Callee(AttributeName::kToApply), output);
  const bool meets_one = MeetsOneIndexVector(context, count);
  const bool is_unique =
      meets_one || context.instruction().Get<bool>(AttributeName::kUniqueIndices).value_or(false);
  ReadScatterIndices(context, count);
  Access access = context.Start();
  const Update update = ScatterUpdate(context, access);
  Access covered = access;
  for (const auto& [sum, bounds] : update.conditions) context.Constrain(covered, sum, bounds);
  for (size_t i = 0; i < count; ++i) {
    if (uses[count + i]) {
      Access of_update = covered;
      if (!uses[output] && !is_unique) {
        of_update.superset_reason = "of several updates of an element, only the last one counts";
      }
      context.Read(count + 1 + i, 0, std::move(of_update), update.index);
    }
    if (i != output && uses[i]) context.Read(i, 0, covered, context.index());
  }
  if (uses[output] || access.map.empty) {
    context.ReadSameIndex(output);
    return;
  }
  if (meets_one && update.conditions.size() <= kMaxConditionsOfUpdate) {
    ReadUnlessAll(context, output, std::move(access), update.conditions);
    return;
  }
  Access replaced = context.Start();
  replaced.superset_reason = "an update may replace the element without reading it";
  context.Read(output, 0, std::move(replaced), context.index());
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
