#include "layout/cute_algebra/calculator.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "layout/cute_algebra/functions.h"
#include "layout/cute_algebra/tuple.h"
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

std::string UnknownName(llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const CuteElementType& type : CuteElementTypes()) names.push_back(type.name);
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
        // CuTe's name for the modes that a projection leaves out.
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

  std::optional<CuteResult> ResultOrFail(const CuteExpression& at, CuteOutcome outcome) {
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
    return ResultOrFail(expression,
                        ResultOf(CuteLayout::Create(*std::move(shape), *std::move(stride))));
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
    return ResultOrFail(expression,
                        ResultOf(CuteSwizzle::Create(numbers[0], numbers[1], numbers[2])));
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
      result = ResultOrFail(expression, ComposeValues(CuteArguments(values)));
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
    const std::optional<size_t> mismatch = arguments.mismatch();
    const CuteExpression& at =
        !outcome.ok() && mismatch ? expression.operands[*mismatch] : expression;
    if (!outcome.ok() && mismatch) {
      return Fail(at, std::string(outcome.status().message()) + " in " + Signature(*function));
    }
    return ResultOrFail(at, std::move(outcome));
  }

  support::TextError& error_;
};

}  // namespace

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
