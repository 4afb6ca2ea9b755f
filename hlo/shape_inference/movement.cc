// Shapes of operations that move data.
#include <algorithm>

#include "hlo/shape_inference/rule_table.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

std::string Number(int64_t value) { return std::to_string(value); }

// The number of positions that a list attribute has, checked against a rank.
bool RequireCount(ShapeContext& context, AttributeName attribute, size_t count, int64_t rank) {
  if (static_cast<int64_t>(count) == rank) return true;
  return context.FailAt(attribute, AttributeText(attribute).str() + " has " +
                                       Number(static_cast<int64_t>(count)) +
                                       " entries for an array of rank " + Number(rank));
}

// Start indices of dynamic slices: one scalar integer per dimension, or one vector of them.
bool RequireStartIndices(ShapeContext& context, size_t first, int64_t rank) {
  const size_t count = context.num_operands() - first;
  const bool is_vector = count == 1 && context.operand(first).rank() == 1;
  if (is_vector && context.operand(first).sizes()[0] == rank) {
    return IsIntegral(context.operand(first).element_type()) ||
           context.Fail("the start indices must be integers, not " +
                        context.operand(first).ToString());
  }
  if (static_cast<int64_t>(count) != rank) {
    return context.Fail(OpcodeName(context.instruction().opcode()).str() + " of an array of rank " +
                        Number(rank) + " needs " + Number(rank) + " start indices, not " +
                        Number(static_cast<int64_t>(count)));
  }
  for (size_t i = first; i < context.num_operands(); ++i) {
    if (!context.operand(i).IsScalar() || !IsIntegral(context.operand(i).element_type())) {
      return context.Fail("start index " + Number(static_cast<int64_t>(i - first)) +
                          " must be an integer scalar, not " + context.operand(i).ToString());
    }
  }
  return true;
}

}  // namespace

bool Broadcast(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  const Shape& operand = context.operand(0);
  if (!RequireCount(context, AttributeName::kDimensions, dimensions.size(), operand.rank())) {
    return false;
  }
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return context.Fail("broadcast gives an array");
  if (!context.RequireDimensions(AttributeName::kDimensions, declared->rank())) return false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t from = operand.sizes()[i];
    const int64_t to = declared->sizes()[static_cast<size_t>(dimensions[i])];
    if (from == to || from == kUnboundedSize || to == kUnboundedSize) continue;
    return context.FailAt(AttributeName::kDimensions,
                          "broadcast maps operand dimension " + Number(static_cast<int64_t>(i)) +
                              " of size " + Number(from) + " to output dimension " +
                              Number(dimensions[i]) + " of size " + Number(to));
  }
  if (operand.element_type() == declared->element_type()) return true;
  return context.ExpectLike(operand.element_type(), *declared);
}

bool Transpose(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  if (!RequireCount(context, AttributeName::kDimensions, dimensions.size(), operand.rank()) ||
      !context.RequireDimensions(AttributeName::kDimensions, operand.rank())) {
    return false;
  }
  Sizes sizes;
  for (const int64_t dimension : dimensions) {
    sizes.push_back(operand.sizes()[static_cast<size_t>(dimension)]);
  }
  return context.ExpectArray(operand.element_type(), sizes);
}

bool Reshape(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!declared->IsArray()) return context.Fail("reshape gives an array");
  if (operand.HasUnboundedDimension() || declared->HasUnboundedDimension()) return true;
  if (operand.num_elements() != declared->num_elements()) {
    return context.Fail("reshape from " + operand.ToString() + " to " + declared->ToString() +
                        " changes the number of elements from " + Number(operand.num_elements()) +
                        " to " + Number(declared->num_elements()));
  }
  if (operand.element_type() == declared->element_type()) return true;
  return context.ExpectLike(operand.element_type(), *declared);
}

