#include "indexing_analysis/propagation/integer_values.h"

#include <algorithm>

#include "indexing_analysis/propagation/called_computations.h"
#include "layout/row_major.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using simplifier::Constant;
using simplifier::DigitContext;
using simplifier::Interval;
using simplifier::Sum;
using Indices = llvm::SmallVector<Sum, 6>;

// An index is seldom the result of a longer computation than that.
constexpr int kMaxDepth = 24;
// Nor of more instructions: where each adds the one before to itself, the ways double.
constexpr int kMaxEvaluations = 1 << 14;
// Constants with more elements are not looked through for their range.
constexpr int64_t kMaxElements = 1024;

// The values of the type, as far as an int64 holds them.
Interval RangeOfType(ElementType type) {
  const int64_t bits = hlo::ElementBits(type);
  switch (hlo::ClassOf(type)) {
    case ElementClass::kPredicate:
      return {0, 1};
    case ElementClass::kSigned:
      if (bits >= 64) return Interval::All();
      return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
    case ElementClass::kUnsigned:
      return {0, bits >= 63 ? Interval::kPlusInfinity : (int64_t{1} << bits) - 1};
    default:
      return Interval::All();
  }
}

class Evaluator {
 public:
  explicit Evaluator(DigitContext& digits) : digits_(digits) {}

  IntegerValue Evaluate(CalledInstruction called, llvm::ArrayRef<Sum> index, int depth) {
    called = Resolve(called);
    if (const std::optional<int64_t> known = ValueInIteration(called)) {
      return {Constant(*known), Interval::Point(*known)};
    }
    const hlo::Shape& shape = called.instruction->shape();
    IntegerValue value;
    if (!shape.IsArray() || shape.sizes().size() != index.size()) return value;
    const Interval of_type = RangeOfType(shape.element_type());
    const bool is_integer =
        hlo::IsIntegral(shape.element_type()) || shape.element_type() == ElementType::kPred;
    if (is_integer && depth < kMaxDepth && evaluations_ < kMaxEvaluations) {
      ++evaluations_;
      value = Compute(called, index, depth);
    }
    value.range = value.range.Intersect(of_type);
    if (value.sum) value.range = value.range.Intersect(NaturalRange(*value.sum));
    if (value.range.IsPoint()) value.sum = Constant(value.range.lower);
    return value;
  }

  // Of an element of a tuple, which may come out of calls.
  IntegerValue OfElement(const CalledInstruction& called, int64_t element,
                         llvm::ArrayRef<Sum> index, int depth) {
    const CalledInstruction tuple = Resolve(called);
    const Instruction& instruction = *tuple.instruction;
    if (instruction.opcode() == Opcode::kTuple) {
      return Operand(tuple, static_cast<size_t>(element), index, depth);
    }
    const bool is_call =
        instruction.opcode() == Opcode::kCall || instruction.opcode() == Opcode::kFusion;
    if (!is_call || depth >= kMaxDepth) return {};
    const CallFrame inside = CallFrame::Inside(instruction, tuple.frame);
    return OfElement({&CalleeOf(instruction)->root(), &inside}, element, index, depth + 1);
  }

  size_t outermost_call_depth() const { return outermost_call_depth_; }

 private:
  CalledInstruction Resolve(CalledInstruction called) {
    const CalledInstruction resolved = ResolveParameter(called);
    outermost_call_depth_ =
        std::min(outermost_call_depth_, OutermostCallDepth(called.frame, resolved.frame));
    return resolved;
  }

