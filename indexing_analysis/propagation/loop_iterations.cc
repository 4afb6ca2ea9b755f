#include "indexing_analysis/propagation/loop_iterations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "indexing_analysis/propagation/integer_values.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Shape;

constexpr size_t kMaxIterations = 16;

class Follower {
 public:
  Follower(const Instruction& loop, const CallFrame* frame) : loop_(loop), frame_(frame) {}

  LoopIterations Run() {
    KnownState state = StateOf({&loop_.operand(0), frame_});
    while (iterations_.states.size() <= kMaxIterations) {
      iterations_.states.push_back(std::move(state));
      CallFrame inside = CallFrame::Inside(loop_, frame_, /*operand_of_first_parameter=*/0,
                                           CallFrame::Kind::kIteration);
      inside.state = &iterations_.states.back();
      const std::optional<int64_t> goes_on =
          ValueOf({&Callee(AttributeName::kCondition).root(), &inside});
      iterations_.is_known = goes_on == 0;
      if (!goes_on || *goes_on == 0) break;
      state = StateOf({&Callee(AttributeName::kBody).root(), &inside});
    }
    return std::move(iterations_);
  }

 private:
  const Computation& Callee(AttributeName name) const { return *loop_.Callee(name); }

  // The known integers of a tuple of arrays, or of one array.
  KnownState StateOf(const CalledInstruction& called) {
    const Shape& shape = loop_.shape();
    KnownState state;
    state.values.resize(static_cast<size_t>(shape.num_array_leaves()));
    if (shape.IsArray()) {
      state.values.front() = ValueOf(called);
    } else if (static_cast<int64_t>(shape.elements().size()) == shape.num_array_leaves()) {
      for (size_t i = 0; i < state.values.size(); ++i) {
        if (!shape.elements()[i]->IsScalar()) continue;
        simplifier::DigitContext digits;
        state.values[i] = Known(KnownElement(digits, called, static_cast<int64_t>(i), {}));
      }
    }
    state.outermost_call_depth = iterations_.outermost_call_depth;
    return state;
  }

  std::optional<int64_t> ValueOf(const CalledInstruction& called) {
    if (!called.instruction->shape().IsScalar()) return std::nullopt;
    simplifier::DigitContext digits;
    return Known(KnownInteger(digits, called, {}));
  }

  std::optional<int64_t> Known(const IntegerValue& value) {
    Depend(value.outermost_call_depth);
    if (!value.sum || !value.sum->IsConstant()) return std::nullopt;
    return value.sum->constant;
  }

  void Depend(size_t outermost_call_depth) {
    iterations_.outermost_call_depth =
        std::min(iterations_.outermost_call_depth, outermost_call_depth);
  }

  const Instruction& loop_;
  const CallFrame* frame_;
  LoopIterations iterations_;
};

}  // namespace

LoopIterations FollowIterations(const Instruction& loop, const CallFrame* frame) {
  return Follower(loop, frame).Run();
}

}  // namespace hlo_indexing::indexing_analysis