// The array, then the size of each dimension of the result.
bool DynamicReshape(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  for (size_t i = 1; i < context.num_operands(); ++i) {
    if (!context.RequireScalar(i, "the size of a dimension")) return false;
  }
  const Shape* declared = context.declared();
  if (declared != nullptr && declared->IsArray() &&
      static_cast<size_t>(declared->rank()) + 1 != context.num_operands()) {
    return context.Fail("dynamic-reshape to " + declared->ToString() + " takes " +
                        Number(declared->rank()) + " sizes, not " +
                        Number(static_cast<int64_t>(context.num_operands()) - 1));
  }
  return Reshape(context);
}

bool Bitcast(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  if (!operand.IsArray() || !declared->IsArray()) return context.Expect(&operand);
  // Padding may make up for a difference.
  const auto is_plain = [](const Shape& shape) {
    const layout::Layout* layout = shape.layout();
    return !shape.HasUnboundedDimension() &&
           (layout == nullptr || (layout->tiles.empty() && layout->tail_padding_alignment == 1));
  };
  if (!is_plain(operand) || !is_plain(*declared)) return true;
  const auto from = support::CheckedMul(operand.num_elements(), operand.StorageBits());
  const auto to = support::CheckedMul(declared->num_elements(), declared->StorageBits());
  if (from == to) return true;
  return context.Fail("bitcast from " + operand.ToString() + " to " + declared->ToString() +
                      " changes the size in memory");
}

bool Reverse(ShapeContext& context) {
  return context.RequireArray(0) &&
         context.RequireDimensions(AttributeName::kDimensions, context.operand(0).rank()) &&
         context.ExpectLike(context.operand(0).element_type(), context.operand(0));
}

bool Slice(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const auto ranges =
      context.instruction().Required<llvm::ArrayRef<SliceRange>>(AttributeName::kSlice);
  if (!RequireCount(context, AttributeName::kSlice, ranges.size(), operand.rank())) return false;
  Sizes sizes;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    const int64_t size = operand.sizes()[i];
    const bool in_bounds = size == kUnboundedSize || range.limit <= size;
    if (range.start < 0 || range.start > range.limit || !in_bounds || range.stride < 1) {
      return context.FailAt(AttributeName::kSlice,
                            "slice [" + Number(range.start) + ":" + Number(range.limit) + ":" +
                                Number(range.stride) + "] of dimension " +
                                Number(static_cast<int64_t>(i)) + " of size " + Number(size) +
                                " must have 0 <= start <= limit <= size and stride >= 1");
    }
    sizes.push_back(support::CeilDiv(range.limit - range.start, range.stride));
  }
  return context.ExpectArray(operand.element_type(), sizes);
}

bool Pad(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Shape& operand = context.operand(0);
  const auto padding =
      context.instruction().Required<llvm::ArrayRef<PaddingDimension>>(AttributeName::kPadding);
  if (!context.RequireScalar(1, "the padding value") || !context.RequireMixable(0, 1)) return false;
  if (!RequireCount(context, AttributeName::kPadding, padding.size(), operand.rank())) return false;
  Sizes sizes;
  for (size_t i = 0; i < padding.size(); ++i) {
    const int64_t size = operand.sizes()[i];
    if (size == kUnboundedSize) {
      sizes.push_back(size);
      continue;
    }
    const auto inside = support::CheckedMul(std::max<int64_t>(size - 1, 0), padding[i].interior);
    const auto spread = inside ? support::CheckedAdd(size, *inside) : std::nullopt;
    const auto low = spread ? support::CheckedAdd(*spread, padding[i].low) : std::nullopt;
    const auto padded = low ? support::CheckedAdd(*low, padding[i].high) : std::nullopt;
    if (!padded || *padded < 0) {
      return context.FailAt(AttributeName::kPadding,
                            "padding dimension " + Number(static_cast<int64_t>(i)) + " of size " +
                                Number(size) + " leaves a size that is negative or too large");
    }
    sizes.push_back(*padded);
  }
  return context.ExpectArray(operand.element_type(), sizes);
}

