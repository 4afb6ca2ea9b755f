// What is known of the integers that index other arrays: constants, iota, comparisons and what is
// computed from them, also in fusions and calls. Looks at most 24 instructions deep, at 16,384 of
// them in all, and at literals of at most 1,024 elements. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INTEGER_VALUES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INTEGER_VALUES_H_

#include <optional>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::indexing_analysis {

/// An instruction and where it is called; null for an instruction beside the outermost call.
struct CalledInstruction {
  const hlo::Instruction* instruction = nullptr;
  const CallFrame* frame = nullptr;
};

/// Resolves parameters to what the callers give for them, as far as every run gets the same: so do
/// all iterations of a loop for an array of its state that they hand on.
CalledInstruction ResolveParameter(CalledInstruction called);

/// The depth of the outermost call whose operand was looked at on the way from a parameter in
/// `frame` to `resolved`; Dependences::kNoCall if they are the same.
inline size_t OutermostCallDepth(const CallFrame* frame, const CallFrame* resolved) {
  return frame == resolved ? Dependences::kNoCall : DepthOf(resolved) + 1;
}

/// What is known of one integer.
struct IntegerValue {
  /// Its value, if that is a function of the index.
  std::optional<simplifier::Sum> sum;
  /// Bounds of its value.
  simplifier::Interval range;
  /// The depth of the outermost call one of whose operands was looked at (Dependences).
  size_t outermost_call_depth = Dependences::kNoCall;
};

/// The element at `index` of an integer or pred array.
///
/// Example: iota dimension 0 of s32[8,2] at (d0, d1) -> d0 in [0, 7]
IntegerValue KnownInteger(simplifier::DigitContext& digits, CalledInstruction called,
                          llvm::ArrayRef<simplifier::Sum> index);

/// The same of an element of a tuple, which is an array: the tuple may be what a call gives.
IntegerValue KnownElement(simplifier::DigitContext& digits, CalledInstruction tuple,
                          int64_t element, llvm::ArrayRef<simplifier::Sum> index);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_INTEGER_VALUES_H_
