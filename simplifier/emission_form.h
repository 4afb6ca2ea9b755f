// Sums as straight-line integer code, for kernels.
#ifndef HLO_INDEXING_SIMPLIFIER_EMISSION_FORM_H_
#define HLO_INDEXING_SIMPLIFIER_EMISSION_FORM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "simplifier/digit_context.h"
#include "simplifier/linear_form.h"

namespace hlo_indexing::simplifier {

/// Operations of a machine on integers of one width, which wrap around.
enum class EmissionOpcode : uint8_t {
  kConstant,           // immediate
  kLeaf,               // the value of `leaf`
  kAdd,                // lhs + rhs
  kSubtract,           // lhs - rhs
  kMultiply,           // lhs * immediate, or lhs * rhs if there is one
  kShiftLeft,          // lhs << immediate
  kShiftRight,         // lhs >> immediate, filled with the sign
  kShiftRightLogical,  // lhs >> immediate, filled with zeros
  kAnd,                // lhs & immediate
  kDivideUnsigned,     // lhs / immediate; lhs is not negative
  kFloorDivide,        // floor(lhs / immediate), or floor(lhs / rhs) if there is one
  kFloorModulo,        // lhs - rhs * floor(lhs / rhs)
};

/// One operation; operands are numbers of earlier steps.
struct EmissionStep {
  EmissionOpcode opcode = EmissionOpcode::kConstant;
  std::optional<size_t> lhs;
  std::optional<size_t> rhs;
  int64_t immediate = 0;
  const Atom* leaf = nullptr;
  /// The values that the step can have, before it wraps around.
  Interval range;

  friend bool operator==(const EmissionStep&, const EmissionStep&) = default;
};

/// What operations cost, in cycles or any other unit; moves and constants cost nothing.
struct TargetCosts {
  int add = 1;
  int shift = 1;
  int logic = 1;
  int multiply = 2;
  /// By a constant: a multiplication for the high half, and shifts.
  int divide_unsigned = 5;
  int floor_divide = 9;
};

/// A program without branches. Division and remainder by one divisor share the division; powers of
/// two are shifts and masks; a dividend that may be negative, but not below some bound, is raised
/// by a multiple of the divisor so that an unsigned division serves.
struct EmissionProgram {
  std::vector<EmissionStep> steps;
  /// The step that has the value of each sum.
  std::vector<size_t> results;
  /// 32 if the results and everything that is divided or shifted right fit 32 bits with a sign,
  /// 64 otherwise. Sums on the way may wrap around; what they are a part of does not.
  int bits = 64;
  int cost = 0;
};

/// The cheaper of the ways to write each sum, given what the program has so far: by its shortest
/// form (linear_form.h) or digit by digit.
/// Example: d0 floordiv 10, d0 mod 10 with d0 in [0, 99] -> q = d0 / 10; r = d0 - q * 10
EmissionProgram EmissionForm(DigitContext& context, llvm::ArrayRef<Sum> sums,
                             const TargetCosts& costs = {});

/// The values of the results, computed with the width of the program; nullopt if `values` has no
/// value for a leaf.
std::optional<std::vector<int64_t>> Evaluate(
    const EmissionProgram& program, llvm::function_ref<std::optional<int64_t>(const Atom&)> values);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_EMISSION_FORM_H_
