#include "layout/cute_calculator.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_functions.h"
#include "layout/cute_tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Kind = CuteExpression::Kind;

std::array<llvm::ArrayRef<CuteFunction>, 5> Tables() {
  return {CuteTupleFunctions(), CuteLayoutFunctions(), CuteTilingFunctions(), CuteTensorFunctions(),
          CuteViewFunctions()};
}

const CuteFunction* FindFunction(llvm::StringRef name) {
  for (const llvm::ArrayRef<CuteFunction> table : Tables()) {
    for (const CuteFunction& function : table) {
      if (function.name == name) return &function;
    }
  }
  return nullptr;
}

std::string Signature(const CuteFunction& function) {
  return function.name.str() + "(" + function.parameters.str() + ")";
}

std::string NoFunction(llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const llvm::ArrayRef<CuteFunction> table : Tables()) {
    for (const CuteFunction& known : table) names.push_back(known.name);
  }
  return "there is no function '" + support::Quotable(name) + "'" +
         support::DidYouMean(name, names);
}

// CuTe's element types and their widths in bits.
struct ElementType {
  llvm::StringRef name;
  int64_t bits;
};
constexpr ElementType kElementTypes[] = {
    {"uint1b_t", 1},     {"bin1_t", 1},        {"int2b_t", 2},      {"uint2b_t", 2},
    {"int4b_t", 4},      {"uint4b_t", 4},      {"float_e2m1_t", 4}, {"int6b_t", 6},
    {"uint6b_t", 6},     {"float_e2m3_t", 6},  {"float_e3m2_t", 6}, {"bool", 8},
    {"char", 8},         {"int8_t", 8},        {"uint8_t", 8},      {"float_e4m3_t", 8},
    {"float_e5m2_t", 8}, {"float_ue8m0_t", 8}, {"half_t", 16},      {"bfloat16_t", 16},
    {"int16_t", 16},     {"uint16_t", 16},     {"float", 32},       {"tfloat32_t", 32},
    {"int", 32},         {"int32_t", 32},      {"uint32_t", 32},    {"double", 64},
    {"int64_t", 64},     {"uint64_t", 64},     {"uint128_t", 128},
};

// 0 for what is none.
int64_t BitsOfElementType(llvm::StringRef name) {
  name.consume_front("cute::");
  name.consume_front("cutlass::");
  for (const ElementType& type : kElementTypes) {
    if (type.name == name) return type.bits;
  }
  return 0;
}

std::string UnknownName(llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const ElementType& type : kElementTypes) names.push_back(type.name);
  for (const llvm::ArrayRef<CuteFunction> table : Tables()) {
    for (const CuteFunction& known : table) names.push_back(known.name);
  }
  return "unknown name '" + support::Quotable(name) + "'" + support::DidYouMean(name, names);
}

// Messages quote values, which may have thousands of modes: the middle is left out.
std::string Shortened(const std::string& message) {
  constexpr size_t kMostBytes = 2000;
  if (message.size() <= kMostBytes) return message;
  return message.substr(0, kMostBytes / 2) + " ... " +
         message.substr(message.size() - kMostBytes / 2);
}

class Evaluator {
 public:
  explicit Evaluator(support::TextError& error) : error_(error) {}

  std::optional<CuteResult> Evaluate(const CuteExpression& expression) {
    switch (expression.kind) {
      case Kind::kInteger:
        return CuteResult{CuteTree::Integer(expression.integer), {}};
      case Kind::kUnderscore:
        return CuteResult{CuteTree::Underscore(), {}};
      case Kind::kTuple:
        return EvaluateTuple(expression);
      case Kind::kLayout:
        return EvaluateLayout(expression);
      case Kind::kSwizzle:
        return EvaluateSwizzle(expression);
      case Kind::kComposed:
        return EvaluateComposed(expression);
      case Kind::kCall:
        return EvaluateCall(expression);
      case Kind::kName:
        // CuTe's mark of the modes that a projection leaves out.
        if (expression.text == "X") return CuteResult{CuteTree::Underscore(), {}};
        return CuteResult{CuteText{expression.text}, {}};
      case Kind::kText:
        return CuteResult{CuteText{expression.text}, {}};
    }
    return std::nullopt;
  }