  // Of an array of the state of a loop that is followed iteration by iteration.
  std::optional<int64_t> ValueInIteration(const CalledInstruction& called) {
    if (called.frame == nullptr || called.frame->state == nullptr) return std::nullopt;
    const Instruction& instruction = *called.instruction;
    int64_t leaf = 0;
    if (instruction.opcode() == Opcode::kGetTupleElement) {
      if (instruction.operand(0).opcode() != Opcode::kParameter) return std::nullopt;
      if (!instruction.shape().IsArray()) return std::nullopt;
      leaf = instruction.operand(0).shape().FirstLeafOfElement(
          instruction.Required<int64_t>(AttributeName::kIndex));
    } else if (instruction.opcode() != Opcode::kParameter || !instruction.shape().IsArray()) {
      return std::nullopt;
    }
    const KnownState& state = *called.frame->state;
    const std::optional<int64_t> value = state.values[static_cast<size_t>(leaf)];
    if (!value) return std::nullopt;
    outermost_call_depth_ =
        std::min({outermost_call_depth_, called.frame->depth, state.outermost_call_depth});
    return value;
  }

  IntegerValue Operand(const CalledInstruction& called, size_t operand, llvm::ArrayRef<Sum> index,
                       int depth) {
    return Evaluate({&called.instruction->operand(operand), called.frame}, index, depth + 1);
  }

  IntegerValue Compute(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const Instruction& instruction = *called.instruction;
    switch (instruction.opcode()) {
      case Opcode::kConstant:
        return OfConstant(*instruction.literal(), index);
      case Opcode::kIota:
        return OfIota(instruction, index);
      case Opcode::kCopy:
        return Operand(called, 0, index, depth);
      case Opcode::kBroadcast:
      case Opcode::kTranspose:
      case Opcode::kReshape:
      case Opcode::kSlice:
        return Operand(called, 0, Moved(instruction, index), depth);
      case Opcode::kGetTupleElement:
        return OfTuple(called, index, depth);
      case Opcode::kCall:
      case Opcode::kFusion: {
        const CallFrame inside = CallFrame::Inside(instruction, called.frame);
        return Evaluate({&CalleeOf(instruction)->root(), &inside}, index, depth + 1);
      }
      case Opcode::kConvert:
        return Converted(instruction, Operand(called, 0, index, depth));
      case Opcode::kAdd:
      case Opcode::kSubtract:
      case Opcode::kMultiply:
        return OfArithmetic(called, index, depth);
      case Opcode::kDivide:
      case Opcode::kRemainder:
        return OfDivision(called, index, depth);
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
        return OfBits(called, index, depth);
      case Opcode::kNot:
      case Opcode::kNegate:
      case Opcode::kAbs:
      case Opcode::kSign:
        return OfUnary(instruction, Operand(called, 0, index, depth));
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        return Larger(instruction.opcode() == Opcode::kMaximum, Operand(called, 0, index, depth),
                      Operand(called, 1, index, depth));
      case Opcode::kClamp:
        return OfClamp(called, index, depth);
      case Opcode::kCompare:
        return OfCompare(called, index, depth);
      case Opcode::kSelect:
        return OfSelect(called, index, depth);
      default:
        return {};
    }
  }

  IntegerValue OfConstant(const hlo::Literal& literal, llvm::ArrayRef<Sum> index) {
    IntegerValue value;
    const int64_t count = literal.shape().num_elements();
    if (literal.is_elided() || count <= 0) return value;
    const auto position = layout::Linearize(digits_, index, literal.shape().sizes());
    if (position && position->IsConstant()) {
      if (position->constant < 0 || position->constant >= count) return value;
      const std::optional<int64_t> element = literal.GetInteger(position->constant);
      if (element) value.sum = Constant(*element);
      return value;
    }
    if (count > kMaxElements) return value;
    Interval range = {Interval::kPlusInfinity, Interval::kMinusInfinity};
    for (int64_t i = 0; i < count; ++i) {
      const std::optional<int64_t> element = literal.GetInteger(i);
      if (!element) return value;
      range = {std::min(range.lower, *element), std::max(range.upper, *element)};
    }
    value.range = range;
    return value;
  }

  static IntegerValue OfIota(const Instruction& iota, llvm::ArrayRef<Sum> index) {
    const size_t dimension =
        static_cast<size_t>(iota.Required<int64_t>(AttributeName::kIotaDimension));
    IntegerValue value;
    // A type does not hold all indices of a dimension without bound.
    if (iota.shape().sizes()[dimension] == hlo::kUnboundedSize) return value;
    const int64_t last = iota.shape().sizes()[dimension] - 1;
    if (RangeOfType(iota.shape().element_type()).Contains(last)) value.sum = index[dimension];
    return value;
  }

