// Operations that move elements without looking at them. Each iterates over indices and says
// which element goes where; elements are copied with what they were read from.
#include <algorithm>

#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Every element of the result, in order, from `start` plus its index times the strides.
bool GatherStrided(Evaluation& e, llvm::ArrayRef<int64_t> strides, int64_t start) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  ForEachStrided(result->shape().sizes(), strides, start,
                 [&](int64_t to, int64_t from) { result->CopyFrom(to, e.array(0), from); });
  return e.Return(result);
}

// The value with the element types of the shape, if these are of another precision.
bool Conform(Evaluation& e, const Value& value, const Shape& shape, Value& conforming) {
  if (!value.IsArray()) {
    if (value.elements().empty()) {
      conforming = value;
      return true;
    }
    std::vector<Value> elements(value.elements().size());
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!Conform(e, value.elements()[i], *shape.elements()[i], elements[i])) return false;
    }
    conforming = Value::Tuple(&shape, std::move(elements));
    return true;
  }
  if (value.array().type() == shape.element_type()) {
    conforming = value;
    return true;
  }
  const std::shared_ptr<ArrayValue> array = e.NewArray(shape);
  if (array == nullptr) return false;
  for (int64_t i = 0; i < array->size(); ++i) array->CopyFrom(i, value.array(), i);
  array->CopyDimensionSizes(value.array());
  conforming = Value(array);
  return true;
}

}  // namespace

bool Constant(Evaluation& e) {
  absl::StatusOr<Value> value = Value::FromLiteral(*e.instruction().literal());
  if (!value.ok()) return e.FailUnsupported(std::string(value.status().message()));
  return e.Return(*std::move(value));
}

bool Iota(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ElementType type = result->type();
  Index strides(static_cast<size_t>(result->shape().rank()), 0);
  strides[e.instruction().Required<int64_t>(AttributeName::kIotaDimension)] = 1;
  ForEachStrided(result->shape().sizes(), strides, 0, [&](int64_t to, int64_t coordinate) {
    result->Set(to, ConvertElement(IntegerElement(coordinate), ElementType::kS64, type));
  });
  return e.Return(result);
}

bool Broadcast(Evaluation& e) {
  const Index own = RowMajorStrides(e.array(0).shape().sizes());
  const llvm::ArrayRef<int64_t> dimensions = e.instruction().Integers(AttributeName::kDimensions);
  Index strides(static_cast<size_t>(e.instruction().shape().rank()), 0);
  for (size_t i = 0; i < dimensions.size(); ++i) strides[dimensions[i]] = own[i];
  return GatherStrided(e, strides, 0);
}

bool Transpose(Evaluation& e) {
  const Index own = RowMajorStrides(e.array(0).shape().sizes());
  Index strides;
  for (const int64_t dimension : e.instruction().Integers(AttributeName::kDimensions)) {
    strides.push_back(own[dimension]);
  }
  return GatherStrided(e, strides, 0);
}

bool Reverse(Evaluation& e) {
  Index strides = RowMajorStrides(e.array(0).shape().sizes());
  int64_t start = 0;
  for (const int64_t dimension : e.instruction().Integers(AttributeName::kDimensions)) {
    start += strides[dimension] * (e.array(0).shape().sizes()[dimension] - 1);
    strides[dimension] = -strides[dimension];
  }
  return GatherStrided(e, strides, start);
}

bool Reshape(Evaluation& e) {
  return GatherStrided(e, RowMajorStrides(e.instruction().shape().sizes()), 0);
}

bool Slice(Evaluation& e) {
  Index strides = RowMajorStrides(e.array(0).shape().sizes());
  int64_t start = 0;
  const auto ranges = e.instruction().Required<llvm::ArrayRef<SliceRange>>(AttributeName::kSlice);
  for (size_t i = 0; i < ranges.size(); ++i) {
    start += strides[i] * ranges[i].start;
    strides[i] *= ranges[i].stride;
  }
  return GatherStrided(e, strides, start);
}

// A padded element reads the padding value, any other its element of the operand.
bool Pad(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const auto padding =
      e.instruction().Required<llvm::ArrayRef<PaddingDimension>>(AttributeName::kPadding);
  const llvm::ArrayRef<int64_t> sizes = e.array(0).shape().sizes();
  const Index strides = RowMajorStrides(sizes);
  int64_t to = 0;
  ForEachIndex(result->shape().sizes(), [&](llvm::ArrayRef<int64_t> index) {
    int64_t from = 0;
    bool is_inside = true;
    for (size_t i = 0; i < index.size() && is_inside; ++i) {
      const int64_t offset = index[i] - padding[i].low;
      const int64_t step = padding[i].interior + 1;
      is_inside = offset >= 0 && offset % step == 0 && offset / step < sizes[i];
      from += offset / step * strides[i];
    }
    result->CopyFrom(to++, e.array(is_inside ? 0 : 1), is_inside ? from : 0);
    return true;
  });
  return e.Return(result);
}

bool Concatenate(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const int64_t dimension = e.instruction().Integers(AttributeName::kDimensions)[0];
  const Index strides = RowMajorStrides(result->shape().sizes());
  int64_t start = 0;
  for (size_t i = 0; i < e.num_operands(); ++i) {
    const ArrayValue& operand = e.array(i);
    ForEachStrided(operand.shape().sizes(), strides, start,
                   [&](int64_t from, int64_t to) { result->CopyFrom(to, operand, from); });
    start += operand.shape().sizes()[dimension] * strides[dimension];
  }
  return e.Return(result);
}

bool Identity(Evaluation& e) {
  Value value;
  return Conform(e, e.operand(0), e.instruction().shape(), value) && e.Return(std::move(value));
}

}  // namespace hlo_indexing::hlo::evaluate
