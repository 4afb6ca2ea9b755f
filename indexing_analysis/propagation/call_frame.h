// Where in nested calls propagation is, and what its findings there depend on. Private to the
// folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_FRAME_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_FRAME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// What is known of the state of a loop before one of its iterations.
struct KnownState {
  /// By array: its value, if it is a known integer.
  llvm::SmallVector<std::optional<int64_t>, 8> values;
  /// The depth of the outermost call one of whose operands was looked at for them (Dependences).
  size_t outermost_call_depth = SIZE_MAX;
};

/// One level of computations that are called. The outermost call is the instruction of the query.
struct CallFrame {
  enum class Kind : uint8_t {
    kOnce,       // the computation runs once for each run of the call
    kLoop,       // it runs several times, each time on other values
    kIteration,  // the same, but this frame is one of them
  };

  const hlo::Instruction* call = nullptr;
  const CallFrame* caller = nullptr;
  /// The operand of the call that parameter 0 of the computation stands for.
  size_t first_operand = 0;
  /// How many computations are nested, this one included.
  size_t depth = 1;
  bool is_loop = false;
  /// Whether this level or one around it is a loop.
  bool is_in_loop = false;
  /// Whether a loop here or around is taken as a whole, whatever the number of its iterations.
  bool is_in_whole_loop = false;
  /// Of one iteration: what is known of the state before it.
  const KnownState* state = nullptr;

  /// The frame of a computation that an instruction in `outer` calls.
  static CallFrame Inside(const hlo::Instruction& instruction, const CallFrame* outer,
                          size_t operand_of_first_parameter = 0, Kind kind = Kind::kOnce) {
    CallFrame frame;
    frame.call = &instruction;
    frame.caller = outer;
    frame.first_operand = operand_of_first_parameter;
    frame.is_loop = kind != Kind::kOnce;
    frame.is_in_loop = frame.is_loop;
    frame.is_in_whole_loop = kind == Kind::kLoop;
    if (outer != nullptr) {
      frame.depth = outer->depth + 1;
      frame.is_in_loop |= outer->is_in_loop;
      frame.is_in_whole_loop |= outer->is_in_whole_loop;
    }
    return frame;
  }
};

/// How many computations an instruction there is nested in; 0 for the instruction of the query,
/// whose frame is null.
inline size_t DepthOf(const CallFrame* frame) { return frame == nullptr ? 0 : frame->depth; }

inline bool IsInLoop(const CallFrame* frame) { return frame != nullptr && frame->is_in_loop; }
inline bool IsInWholeLoop(const CallFrame* frame) {
  return frame != nullptr && frame->is_in_whole_loop;
}

/// The calls that lead to what a frame holds, outermost first, without the instruction of the
/// query.
inline std::vector<const hlo::Instruction*> CallsTo(const CallFrame* frame) {
  std::vector<const hlo::Instruction*> calls;
  for (; frame != nullptr && frame->caller != nullptr; frame = frame->caller) {
    calls.push_back(frame->call);
  }
  std::reverse(calls.begin(), calls.end());
  return calls;
}

/// What the reads that propagation finds depend on, apart from the accesses that it started from.
/// Example: inside a call at depth 2, a dynamic-slice whose start is parameter 1 makes the reads
/// depend on what the caller gives: outermost_call_depth is 2, and the summary holds for this call
/// only.
struct Dependences {
  static constexpr size_t kNoCall = SIZE_MAX;

  /// The depth of the outermost call one of whose operands has been looked at for its value: 1 for
  /// the instruction of the query, from inside the computation that it calls, 0 for its own rule.
  /// kNoCall if none has.
  size_t outermost_call_depth = kNoCall;
  /// How many computations are propagated through, one in the other, below the start.
  size_t nesting = 0;
  /// Whether another query might find something else: a limit has been met, or accesses are so
  /// large that the query works on them in a context of its own.
  bool on_query = false;

  /// Whether the reads of a call at that depth depend on values that it is given.
  bool OnValuesGivenTo(size_t call_depth) const { return outermost_call_depth <= call_depth; }

  /// Adds those of another part at the same depth.
  Dependences& operator|=(const Dependences& other) {
    outermost_call_depth = std::min(outermost_call_depth, other.outermost_call_depth);
    nesting = std::max(nesting, other.nesting);
    on_query |= other.on_query;
    return *this;
  }
  /// Those of a computation, as dependences of the call of that depth. Values that calls inside it
  /// give each other count no more: where the call is nested deeper, these have other depths.
  Dependences OfCall(size_t call_depth) const {
    Dependences result = *this;
    ++result.nesting;
    if (!OnValuesGivenTo(call_depth)) result.outermost_call_depth = kNoCall;
    return result;
  }
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALL_FRAME_H_