 private:
  std::nullopt_t Fail(const CuteExpression& at, const std::string& message) {
    error_ = {at.offset, Shortened(message)};
    return std::nullopt;
  }

  std::optional<CuteResult> Deliver(const CuteExpression& at, CuteOutcome outcome) {
    if (!outcome.ok()) return Fail(at, std::string(outcome.status().message()));
    return *std::move(outcome);
  }

  bool EvaluateOperands(llvm::ArrayRef<CuteExpression> operands, std::vector<CuteValue>& values) {
    for (const CuteExpression& operand : operands) {
      std::optional<CuteResult> result = Evaluate(operand);
      if (!result) return false;
      values.push_back(std::move(result->value));
    }
    return true;
  }

  std::optional<CuteResult> EvaluateTuple(const CuteExpression& expression) {
    std::vector<CuteValue> values;
    if (!EvaluateOperands(expression.operands, values)) return std::nullopt;
    const CuteArguments arguments(values);
    std::vector<CuteTree> members;
    for (size_t i = 0; i < values.size(); ++i) {
      absl::StatusOr<CuteTree> member = arguments.Tree(i);
      if (!member.ok()) {
        return Fail(expression.operands[i], "a tuple has integers, '_', layouts and tuples");
      }
      members.push_back(*std::move(member));
    }
    return CuteResult{CuteTree::Tuple(std::move(members)), {}};
  }

  std::optional<CuteResult> EvaluateLayout(const CuteExpression& expression) {
    std::vector<CuteValue> values;
    if (!EvaluateOperands(expression.operands, values)) return std::nullopt;
    const CuteArguments arguments(values);
    absl::StatusOr<IntTuple> shape = arguments.Tuple(0);
    absl::StatusOr<IntTuple> stride = arguments.Tuple(1);
    if (!shape.ok()) return Fail(expression.operands[0], "a shape is a tuple of integers");
    if (!stride.ok()) return Fail(expression.operands[1], "a stride is a tuple of integers");
    return Deliver(expression, ResultOf(CuteLayout::Create(*std::move(shape), *std::move(stride))));
  }

  std::optional<CuteResult> EvaluateSwizzle(const CuteExpression& expression) {
    std::vector<CuteValue> values;
    if (!EvaluateOperands(expression.operands, values)) return std::nullopt;
    const CuteArguments arguments(values);
    std::array<int64_t, 3> numbers = {};
    for (size_t i = 0; i < numbers.size(); ++i) {
      const absl::StatusOr<int64_t> number = arguments.Number(i);
      if (!number.ok()) return Fail(expression.operands[i], "expected an integer");
      numbers[i] = *number;
    }
    return Deliver(expression, ResultOf(CuteSwizzle::Create(numbers[0], numbers[1], numbers[2])));
  }

  // `counting_iter(26) o ...` and `ArithTuple(8,0) o ...`: where the layout begins.
  std::optional<CuteResult> EvaluateComposed(const CuteExpression& expression) {
    const CuteExpression& first = expression.operands.front();
    const bool counts = first.kind == Kind::kCall && first.text == "counting_iter";
    const bool is_coordinate = first.kind == Kind::kCall && first.text == "ArithTuple";
    llvm::ArrayRef<CuteExpression> operands = expression.operands;
    if (counts || is_coordinate) operands = operands.drop_front();
    std::vector<CuteValue> values;
    if (!EvaluateOperands(operands, values)) return std::nullopt;
    std::optional<CuteResult> result = CuteResult{values.front(), {}};
    if (values.size() > 3) return Fail(expression, "at most two functions compose, a o offset o b");
    if (values.size() > 1) {
      result = Deliver(expression, ComposeValues(CuteArguments(values)));
      if (!result) return std::nullopt;
    }
    if (!counts && !is_coordinate) return result;
    auto* tensor = std::get_if<CuteTensor>(&result->value);
    if (tensor == nullptr) return Fail(operands.front(), "expected a layout");
    std::vector<CuteValue> offset;
    if (!EvaluateOperands(first.operands, offset)) return std::nullopt;
    std::vector<IntTuple> members;
    const CuteArguments arguments(offset);
    for (size_t i = 0; i < offset.size(); ++i) {
      absl::StatusOr<IntTuple> member = arguments.Tuple(i);
      if (!member.ok()) return Fail(first.operands[i], "expected an integer or a tuple of such");
      members.push_back(*std::move(member));
    }
    if (counts && (members.size() != 1 || !members[0].is_integer())) {
      return Fail(first, "counting_iter takes one integer");
    }
    if (is_coordinate != tensor->modes().has_axes()) {
      return Fail(first, counts ? "the layout maps to coordinates: use ArithTuple(...)"
                                : "the layout maps to offsets: use counting_iter(...)");
    }
    tensor->offset = counts ? members[0] : IntTuple::Tuple(std::move(members));
    return result;
  }

