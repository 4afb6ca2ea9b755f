#include "codegen/plan/known_integers.h"

#include <optional>

#include "codegen/plan/constants.h"
#include "codegen/plan/movement.h"
#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "hlo/opcode.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {
namespace {

using hlo::AttributeName;
using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using llvm::APInt;

// A value of as many bits as the type has.
using Known = std::optional<APInt>;

bool IsSigned(const Instruction& instruction) {
  return hlo::ClassOf(instruction.shape().element_type()) == ElementClass::kSigned;
}

bool HasIntegers(const Instruction& instruction) {
  if (!instruction.shape().IsArray()) return false;
  const ElementType type = instruction.shape().element_type();
  return hlo::IsIntegral(type) || type == ElementType::kPred;
}

unsigned BitsOf(const Instruction& instruction) {
  return static_cast<unsigned>(hlo::ElementBits(instruction.shape().element_type()));
}

APInt Largest(const Instruction& instruction) {
  const unsigned bits = BitsOf(instruction);
  return IsSigned(instruction) ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
}

APInt Least(const Instruction& instruction) {
  const unsigned bits = BitsOf(instruction);
  return IsSigned(instruction) ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
}

bool Holds(llvm::StringRef direction, bool is_less, bool is_equal) {
  if (direction == "EQ") return is_equal;
  if (direction == "NE") return !is_equal;
  if (direction == "LT") return is_less;
  if (direction == "LE") return is_less || is_equal;
  if (direction == "GT") return !is_less && !is_equal;
  return !is_less;
}

class KnownIntegers {
 public:
  explicit KnownIntegers(const hlo::Computation& computation) {
    for (const Instruction* instruction : computation.instructions()) {
      const bool depends = instruction->opcode() == Opcode::kParameter ||
                           llvm::any_of(instruction->operands(), [&](const Instruction* operand) {
                             return depends_.contains(operand);
                           });
      if (depends) depends_.insert(instruction);
      if (!HasIntegers(*instruction)) continue;
      const Known value = Compute(*instruction);
      if (!value.has_value()) continue;
      values_.try_emplace(instruction, *value);
      const int64_t number = IsSigned(*instruction) ? value->getSExtValue()
                                                    : static_cast<int64_t>(value->getZExtValue());
      if (depends) found_.push_back({instruction, number});
    }
    AddStartsOfWholeDimensions(computation);
  }

  llvm::SmallVector<KnownInteger, 2> Take() && { return std::move(found_); }

 private:
  // Starts that are clamped to [0, 0], and of no other use.
  void AddStartsOfWholeDimensions(const hlo::Computation& computation) {
    llvm::DenseSet<const Instruction*> starts;
    llvm::DenseSet<const Instruction*> used = {&computation.root()};
    for (const Instruction* instruction : computation.instructions()) {
      for (size_t i = 0; i < instruction->operands().size(); ++i) {
        const bool is_start = IsStartOfWholeDimension(*instruction, i);
        (is_start ? starts : used).insert(&instruction->operand(i));
      }
    }
    for (const Instruction* instruction : computation.instructions()) {
      if (!starts.contains(instruction) || used.contains(instruction)) continue;
      if (depends_.contains(instruction) && !values_.contains(instruction)) {
        found_.push_back({instruction, 0});
      }
    }
  }

  Known Of(const Instruction& instruction) const {
    const auto found = values_.find(&instruction);
    return found == values_.end() ? Known() : Known(found->second);
  }

  bool Is(const Instruction& instruction, const APInt& value) const {
    const Known known = Of(instruction);
    return known.has_value() && *known == value;
  }

  Known Compute(const Instruction& instruction) const {
    switch (instruction.opcode()) {
      case Opcode::kConstant:
        return OfConstant(instruction);
      case Opcode::kIota: {
        const auto dimension = instruction.Required<int64_t>(AttributeName::kIotaDimension);
        const bool is_one = instruction.shape().sizes()[static_cast<size_t>(dimension)] == 1;
        return is_one ? Known(APInt::getZero(BitsOf(instruction))) : Known();
      }
      case Opcode::kConvert:
        return OfConvert(instruction);
      case Opcode::kCompare:
        return OfCompare(instruction);
      case Opcode::kSelect:
        return OfSelect(instruction);
      case Opcode::kClamp: {
        const Known least = Of(instruction.operand(0));
        return least.has_value() && least == Of(instruction.operand(2)) ? least : Known();
      }
      case Opcode::kDot:
      case Opcode::kConvolution: {
        const Instruction& a = instruction.operand(0);
        const Instruction& b = instruction.operand(1);
        if (!HasIntegers(a) || !HasIntegers(b) || (!IsZero(a) && !IsZero(b))) return std::nullopt;
        return APInt::getZero(BitsOf(instruction));
      }
      case Opcode::kNot:
      case Opcode::kNegate: {
        const Known operand = Of(instruction.operand(0));
        if (!operand.has_value()) return std::nullopt;
        return instruction.opcode() == Opcode::kNot ? ~*operand : -*operand;
      }
      default:
        break;
    }
    if (IsMovement(instruction.opcode())) {
      const Instruction& moved = instruction.operand(0);
      const bool has_type = moved.shape().IsArray() &&
                            moved.shape().element_type() == instruction.shape().element_type();
      return has_type ? Of(moved) : Known();
    }
    return instruction.operands().size() == 2 ? OfBinary(instruction) : Known();
  }

