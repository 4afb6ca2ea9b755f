// Shapes of gather and scatter, which address windows of an array by vectors of indices.
#include "hlo/shape_inference/rule_table.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// Gather and scatter name the same things differently.
struct IndexedAttributes {
  AttributeName index_map;         // the array dimensions that an index vector addresses
  AttributeName array_batching;    // the array dimensions that run along with the indices'
  AttributeName indices_batching;  // and these
  AttributeName unit_dims;         // the array dimensions that the window lacks
};

constexpr IndexedAttributes kGatherAttributes = {
    AttributeName::kStartIndexMap, AttributeName::kOperandBatchingDims,
    AttributeName::kStartIndicesBatchingDims, AttributeName::kCollapsedSliceDims};
constexpr IndexedAttributes kScatterAttributes = {
    AttributeName::kScatterDimsToOperandDims, AttributeName::kInputBatchingDims,
    AttributeName::kScatterIndicesBatchingDims, AttributeName::kInsertedWindowDims};

std::string Quoted(AttributeName attribute) { return AttributeText(attribute).str(); }

bool RequireAscendingDimensions(ShapeContext& context, AttributeName attribute, int64_t rank) {
  return context.RequireDimensions(attribute, rank) && context.RequireAscending(attribute);
}

// The dimension of the indices that holds their vectors; their rank if each index is a vector.
int64_t IndexVectorDimension(const ShapeContext& context) {
  return context.instruction().Required<int64_t>(AttributeName::kIndexVectorDim);
}

// The sizes of the indices without the dimension that holds the vectors: one index vector each.
Sizes BatchSizes(const ShapeContext& context, const Shape& indices) {
  Sizes sizes(indices.sizes().begin(), indices.sizes().end());
  const int64_t vector_dim = IndexVectorDimension(context);
  if (vector_dim < indices.rank()) sizes.erase(sizes.begin() + vector_dim);
  return sizes;
}

// The pairs of batching dimensions agree, and no index vector addresses them.
bool RequireBatching(ShapeContext& context, const IndexedAttributes& names, const Shape& array,
                     const Shape& indices) {
  const llvm::ArrayRef<int64_t> of_array = context.instruction().Integers(names.array_batching);
  const llvm::ArrayRef<int64_t> of_indices = context.instruction().Integers(names.indices_batching);
  if (!RequireAscendingDimensions(context, names.array_batching, array.rank()) ||
      !context.RequireDimensions(names.indices_batching, indices.rank()) ||
      !context.RequireDisjoint(names.unit_dims, names.array_batching)) {
    return false;
  }
  if (of_array.size() != of_indices.size()) {
    return context.FailAt(names.indices_batching, Quoted(names.array_batching) + " and " +
                                                      Quoted(names.indices_batching) +
                                                      " must have the same number of entries");
  }
  if (llvm::is_contained(of_indices, IndexVectorDimension(context))) {
    return context.FailAt(names.indices_batching,
                          Quoted(names.indices_batching) + " contains index_vector_dim");
  }
  for (size_t i = 0; i < of_array.size(); ++i) {
    if (SameSize(array.sizes()[static_cast<size_t>(of_array[i])],
                 indices.sizes()[static_cast<size_t>(of_indices[i])])) {
      continue;
    }
    return context.FailAt(names.array_batching,
                          "dimension " + std::to_string(of_array[i]) + " of " + array.ToString() +
                              " and dimension " + std::to_string(of_indices[i]) + " of " +
                              indices.ToString() + " must have the same size");
  }
  return true;
}

// The index vectors are integers, as many as the attribute maps to dimensions of the array.
bool RequireIndices(ShapeContext& context, const IndexedAttributes& names, const Shape& array,
                    const Shape& indices) {
  if (!IsIntegral(indices.element_type())) {
    return context.Fail("the indices must be integers, not " + indices.ToString());
  }
  const int64_t vector_dim = IndexVectorDimension(context);
  if (vector_dim < 0 || vector_dim > indices.rank()) {
    return context.FailAt(AttributeName::kIndexVectorDim,
                          "index_vector_dim is no dimension of " + indices.ToString());
  }
  const int64_t length =
      vector_dim == indices.rank() ? 1 : indices.sizes()[static_cast<size_t>(vector_dim)];
  const int64_t mapped =
      static_cast<int64_t>(context.instruction().Integers(names.index_map).size());
  if (!SameSize(length, mapped)) {
    return context.FailAt(names.index_map,
                          Quoted(names.index_map) + " has " + std::to_string(mapped) +
                              " entries for index vectors of length " + std::to_string(length));
  }
  return context.RequireDimensions(names.index_map, array.rank()) &&
         RequireAscendingDimensions(context, names.unit_dims, array.rank()) &&
         RequireBatching(context, names, array, indices);
}

// The sizes of the slice that are dimensions of the result.
bool GatherWindow(ShapeContext& context, const Shape& operand, Sizes& window) {
  const auto sizes = context.instruction().Get<llvm::ArrayRef<int64_t>>(AttributeName::kSliceSizes);
  if (!sizes) return context.FailAt(AttributeName::kSliceSizes, "expected integers, not lists");
  const llvm::ArrayRef<int64_t> slice = *sizes;
  if (static_cast<int64_t>(slice.size()) != operand.rank()) {
    return context.FailAt(AttributeName::kSliceSizes,
                          "slice_sizes has " + std::to_string(slice.size()) +
                              " entries for an array of rank " + std::to_string(operand.rank()));
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t size = slice[static_cast<size_t>(i)];
    const int64_t bound = operand.sizes()[static_cast<size_t>(i)];
    if (size < 0 || (bound != kUnboundedSize && size > bound)) {
      return context.FailAt(AttributeName::kSliceSizes,
                            "slice size " + std::to_string(size) + " does not fit into dimension " +
                                std::to_string(i) + " of " + operand.ToString());
    }
    bool is_dropped = false;
    for (const AttributeName name :
         {AttributeName::kCollapsedSliceDims, AttributeName::kOperandBatchingDims}) {
      if (!llvm::is_contained(context.instruction().Integers(name), i)) continue;
      is_dropped = true;
      if (size <= 1) continue;
      return context.FailAt(AttributeName::kSliceSizes,
                            "dimension " + std::to_string(i) + " is in " + Quoted(name) +
                                ", its slice size must be at most 1, not " + std::to_string(size));
    }
    if (!is_dropped) window.push_back(size);
  }
  return true;
}