  Indices Moved(const Instruction& instruction, llvm::ArrayRef<Sum> index) {
    const hlo::Shape& operand = instruction.operand(0).shape();
    Indices moved;
    if (operand.HasUnboundedDimension() || instruction.shape().HasUnboundedDimension()) {
      return moved;
    }
    switch (instruction.opcode()) {
      case Opcode::kBroadcast:
        for (const int64_t dimension : instruction.Integers(AttributeName::kDimensions)) {
          moved.push_back(index[static_cast<size_t>(dimension)]);
        }
        return moved;
      case Opcode::kTranspose:
        moved.assign(index.size(), Constant(0));
        for (size_t i = 0; i < index.size(); ++i) {
          moved[static_cast<size_t>(instruction.Integers(AttributeName::kDimensions)[i])] =
              index[i];
        }
        return moved;
      case Opcode::kSlice: {
        const auto ranges =
            instruction.Required<llvm::ArrayRef<hlo::SliceRange>>(AttributeName::kSlice);
        for (size_t i = 0; i < index.size(); ++i) {
          const simplifier::ScaledSum parts[] = {{index[i], ranges[i].stride}};
          moved.push_back(Linear(digits_, parts, ranges[i].start));
        }
        return moved;
      }
      default: {
        const auto position = layout::Linearize(digits_, index, instruction.shape().sizes());
        if (!position) return moved;
        return layout::Delinearize(digits_, *position, operand.sizes());
      }
    }
  }

  IntegerValue OfTuple(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const int64_t element = called.instruction->Required<int64_t>(AttributeName::kIndex);
    return OfElement({&called.instruction->operand(0), called.frame}, element, index, depth);
  }

  // The value if the new type has all that it may be.
  static IntegerValue Converted(const Instruction& convert, IntegerValue value) {
    const Interval of_type = RangeOfType(convert.shape().element_type());
    const ElementType from = convert.operand(0).shape().element_type();
    const bool is_integer = hlo::IsIntegral(from) || from == ElementType::kPred;
    if (convert.shape().element_type() == ElementType::kPred || !is_integer ||
        !of_type.Contains(value.range)) {
      return {};
    }
    return value;
  }

  // Sums and products, unless they may wrap round.
  IntegerValue OfArithmetic(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const IntegerValue a = Operand(called, 0, index, depth);
    const IntegerValue b = Operand(called, 1, index, depth);
    IntegerValue value;
    if (called.instruction->shape().element_type() == ElementType::kPred) return value;
    switch (called.instruction->opcode()) {
      case Opcode::kAdd:
        value.range = a.range + b.range;
        if (a.sum && b.sum) value.sum = Add(digits_, *a.sum, *b.sum);
        break;
      case Opcode::kSubtract:
        value.range = a.range + b.range * -1;
        if (a.sum && b.sum) value.sum = Subtract(digits_, *a.sum, *b.sum);
        break;
      default:
        if (b.range.IsPoint()) {
          value.range = a.range * b.range.lower;
          if (a.sum) value.sum = Scale(digits_, *a.sum, b.range.lower);
        } else if (a.range.IsPoint()) {
          value.range = b.range * a.range.lower;
          if (b.sum) value.sum = Scale(digits_, *b.sum, a.range.lower);
        }
    }
    const Interval of_type = RangeOfType(called.instruction->shape().element_type());
    if (!value.range.IsFinite() || !of_type.Contains(value.range)) return {};
    return value;
  }

