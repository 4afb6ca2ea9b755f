// What is known of the integers that index other arrays: constants, iota, comparisons and what is
// computed from them.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_INTEGER_VALUES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_INTEGER_VALUES_H_

#include <optional>
#include <utility>

#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::indexing_analysis {

/// One level of computations that are called. The outermost call is the instruction that was asked
/// about.
struct CallFrame {
  const hlo::Instruction* call = nullptr;
  const CallFrame* outer = nullptr;
  /// Which operand is parameter 0.
  size_t first_operand = 0;
  /// Whether the computation runs several times, each time on other values.
  bool is_loop = false;
  /// Whether a value that the call is given has been asked for inside, so that what was found there
  /// may not hold for another call.
  mutable bool is_asked = false;
};

/// Whether a level from this one outwards is a loop.
inline bool IsInLoop(const CallFrame* frame) {
  for (; frame != nullptr; frame = frame->outer) {
    if (frame->is_loop) return true;
  }
  return false;
}

/// An instruction and where it is called; null for an instruction beside the outermost call.
struct CalledInstruction {
  const hlo::Instruction* instruction = nullptr;
  const CallFrame* frame = nullptr;
};

/// Follows parameters to what the callers give for them, as far as every run gets the same.
CalledInstruction ResolveParameter(CalledInstruction called);

/// What is known of one integer.
struct IntegerValue {
  /// Its value, if that is a function of the index.
  std::optional<simplifier::Sum> sum;
  /// Bounds of its value.
  simplifier::Interval range;
};

/// The element at `index` of an integer or pred array. *iota dimension 0 of s32[8,2] at (d0, d1) ->
/// d0 in [0, 7]*
IntegerValue KnownInteger(simplifier::DigitContext& digits, CalledInstruction called,
                          llvm::ArrayRef<simplifier::Sum> index);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_INTEGER_VALUES_H_