  std::optional<CuteResult> EvaluateCall(const CuteExpression& expression) {
    const CuteFunction* function = FindFunction(expression.text);
    if (function == nullptr) return Fail(expression, NoFunction(expression.text));
    std::vector<CuteValue> values;
    if (!EvaluateOperands(expression.operands, values)) return std::nullopt;
    if (values.size() < function->fewest_arguments || values.size() > function->most_arguments) {
      return Fail(expression,
                  std::to_string(values.size()) + " arguments do not fit " + Signature(*function));
    }
    const CuteArguments arguments(values);
    CuteOutcome outcome = function->evaluate(arguments);
    const std::optional<size_t> misfit = arguments.misfit();
    const CuteExpression& at = !outcome.ok() && misfit ? expression.operands[*misfit] : expression;
    if (!outcome.ok() && misfit) {
      return Fail(at, std::string(outcome.status().message()) + " in " + Signature(*function));
    }
    return Deliver(at, std::move(outcome));
  }

  support::TextError& error_;
};

}  // namespace

absl::Status CuteArguments::Expected(size_t i, const std::string& what) const {
  misfit_ = i;
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

std::optional<support::TextError> FindUnknownName(const CuteExpression& expression) {
  const llvm::StringRef name = expression.text;
  if (expression.kind == Kind::kName && name != "X" && BitsOfElementType(name) == 0) {
    return support::TextError{expression.offset, UnknownName(name)};
  }
  const bool begins_a_tensor = name == "counting_iter" || name == "ArithTuple";
  if (expression.kind == Kind::kCall && !begins_a_tensor && FindFunction(name) == nullptr) {
    return support::TextError{expression.offset, NoFunction(name)};
  }
  for (const CuteExpression& operand : expression.operands) {
    if (std::optional<support::TextError> error = FindUnknownName(operand)) return error;
  }
  return std::nullopt;
}

std::optional<CuteResult> EvaluateCute(const CuteExpression& expression,
                                       support::TextError& error) {
  if (std::optional<support::TextError> unknown = FindUnknownName(expression)) {
    error = *std::move(unknown);
    return std::nullopt;
  }
  return Evaluator(error).Evaluate(expression);
}

std::string CuteValueText(const CuteValue& value) {
  if (const auto* tensor = std::get_if<CuteTensor>(&value)) {
    if (!tensor->offset.is_integer()) {
      return "ArithTuple" + tensor->offset.ToString() + " o " + tensor->LayoutText();
    }
    if (tensor->begins_at_zero()) return tensor->LayoutText();
    return "counting_iter(" + tensor->offset.ToString() + ") o " + tensor->LayoutText();
  }
  if (const auto* tile = std::get_if<ThreadValueTile>(&value)) {
    return tile->thread_values.ToString() + " of " + std::to_string(tile->rows) + " x " +
           std::to_string(tile->columns);
  }
  if (const auto* text = std::get_if<CuteText>(&value)) return text->text;
  if (const auto* swizzle = std::get_if<CuteSwizzle>(&value)) return swizzle->ToString();
  return std::get<CuteTree>(value).ToString();
}

std::vector<CuteFunctionHelp> CuteFunctions() {
  std::vector<CuteFunctionHelp> functions;
  for (const llvm::ArrayRef<CuteFunction> table : Tables()) {
    for (const CuteFunction& function : table) {
      functions.push_back({function.name.str(), Signature(function)});
    }
  }
  return functions;
}

}  // namespace hlo_indexing::layout
