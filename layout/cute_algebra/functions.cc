#include "layout/cute_algebra/functions.h"

#include <utility>

#include "absl/status/status.h"

namespace hlo_indexing::layout {
namespace {

constexpr CuteElementType kElementTypes[] = {
    {"uint1b_t", 1},     {"bin1_t", 1},        {"int2b_t", 2},      {"uint2b_t", 2},
    {"int4b_t", 4},      {"uint4b_t", 4},      {"float_e2m1_t", 4}, {"int6b_t", 6},
    {"uint6b_t", 6},     {"float_e2m3_t", 6},  {"float_e3m2_t", 6}, {"bool", 8},
    {"char", 8},         {"int8_t", 8},        {"uint8_t", 8},      {"float_e4m3_t", 8},
    {"float_e5m2_t", 8}, {"float_ue8m0_t", 8}, {"half_t", 16},      {"bfloat16_t", 16},
    {"int16_t", 16},     {"uint16_t", 16},     {"float", 32},       {"tfloat32_t", 32},
    {"int", 32},         {"int32_t", 32},      {"uint32_t", 32},    {"double", 64},
    {"int64_t", 64},     {"uint64_t", 64},     {"uint128_t", 128},
};

}  // namespace

llvm::ArrayRef<CuteElementType> CuteElementTypes() { return kElementTypes; }

int64_t BitsOfElementType(llvm::StringRef name) {
  name.consume_front("cute::");
  name.consume_front("cutlass::");
  for (const CuteElementType& type : kElementTypes) {
    if (type.name == name) return type.bits;
  }
  return 0;
}

absl::Status CuteArguments::Expected(size_t i, const std::string& what) const {
  mismatch_ = i;
  return absl::InvalidArgumentError("expected " + what);
}

absl::StatusOr<CuteTensor> CuteArguments::Tensor(size_t i) const {
  if (const auto* tensor = std::get_if<CuteTensor>(&values_[i])) return *tensor;
  return Expected(i, "a layout");
}

absl::StatusOr<CuteLayout> CuteArguments::Layout(size_t i) const {
  const auto* tensor = std::get_if<CuteTensor>(&values_[i]);
  if (tensor == nullptr) return Expected(i, "a layout");
  if (tensor->plain() == nullptr) return Expected(i, "a layout with strides, not a composed one");
  if (!tensor->begins_at_zero()) return Expected(i, "a layout that begins at 0");
  return *tensor->plain();
}

absl::StatusOr<CuteTree> CuteArguments::Tree(size_t i) const {
  if (const auto* tree = std::get_if<CuteTree>(&values_[i])) return *tree;
  absl::StatusOr<CuteLayout> layout = Layout(i);
  if (!layout.ok()) return Expected(i, "integers, '_', layouts or a tuple of these");
  return CuteTree::Layout(*std::move(layout));
}

absl::StatusOr<IntTuple> CuteArguments::Tuple(size_t i) const {
  if (const auto* tree = std::get_if<CuteTree>(&values_[i])) {
    if (std::optional<IntTuple> tuple = tree->ToIntTuple()) return *std::move(tuple);
  }
  return Expected(i, "an integer or a tuple of integers");
}

absl::StatusOr<IntTuple> CuteArguments::Shape(size_t i) const {
  if (const auto* tensor = std::get_if<CuteTensor>(&values_[i])) return tensor->modes().shape();
  return Tuple(i);
}

absl::StatusOr<TupleInteger> CuteArguments::Integer(size_t i) const {
  const absl::StatusOr<IntTuple> tuple = Tuple(i);
  if (tuple.ok() && tuple->is_integer() && tuple->integer().axes.empty()) return tuple->integer();
  return Expected(i, "an integer");
}

absl::StatusOr<int64_t> CuteArguments::Number(size_t i) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger integer, Integer(i));
  return integer.value;
}

absl::StatusOr<CuteSwizzle> CuteArguments::Swizzle(size_t i) const {
  if (const auto* swizzle = std::get_if<CuteSwizzle>(&values_[i])) return *swizzle;
  return Expected(i, "a swizzle, Sw<bits,base,shift>");
}

absl::StatusOr<std::string> CuteArguments::Text(size_t i) const {
  if (const auto* text = std::get_if<CuteText>(&values_[i])) return text->text;
  return Expected(i, "a name or a quoted text");
}

absl::StatusOr<int64_t> CuteArguments::ElementBits(size_t i) const {
  if (!Is<CuteText>(i)) return Number(i);
  llvm::StringRef name = std::get<CuteText>(values_[i]).text;
  const int64_t bits = BitsOfElementType(name);
  if (bits == 0) return Expected(i, "an element type of CuTe, or its width in bits,");
  return bits;
}

absl::StatusOr<ModeRange> CuteArguments::Range(size_t first) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t begin, Number(first));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t end, Number(first + 1));
  return ModeRange{begin, end};
}

CuteOutcome ResultOf(absl::StatusOr<CuteTensor> tensor) {
  if (!tensor.ok()) return tensor.status();
  return CuteResult{*std::move(tensor), {}};
}

CuteOutcome ResultOf(absl::StatusOr<CuteLayout> layout) {
  if (!layout.ok()) return layout.status();
  return CuteResult{CuteTensor{*std::move(layout)}, {}};
}

CuteOutcome ResultOf(absl::StatusOr<IntTuple> tuple) {
  if (!tuple.ok()) return tuple.status();
  return CuteResult{CuteTree::Of(*tuple), {}};
}

CuteOutcome ResultOf(absl::StatusOr<CuteTree> tree) {
  if (!tree.ok()) return tree.status();
  return CuteResult{*std::move(tree), {}};
}

CuteOutcome ResultOf(absl::StatusOr<TupleInteger> integer) {
  if (!integer.ok()) return integer.status();
  return CuteResult{CuteTree::Integer(*integer), {}};
}

CuteOutcome ResultOf(absl::StatusOr<std::string> text) {
  if (!text.ok()) return text.status();
  return CuteResult{CuteText{*std::move(text)}, {}};
}

CuteOutcome ResultOf(absl::StatusOr<CuteSwizzle> swizzle) {
  if (!swizzle.ok()) return swizzle.status();
  return CuteResult{*std::move(swizzle), {}};
}

CuteOutcome OnLayout(const CuteArguments& arguments,
                     llvm::function_ref<absl::StatusOr<CuteLayout>(const CuteLayout&)> f) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  return ResultOf(TransformLayout(tensor, f));
}

}  // namespace hlo_indexing::layout