// All arrays that a scatter changes have the same dimensions, and so have their updates; the types
// of each pair fit. The indices stand between them.
bool RequireScatterOperands(ShapeContext& context, size_t count) {
  llvm::SmallVector<ElementType, 4> types;
  for (size_t i = 0; i < count; ++i) {
    if (!context.RequireSameDimensions(0, i) ||
        !context.RequireSameDimensions(count + 1, count + 1 + i) ||
        !context.RequireMixable(i, count + 1 + i)) {
      return false;
    }
    types.push_back(context.operand(i).element_type());
  }
  return context.RequireReducer(AttributeName::kToApply, types);
}

// The updates hold a window of the array for each index vector.
bool RequireUpdates(ShapeContext& context, const Shape& array, const Shape& indices,
                    const Shape& updates) {
  const Instruction& scatter = context.instruction();
  const llvm::ArrayRef<int64_t> window = scatter.Integers(AttributeName::kUpdateWindowDims);
  const llvm::ArrayRef<int64_t> inserted = scatter.Integers(AttributeName::kInsertedWindowDims);
  const llvm::ArrayRef<int64_t> batching = scatter.Integers(AttributeName::kInputBatchingDims);
  const Sizes batch = BatchSizes(context, indices);
  if (updates.rank() != static_cast<int64_t>(batch.size() + window.size())) {
    return context.FailAt(AttributeName::kUpdateWindowDims,
                          "the updates " + updates.ToString() + " must have " +
                              std::to_string(batch.size()) + " dimensions for the indices and " +
                              std::to_string(window.size()) + " for the window");
  }
  if (!RequireAscendingDimensions(context, AttributeName::kUpdateWindowDims, updates.rank())) {
    return false;
  }
  if (array.rank() != static_cast<int64_t>(window.size() + inserted.size() + batching.size())) {
    return context.FailAt(AttributeName::kUpdateWindowDims,
                          "update_window_dims, inserted_window_dims and input_batching_dims must "
                          "together have an entry for each dimension of " +
                              array.ToString());
  }
  Sizes bounds;
  for (int64_t i = 0; i < array.rank(); ++i) {
    if (llvm::is_contained(inserted, i) || llvm::is_contained(batching, i)) continue;
    bounds.push_back(array.sizes()[static_cast<size_t>(i)]);
  }
  size_t next_batch = 0;
  size_t next_window = 0;
  for (int64_t i = 0; i < updates.rank(); ++i) {
    const int64_t size = updates.sizes()[static_cast<size_t>(i)];
    const bool is_window = llvm::is_contained(window, i);
    const int64_t given = is_window ? bounds[next_window++] : batch[next_batch++];
    if (SameSize(size, given) || (is_window && size < given)) continue;
    return context.Fail("dimension " + std::to_string(i) + " of the updates " + updates.ToString() +
                        (is_window ? " does not fit into the size " : " must have the size ") +
                        std::to_string(given) + (is_window ? " of " : " given by the indices ") +
                        (is_window ? array : indices).ToString());
  }
  return true;
}

}  // namespace

// Batch dimensions from the indices (all but the index vector), offset dimensions from the slice.
bool Gather(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Shape& operand = context.operand(0);
  const Shape& indices = context.operand(1);
  const llvm::ArrayRef<int64_t> offset_dims =
      context.instruction().Integers(AttributeName::kOffsetDims);
  Sizes window;
  if (!RequireIndices(context, kGatherAttributes, operand, indices) ||
      !GatherWindow(context, operand, window)) {
    return false;
  }
  const Sizes batch = BatchSizes(context, indices);
  const int64_t rank = static_cast<int64_t>(batch.size() + offset_dims.size());
  if (!RequireAscendingDimensions(context, AttributeName::kOffsetDims, rank)) return false;
  if (window.size() != offset_dims.size()) {
    return context.FailAt(AttributeName::kOffsetDims,
                          "offset_dims must have an entry for each dimension of the slice that is "
                          "neither collapsed nor a batching dimension");
  }
  Sizes sizes;
  size_t next_batch = 0;
  size_t next_window = 0;
  for (int64_t i = 0; i < rank; ++i) {
    const bool is_offset = llvm::is_contained(offset_dims, i);
    sizes.push_back(is_offset ? window[next_window++] : batch[next_batch++]);
  }
  return context.ExpectArray(operand.element_type(), sizes);
}

bool Scatter(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const size_t count = context.num_operands() / 2;
  if (context.num_operands() % 2 == 0) {
    return context.Fail("scatter takes n arrays, the indices and n updates");
  }
  const Shape& indices = context.operand(count);
  if (!RequireScatterOperands(context, count) ||
      !RequireIndices(context, kScatterAttributes, context.operand(0), indices) ||
      !RequireUpdates(context, context.operand(0), indices, context.operand(count + 1))) {
    return false;
  }
  if (count == 1) return context.ExpectLike(context.operand(0).element_type(), context.operand(0));
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < count; ++i) shapes.push_back(&context.operand(i));
  return context.ExpectEach(shapes);
}

}  // namespace hlo_indexing::hlo::shape_rules