  // Of numbers that are not negative, by one that is known: rounding towards zero is rounding down.
  IntegerValue OfDivision(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const IntegerValue a = Operand(called, 0, index, depth);
    const IntegerValue b = Operand(called, 1, index, depth);
    IntegerValue value;
    if (!b.range.IsPoint() || b.range.lower <= 0 || a.range.lower < 0) return value;
    const int64_t divisor = b.range.lower;
    const bool is_quotient = called.instruction->opcode() == Opcode::kDivide;
    if (is_quotient) {
      value.range = FloorDiv(a.range, divisor);
    } else {
      value.range = {0, std::min(a.range.upper, divisor - 1)};
    }
    if (!a.sum) return value;
    const simplifier::Division division = DivMod(digits_, *a.sum, divisor);
    value.sum = is_quotient ? division.quotient : division.remainder;
    return value;
  }

  // Of two known numbers, or of a pred that decides alone.
  IntegerValue OfBits(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const Interval a = Operand(called, 0, index, depth).range;
    const Interval b = Operand(called, 1, index, depth).range;
    const Opcode opcode = called.instruction->opcode();
    IntegerValue value;
    if (a.IsPoint() && b.IsPoint()) {
      const int64_t x = a.lower;
      const int64_t y = b.lower;
      value.sum = Constant(opcode == Opcode::kAnd ? x & y : opcode == Opcode::kOr ? x | y : x ^ y);
      return value;
    }
    if (called.instruction->shape().element_type() != ElementType::kPred) return value;
    const auto one_is = [&](int64_t number) {
      return a == Interval::Point(number) || b == Interval::Point(number);
    };
    if (opcode == Opcode::kAnd && one_is(0)) value.sum = Constant(0);
    if (opcode == Opcode::kOr && one_is(1)) value.sum = Constant(1);
    return value;
  }

  // Of a known number, unless it wraps round.
  static IntegerValue OfUnary(const Instruction& instruction, const IntegerValue& operand) {
    IntegerValue value;
    if (!operand.range.IsPoint() || operand.range.lower == INT64_MIN) return value;
    const int64_t x = operand.range.lower;
    const ElementType type = instruction.shape().element_type();
    const Interval of_type = RangeOfType(type);
    int64_t result = 0;
    switch (instruction.opcode()) {
      case Opcode::kNot:
        if (hlo::ClassOf(type) == ElementClass::kSigned) {
          result = ~x;
        } else if (of_type.IsFinite()) {
          result = of_type.upper - x;
        } else {
          return value;
        }
        break;
      case Opcode::kNegate:
        result = -x;
        break;
      case Opcode::kAbs:
        result = x < 0 ? -x : x;
        break;
      default:
        result = (x > 0) - (x < 0);
    }
    if (of_type.Contains(result)) value.sum = Constant(result);
    return value;
  }

  // The larger or smaller of two values.
  static IntegerValue Larger(bool larger, const IntegerValue& a, const IntegerValue& b) {
    const auto choose = [larger](int64_t x, int64_t y) {
      return larger ? std::max(x, y) : std::min(x, y);
    };
    IntegerValue value;
    value.range = {choose(a.range.lower, b.range.lower), choose(a.range.upper, b.range.upper)};
    if (larger ? a.range.lower >= b.range.upper : a.range.upper <= b.range.lower) return a;
    if (larger ? b.range.lower >= a.range.upper : b.range.upper <= a.range.lower) return b;
    return value;
  }

  IntegerValue OfClamp(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const auto bound = [&](size_t operand) {
      const bool is_scalar = called.instruction->operand(operand).shape().rank() == 0;
      return Operand(called, operand, is_scalar ? llvm::ArrayRef<Sum>() : index, depth);
    };
    // max first: if the bounds cross, the upper one wins.
    return Larger(false, bound(2), Larger(true, bound(0), Operand(called, 1, index, depth)));
  }