bool Concatenate(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Shape& first = context.operand(0);
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  if (!context.RequireOneDimension(first.rank())) return false;
  const size_t dimension = static_cast<size_t>(dimensions[0]);
  Sizes sizes(first.sizes().begin(), first.sizes().end());
  for (size_t i = 1; i < context.num_operands(); ++i) {
    if (!context.RequireMixable(0, i)) return false;
    const Shape& operand = context.operand(i);
    bool fits = operand.rank() == first.rank();
    for (size_t k = 0; fits && k < sizes.size(); ++k) {
      const bool unbounded = operand.sizes()[k] == kUnboundedSize || sizes[k] == kUnboundedSize;
      fits = k == dimension || unbounded || operand.sizes()[k] == sizes[k];
    }
    if (!fits) {
      return context.Fail("operands 0 and " + Number(static_cast<int64_t>(i)) +
                          " of concatenate may differ in dimension " + Number(dimensions[0]) +
                          " only, not " + first.ToString() + " and " + operand.ToString());
    }
    const bool unbounded =
        operand.sizes()[dimension] == kUnboundedSize || sizes[dimension] == kUnboundedSize;
    const auto total = unbounded
                           ? std::optional<int64_t>(kUnboundedSize)
                           : support::CheckedAdd(sizes[dimension], operand.sizes()[dimension]);
    if (!total) {
      return context.Fail("the size of the concatenated dimension does not fit in 64 bits");
    }
    sizes[dimension] = *total;
  }
  return context.ExpectArray(first.element_type(), sizes);
}

bool Iota(ShapeContext& context) {
  const Shape* declared = context.declared();
  if (declared == nullptr) return true;
  const auto dimension = context.instruction().Required<int64_t>(AttributeName::kIotaDimension);
  if (!declared->IsArray()) return context.Fail("iota gives an array");
  if (dimension >= 0 && dimension < declared->rank()) return true;
  return context.FailAt(
      AttributeName::kIotaDimension,
      "iota_dimension " + Number(dimension) + " is no dimension of " + declared->ToString());
}

bool DynamicSlice(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const llvm::ArrayRef<int64_t> sizes =
      context.instruction().Integers(AttributeName::kDynamicSliceSizes);
  if (!RequireCount(context, AttributeName::kDynamicSliceSizes, sizes.size(), operand.rank())) {
    return false;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool fits = operand.sizes()[i] == kUnboundedSize || sizes[i] <= operand.sizes()[i];
    if (sizes[i] >= 0 && fits) continue;
    return context.FailAt(AttributeName::kDynamicSliceSizes,
                          "slice size " + Number(sizes[i]) + " does not fit into dimension " +
                              Number(static_cast<int64_t>(i)) + " of " + operand.ToString());
  }
  return RequireStartIndices(context, 1, operand.rank()) &&
         context.ExpectArray(operand.element_type(), sizes);
}

bool DynamicUpdateSlice(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Shape& operand = context.operand(0);
  const Shape& update = context.operand(1);
  bool fits = update.rank() == operand.rank();
  for (size_t i = 0; fits && i < update.sizes().size(); ++i) {
    fits = operand.sizes()[i] == kUnboundedSize || update.sizes()[i] <= operand.sizes()[i];
  }
  if (!fits) {
    return context.Fail("the update " + update.ToString() + " does not fit into " +
                        operand.ToString());
  }
  return context.RequireMixable(0, 1) && RequireStartIndices(context, 2, operand.rank()) &&
         context.ExpectLike(operand.element_type(), operand);
}

bool GetDimensionSize(ShapeContext& context) {
  return context.RequireArray(0) && context.RequireOneDimension(context.operand(0).rank()) &&
         context.Expect(context.pool().Scalar(ElementType::kS32));
}

bool SetDimensionSize(ShapeContext& context) {
  if (!context.RequireArray(0) || !context.RequireScalar(1, "the size")) return false;
  if (context.operand(1).element_type() != ElementType::kS32) {
    return context.Fail("the size must be s32[], not " + context.operand(1).ToString());
  }
  return context.RequireOneDimension(context.operand(0).rank()) &&
         context.ExpectLike(context.operand(0).element_type(), context.operand(0));
}

}  // namespace hlo_indexing::hlo::shape_rules
