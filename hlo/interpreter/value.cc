#include "hlo/interpreter/value.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo {

bool MemoryBudget::Reserve(int64_t bytes) {
  const std::optional<int64_t> used = support::CheckedAdd(used_, bytes);
  if (!used || *used > max_bytes_) return false;
  used_ = *used;
  return true;
}

ArrayValue::ArrayValue(const Shape* shape)
    : shape_(shape),
      type_(shape->element_type()),
      width_(LiteralBytesPerElement(type_)),
      bytes_(static_cast<size_t>(shape->num_elements() * width_)) {}

ArrayValue::~ArrayValue() {
  if (budget_ != nullptr) budget_->Release(reserved_bytes_);
}

std::shared_ptr<ArrayValue> ArrayValue::Make(const Shape* shape,
                                             std::shared_ptr<MemoryBudget> budget) {
  const std::optional<int64_t> bytes =
      support::CheckedMul(shape->num_elements(), LiteralBytesPerElement(shape->element_type()));
  // Small arrays take more than their elements.
  constexpr int64_t kOverhead = 128;
  const std::optional<int64_t> total =
      bytes ? support::CheckedAdd(*bytes, kOverhead) : std::nullopt;
  if (!total || shape->num_elements() < 0 || !budget->Reserve(*total)) return nullptr;
  auto array = std::make_shared<ArrayValue>(shape);
  array->budget_ = std::move(budget);
  array->reserved_bytes_ = *total;
  return array;
}

void ArrayValue::WriteSources(int64_t position, SourceSet sources) {
  if (sources_.empty()) sources_.resize(static_cast<size_t>(size()), kNoSources);
  sources_[position] = sources;
}

void ArrayValue::CopyFrom(int64_t position, const ArrayValue& other, int64_t other_position) {
  if (other.type_ != type_) {
    return Set(position, ConvertElement(other.Get(other_position), other.type_, type_));
  }
  uint8_t* to = bytes_.data() + position * width_;
  const uint8_t* from = other.bytes_.data() + other_position * width_;
  switch (width_) {
    case 1:
      *to = *from;
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    default:
      std::memcpy(to, from, static_cast<size_t>(width_));
  }
  SetSources(position, other.SourcesOf(other_position));
}

int64_t ArrayValue::DimensionSize(int64_t dimension) const {
  return dimension_sizes_.empty() ? shape_->sizes()[dimension] : dimension_sizes_[dimension];
}

void ArrayValue::SetDimensionSize(int64_t dimension, int64_t size) {
  if (dimension_sizes_.empty()) {
    dimension_sizes_.assign(shape_->sizes().begin(), shape_->sizes().end());
  }
  dimension_sizes_[dimension] = size;
}

bool ArrayValue::IsPartlyFilled() const {
  return !dimension_sizes_.empty() && shape_->sizes() != llvm::ArrayRef<int64_t>(dimension_sizes_);
}

Value Value::Tuple(const Shape* shape, std::vector<Value> elements) {
  Value value;
  value.shape_ = shape;
  value.elements_ = std::make_shared<const std::vector<Value>>(std::move(elements));
  return value;
}

Value Value::Token(const Shape* shape) {
  Value value;
  value.shape_ = shape;
  return value;
}

absl::StatusOr<Value> Value::FromLiteral(const Literal& literal) {
  if (literal.shape().IsTuple()) {
    std::vector<Value> elements;
    for (const Literal* element : literal.elements()) {
      absl::StatusOr<Value> value = FromLiteral(*element);
      if (!value.ok()) return value;
      elements.push_back(*std::move(value));
    }
    return Tuple(&literal.shape(), std::move(elements));
  }
  if (!literal.shape().IsArray()) return Token(&literal.shape());
  if (literal.is_elided()) {
    return absl::UnimplementedError(
        "its values are elided, {...}: print the module with its large constants");
  }
  return FromBytes(literal.shape(), literal.bytes());
}

namespace {

absl::StatusOr<Value> ValueOfLeaves(const Shape& shape,
                                    llvm::ArrayRef<llvm::ArrayRef<uint8_t>>& leaves) {
  if (shape.IsArray()) {
    const std::optional<int64_t> bytes =
        support::CheckedMul(shape.num_elements(), LiteralBytesPerElement(shape.element_type()));
    if (!bytes || *bytes < 0) {
      return absl::InvalidArgumentError("an array " + shape.ToString() + " cannot have a value");
    }
    if (leaves.empty() || static_cast<int64_t>(leaves.front().size()) != *bytes) {
      return absl::InvalidArgumentError(absl::StrCat("an array ", shape.ToString(), " has ", *bytes,
                                                     " bytes, not ",
                                                     leaves.empty() ? 0 : leaves.front().size()));
    }
    auto array = std::make_shared<ArrayValue>(&shape);
    llvm::copy(leaves.front(), array->mutable_bytes().begin());
    leaves = leaves.drop_front();
    return Value(std::move(array));
  }
  if (shape.elements().empty() && !shape.IsTuple()) return Value::Token(&shape);
  std::vector<Value> elements;
  for (const Shape* element : shape.elements()) {
    absl::StatusOr<Value> value = ValueOfLeaves(*element, leaves);
    if (!value.ok()) return value;
    elements.push_back(*std::move(value));
  }
  return Value::Tuple(&shape, std::move(elements));
}

void AppendLeaves(const Value& value, std::vector<const ArrayValue*>& leaves) {
  if (value.IsArray()) leaves.push_back(&value.array());
  for (const Value& element : value.elements()) AppendLeaves(element, leaves);
}

}  // namespace

absl::StatusOr<Value> Value::FromBytes(const Shape& shape,
                                       llvm::ArrayRef<llvm::ArrayRef<uint8_t>> leaves) {
  absl::StatusOr<Value> value = ValueOfLeaves(shape, leaves);
  if (value.ok() && !leaves.empty()) {
    return absl::InvalidArgumentError("more arrays are given than " + shape.ToString() + " holds");
  }
  return value;
}

std::vector<const ArrayValue*> Value::ArrayLeaves() const {
  std::vector<const ArrayValue*> leaves;
  AppendLeaves(*this, leaves);
  return leaves;
}

std::string Value::ToString() const {
  if (IsArray()) return Literal(&array().shape(), array().bytes(), /*elided=*/false).ToString();
  if (!shape_->IsTuple()) return ElementTypeName(shape_->element_type()).str();
  std::string text = "(";
  for (const Value& element : elements()) {
    if (text.size() > 1) text += ", ";
    text += element.ToString();
  }
  return text + ")";
}

}  // namespace hlo_indexing::hlo