  IntegerValue OfCompare(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const llvm::StringRef direction =
        called.instruction->Required<hlo::Keyword>(AttributeName::kDirection).text;
    const Interval a = Operand(called, 0, index, depth).range;
    const Interval b = Operand(called, 1, index, depth).range;
    IntegerValue value;
    value.range = {0, 1};
    const auto decide = [&](bool always, bool never) {
      if (always) value.sum = Constant(1);
      if (never) value.sum = Constant(0);
    };
    const bool equal = a.IsPoint() && a == b;
    const bool disjoint = a.Intersect(b).IsEmpty();
    if (direction == "EQ") decide(equal, disjoint);
    if (direction == "NE") decide(disjoint, equal);
    if (direction == "LT") decide(a.upper < b.lower, a.lower >= b.upper);
    if (direction == "LE") decide(a.upper <= b.lower, a.lower > b.upper);
    if (direction == "GT") decide(a.lower > b.upper, a.upper <= b.lower);
    if (direction == "GE") decide(a.lower >= b.upper, a.upper < b.lower);
    return value;
  }

  IntegerValue OfSelect(const CalledInstruction& called, llvm::ArrayRef<Sum> index, int depth) {
    const bool is_scalar = called.instruction->operand(0).shape().rank() == 0;
    const IntegerValue chosen =
        Operand(called, 0, is_scalar ? llvm::ArrayRef<Sum>() : index, depth);
    if (chosen.range.IsPoint()) {
      return Operand(called, chosen.range.lower == 1 ? 1 : 2, index, depth);
    }
    const Interval a = Operand(called, 1, index, depth).range;
    const Interval b = Operand(called, 2, index, depth).range;
    IntegerValue value;
    value.range = {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
    return value;
  }

  DigitContext& digits_;
  int evaluations_ = 0;
  size_t outermost_call_depth_ = Dependences::kNoCall;
};

}  // namespace

namespace {

// What the caller gives for an array of a loop's state that no iteration changes.
std::optional<CalledInstruction> GivenToLoop(const CalledInstruction& called) {
  const Instruction& element = *called.instruction;
  const Instruction& loop = *called.frame->call;
  const bool is_of_state = element.opcode() == Opcode::kGetTupleElement &&
                           element.operand(0).opcode() == Opcode::kParameter &&
                           element.shape().IsArray() && loop.opcode() == Opcode::kWhile;
  if (!is_of_state) return std::nullopt;
  const int64_t number = element.Required<int64_t>(AttributeName::kIndex);
  const int64_t leaf = loop.shape().FirstLeafOfElement(number);
  if (ForwardedParameter(*loop.Callee(AttributeName::kBody), leaf) != leaf) return std::nullopt;
  const CalledInstruction state = ResolveParameter({&loop.operand(0), called.frame->caller});
  if (state.instruction->opcode() != Opcode::kTuple) return std::nullopt;
  return CalledInstruction{&state.instruction->operand(static_cast<size_t>(number)), state.frame};
}

}  // namespace

CalledInstruction ResolveParameter(CalledInstruction called) {
  while (called.frame != nullptr) {
    if (called.frame->is_loop) {
      const std::optional<CalledInstruction> given = GivenToLoop(called);
      if (!given) break;
      called = *given;
      continue;
    }
    if (called.instruction->opcode() != Opcode::kParameter) break;
    const size_t operand =
        called.frame->first_operand + static_cast<size_t>(called.instruction->parameter_number());
    // What async-update binds is no operand of the call.
    if (operand >= called.frame->call->operands().size()) break;
    called = {&called.frame->call->operand(operand), called.frame->caller};
  }
  return called;
}

IntegerValue KnownInteger(DigitContext& digits, CalledInstruction called,
                          llvm::ArrayRef<Sum> index) {
  Evaluator evaluator(digits);
  IntegerValue value = evaluator.Evaluate(called, index, 0);
  value.outermost_call_depth = evaluator.outermost_call_depth();
  return value;
}

IntegerValue KnownElement(DigitContext& digits, CalledInstruction tuple, int64_t element,
                          llvm::ArrayRef<Sum> index) {
  Evaluator evaluator(digits);
  IntegerValue value = evaluator.OfElement(tuple, element, index, 0);
  value.outermost_call_depth = evaluator.outermost_call_depth();
  return value;
}

}  // namespace hlo_indexing::indexing_analysis
