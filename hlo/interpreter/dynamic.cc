// Slices at positions that values give, and dynamic dimensions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

struct StartIndices {
  Index start;
  SourceSet sources = kNoSources;
};

// The start indices, one scalar per dimension or one vector, clamped so that the window fits. Every
// element of the result depends on all of them.
StartIndices ReadStart(Evaluation& e, size_t first, llvm::ArrayRef<int64_t> bounds,
                       llvm::ArrayRef<int64_t> window) {
  StartIndices indices;
  const bool is_vector = e.num_operands() == first + 1 && e.array(first).shape().rank() == 1;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const ArrayValue& array = e.array(is_vector ? first : first + i);
    const Element element = array.Get(is_vector ? static_cast<int64_t>(i) : 0);
    // A u64 beyond int64 lies past the end.
    const bool is_huge = array.type() == ElementType::kU64 && element.integer < 0;
    const int64_t last = bounds[i] - window[i];
    indices.start.push_back(is_huge ? last : std::clamp<int64_t>(element.integer, 0, last));
    indices.sources = e.Union(indices.sources, element.sources);
  }
  return indices;
}

void AddToAll(Evaluation& e, SourceSet sources, ArrayValue& array) {
  if (sources == kNoSources) return;
  for (int64_t i = 0; i < array.size(); ++i) {
    array.SetSources(i, e.Union(array.SourcesOf(i), sources));
  }
}

}  // namespace

bool DynamicSlice(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ArrayValue& operand = e.array(0);
  const llvm::ArrayRef<int64_t> window = result->shape().sizes();
  const StartIndices indices = ReadStart(e, 1, operand.shape().sizes(), window);
  const Index strides = RowMajorStrides(operand.shape().sizes());
  ForEachStrided(window, strides, PositionOf(indices.start, strides),
                 [&](int64_t to, int64_t from) { result->CopyFrom(to, operand, from); });
  AddToAll(e, indices.sources, *result);
  return e.Return(result);
}

bool DynamicUpdateSlice(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ArrayValue& update = e.array(1);
  const llvm::ArrayRef<int64_t> bounds = result->shape().sizes();
  const StartIndices indices = ReadStart(e, 2, bounds, update.shape().sizes());
  for (int64_t i = 0; i < result->size(); ++i) result->CopyFrom(i, e.array(0), i);
  const Index strides = RowMajorStrides(bounds);
  ForEachStrided(update.shape().sizes(), strides, PositionOf(indices.start, strides),
                 [&](int64_t from, int64_t to) { result->CopyFrom(to, update, from); });
  AddToAll(e, indices.sources, *result);
  return e.Return(result);
}

// The size is no element of the operand.
bool GetDimensionSize(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const int64_t dimension = e.instruction().Integers(AttributeName::kDimensions)[0];
  result->Set(0, IntegerElement(e.array(0).DimensionSize(dimension)));
  return e.Return(result);
}

bool SetDimensionSize(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const int64_t dimension = e.instruction().Integers(AttributeName::kDimensions)[0];
  if (!e.operand(1).IsArray() || !e.array(1).shape().IsScalar() || !IsIntegral(e.array(1).type())) {
    return e.Fail("the size must be an integer scalar");
  }
  const int64_t size = e.array(1).Integer(0);
  if (size < 0 || size > result->shape().sizes()[dimension]) {
    return e.Fail(absl::StrCat("the size ", size, " is not in [0, ",
                               result->shape().sizes()[dimension], "]"));
  }
  for (int64_t i = 0; i < result->size(); ++i) result->CopyFrom(i, e.array(0), i);
  result->CopyDimensionSizes(e.array(0));
  result->SetDimensionSize(dimension, size);
  return e.Return(result);
}

// The elements within the sizes that the operand has now, in row-major order, fill the sizes that
// the other operands give.
bool DynamicReshape(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  if (!e.operand(0).IsArray() ||
      static_cast<int64_t>(e.num_operands()) != result->shape().rank() + 1) {
    return e.Fail("dynamic-reshape needs an array and a size for each dimension of the result");
  }
  const ArrayValue& operand = e.array(0);
  Index from;
  for (int64_t i = 0; i < operand.shape().rank(); ++i) from.push_back(operand.DimensionSize(i));
  Index to;
  for (int64_t i = 0; i < result->shape().rank(); ++i) {
    const Value& size = e.operand(static_cast<size_t>(i) + 1);
    if (!size.IsArray() || size.array().size() != 1 || !IsIntegral(size.array().type())) {
      return e.Fail("the sizes must be integer scalars");
    }
    to.push_back(size.array().Integer(0));
    if (to.back() < 0 || to.back() > result->shape().sizes()[i]) {
      return e.Fail(absl::StrCat("the size ", to.back(), " of dimension ", i, " is not in [0, ",
                                 result->shape().sizes()[i], "]"));
    }
    result->SetDimensionSize(i, to.back());
  }
  if (NumIndices(from) != NumIndices(to)) {
    return e.Fail(absl::StrCat("the operand has ", NumIndices(from), " elements, the sizes give ",
                               NumIndices(to)));
  }
  const Index from_strides = RowMajorStrides(operand.shape().sizes());
  const Index to_strides = RowMajorStrides(result->shape().sizes());
  std::vector<int64_t> sources;
  ForEachStrided(from, from_strides, 0,
                 [&](int64_t /*number*/, int64_t position) { sources.push_back(position); });
  ForEachStrided(to, to_strides, 0, [&](int64_t number, int64_t position) {
    result->CopyFrom(position, operand, sources[static_cast<size_t>(number)]);
  });
  return e.Return(result);
}

}  // namespace hlo_indexing::hlo::evaluate