  bool IsZero(const Instruction& instruction) const {
    const Known known = Of(instruction);
    return known.has_value() && known->isZero();
  }

  static Known OfConstant(const Instruction& instruction) {
    const hlo::Literal* const literal = instruction.literal();
    const bool is_one_value = literal != nullptr && instruction.shape().num_elements() > 0 &&
                              !literal->is_elided() && IsSplat(*literal);
    const std::optional<int64_t> value = is_one_value ? literal->GetInteger(0) : std::nullopt;
    if (!value.has_value()) return std::nullopt;
    return APInt(BitsOf(instruction), static_cast<uint64_t>(*value), /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  }

  Known OfConvert(const Instruction& instruction) const {
    const Instruction& operand = instruction.operand(0);
    const Known value = Of(operand);
    if (!value.has_value()) return std::nullopt;
    const unsigned bits = BitsOf(instruction);
    if (instruction.shape().element_type() == ElementType::kPred) {
      return APInt(bits, value->isZero() ? 0 : 1);
    }
    return IsSigned(operand) ? value->sextOrTrunc(bits) : value->zextOrTrunc(bits);
  }

  Known OfCompare(const Instruction& instruction) const {
    const Instruction& a = instruction.operand(0);
    const Instruction& b = instruction.operand(1);
    if (!HasIntegers(a)) return std::nullopt;
    const llvm::StringRef direction =
        instruction.Required<hlo::Keyword>(AttributeName::kDirection).text;
    const unsigned bits = BitsOf(instruction);
    if (&a == &b) return APInt(bits, Holds(direction, false, true) ? 1 : 0);
    const Known left = Of(a);
    const Known right = Of(b);
    if (!left.has_value() || !right.has_value()) return std::nullopt;
    const bool is_less = IsSigned(a) ? left->slt(*right) : left->ult(*right);
    return APInt(bits, Holds(direction, is_less, *left == *right) ? 1 : 0);
  }

  Known OfSelect(const Instruction& instruction) const {
    const Known condition = Of(instruction.operand(0));
    const Known on_true = Of(instruction.operand(1));
    const Known on_false = Of(instruction.operand(2));
    if (condition.has_value()) return condition->isZero() ? on_false : on_true;
    return on_true.has_value() && on_true == on_false ? on_true : Known();
  }

  // Of one operand twice, of one that decides alone, or of two that are known.
  Known OfBinary(const Instruction& instruction) const {
    const Instruction& a = instruction.operand(0);
    const Instruction& b = instruction.operand(1);
    const APInt zero = APInt::getZero(BitsOf(instruction));
    const APInt ones = APInt::getAllOnes(BitsOf(instruction));
    const auto one_is = [&](const APInt& value) { return Is(a, value) || Is(b, value); };
    switch (instruction.opcode()) {
      case Opcode::kSubtract:
      case Opcode::kXor:
        if (&a == &b) return Known(zero);
        break;
      case Opcode::kMultiply:
      case Opcode::kAnd:
        if (one_is(zero)) return Known(zero);
        break;
      case Opcode::kOr:
        if (one_is(ones)) return Known(ones);
        break;
      case Opcode::kMaximum:
        if (one_is(Largest(instruction))) return Largest(instruction);
        break;
      case Opcode::kMinimum:
        if (one_is(Least(instruction))) return Least(instruction);
        break;
      default:
        break;
    }
    const Known left = Of(a);
    const Known right = Of(b);
    return left.has_value() && right.has_value() ? Combine(instruction, *left, *right) : Known();
  }

  static Known Combine(const Instruction& instruction, const APInt& a, const APInt& b) {
    const bool is_signed = IsSigned(instruction);
    const bool is_less = is_signed ? a.slt(b) : a.ult(b);
    switch (instruction.opcode()) {
      case Opcode::kAdd:
        return instruction.shape().element_type() == ElementType::kPred ? a | b : a + b;
      case Opcode::kSubtract:
        return a - b;
      case Opcode::kMultiply:
        return a * b;
      case Opcode::kAnd:
        return a & b;
      case Opcode::kOr:
        return a | b;
      case Opcode::kXor:
        return a ^ b;
      case Opcode::kMaximum:
        return is_less ? b : a;
      case Opcode::kMinimum:
        return is_less ? a : b;
      default:
        return std::nullopt;
    }
  }

  llvm::DenseMap<const Instruction*, APInt> values_;
  // What parameters are among the operands of.
  llvm::DenseSet<const Instruction*> depends_;
  llvm::SmallVector<KnownInteger, 2> found_;
};

}  // namespace

bool IsStartOfWholeDimension(const Instruction& instruction, size_t operand) {
  const bool is_update = instruction.opcode() == Opcode::kDynamicUpdateSlice;
  if (!is_update && instruction.opcode() != Opcode::kDynamicSlice) return false;
  const size_t first = is_update ? 2 : 1;
  const hlo::Shape& array = instruction.operand(0).shape();
  const hlo::Shape& slice = is_update ? instruction.operand(1).shape() : instruction.shape();
  // Not of one array with all starts.
  const size_t rank = array.sizes().size();
  if (operand < first || instruction.operands().size() != first + rank) return false;
  return instruction.operand(operand).shape().rank() == 0 &&
         slice.sizes()[operand - first] == array.sizes()[operand - first];
}

llvm::SmallVector<KnownInteger, 2> KnownIntegersOf(const hlo::Computation& computation) {
  return KnownIntegers(computation).Take();
}

}  // namespace hlo_indexing::plan
