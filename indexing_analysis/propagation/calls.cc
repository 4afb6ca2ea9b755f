#include "indexing_analysis/propagation/calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/propagation/propagation.h"
#include "indexing_analysis/propagation/trace.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Computation;
using hlo::Instruction;
using hlo::Shape;

CallPropagation::CallPropagation(Query& query, Propagator& propagator)
    : query_(query), propagator_(propagator) {}

Dependences CallPropagation::PropagateCall(const Instruction& call, const Computation& callee,
                                           const AccessSets& result, const CallFrame* frame,
                                           OperandSets operands) {
  return PropagateCallee(callee, result, CallFrame::Inside(call, frame), call.operands().size(),
                         operands);
}

// A computation is propagated through once for each way in which its result is reached:
// computations that call each other twice in a row would take exponential time otherwise.
Dependences CallPropagation::PropagateCallee(const Computation& callee, const AccessSets& result,
                                             const CallFrame& inside, size_t num_operands,
                                             OperandSets operands) {
  const Dependences dependences = AddCallee(callee, result, inside, num_operands, operands);
  if (inside.caller == nullptr) return dependences;
  const size_t num_parameters = std::min(num_operands, callee.parameters().size());
  for (size_t i = 0; i < num_parameters; ++i) {
    propagator_.WidenOperandOfNestedCall(callee.parameters()[i]->shape(), *operands(i));
  }
  return dependences;
}

Dependences CallPropagation::AddCallee(const Computation& callee, const AccessSets& result,
                                       const CallFrame& inside, size_t num_operands,
                                       OperandSets operands) {
  const CallNumbering numbering(query_.outputs, result);
  const CallFrame* const frame = inside.caller;
  CallKey key = {&callee,     num_operands,   IsInLoop(frame), IsInWholeLoop(frame),
                 /*depth=*/0, query_.identity};
  MemoizedCall& shared = query_.memory.calls.Find(key, numbering);
  if (inside.depth >= shared.min_depth && propagator_.MayNest(frame, shared.dependences.nesting) &&
      AddMemoized(shared, callee, numbering, inside, operands)) {
    return shared.dependences;
  }
  // What is cut by how deep calls nest is cut elsewhere if they are nested less deep.
  key.depth = DepthOf(frame);
  if (!own_summaries_) {
    own_summaries_.emplace(!query_.IsDisabled(MemoTable::kQueryCallSummaries));
  }
  MemoizedCall& own = own_summaries_->Find(key, numbering);
  if (AddMemoized(own, callee, numbering, inside, operands)) return own.dependences;
  query_.steps += kStepsOfCall;
  const uint32_t first_inside = query_.values.NextNumber();
  const CallSummary summary = Summarize(callee, result, inside, num_operands);
  for (size_t i = 0; i < summary.parameters.size(); ++i) {
    const AccessSets& parameter = summary.parameters[i];
    if (parameter.empty()) continue;
    AddAll(query_.outputs, parameter, callee.parameters()[i]->shape(), *operands(i));
  }
  const Dependences& dependences = summary.dependences;
  if (dependences.on_query && !IsKnownEverywhere(shared) && IsUnknown(summary)) {
    MemoizeUnknown(summary, numbering, inside, shared);
    return dependences;
  }
  MemoizedCall& memoized = dependences.on_query ? own : shared;
  const bool holds_elsewhere =
      !dependences.OnValuesGivenTo(inside.depth) && !IsKnownEverywhere(memoized) &&
      query_.values.AreFoundAgain(summary.parameters, numbering.given_values(), first_inside);
  if (holds_elsewhere) {
    const size_t num_calls = CallsTo(&inside).size();
    const auto path_of = [&](uint32_t number) { return query_.values.PathOf(number, num_calls); };
    memoized.Clear();
    Memoize(summary.parameters, dependences, numbering, path_of, memoized);
  }
  return dependences;
}

// Calls that nest without end would each be followed to the limit otherwise.
void CallPropagation::MemoizeUnknown(const CallSummary& summary, const CallNumbering& numbering,
                                     const CallFrame& inside, MemoizedCall& shared) {
  if (summary.dependences.OnValuesGivenTo(inside.depth)) return;
  shared.Clear();
  Memoize(
      summary.parameters, {.nesting = 1, .on_query = true}, numbering,
      [](uint32_t) { return ValuePath(); }, shared);
  shared.min_depth = inside.depth;
}

CallSummary CallPropagation::Summarize(const Computation& callee, const AccessSets& result,
                                       const CallFrame& inside, size_t num_operands) {
  CallSummary summary;
  summary.parameters.resize(callee.parameters().size());
  summary.dependences =
      propagator_
          .PropagateComputation(callee, result, inside,
                                [&](size_t parameter) { return &summary.parameters[parameter]; })
          .OfCall(inside.depth);
  // What async-update binds to further parameters is no operand of its start.
  if (summary.parameters.size() > num_operands) summary.parameters.resize(num_operands);
  return summary;
}

// Whether what is known holds for calls at any depth.
bool CallPropagation::IsKnownEverywhere(const MemoizedCall& call) {
  return call.is_known && call.min_depth == 0;
}

// Whether anything is known and its values can be told from others.
bool CallPropagation::AddMemoized(const MemoizedCall& call, const Computation& callee,
                                  const CallNumbering& numbering, const CallFrame& inside,
                                  OperandSets operands) {
  if (!call.is_known) return false;
  llvm::SmallVector<uint32_t, 4> values;
  for (const ValuePath& path : call.values) {
    std::vector<const Instruction*> whole = CallsTo(&inside);
    whole.insert(whole.end(), path.begin(), path.end());
    // Numbers are in the order in which values have been met.
    const uint32_t next = query_.values.NextNumber();
    values.push_back(query_.values.NumberOf(whole));
    if (values.back() != next) return false;
  }
  Recall(call, callee, numbering, values, query_.accesses, operands);
  if (query_.trace != nullptr) query_.trace->MarkRepeated(*inside.call);
  return true;
}

// ((operands), result, context): the operands are forwarded, the result is the computation's.
Dependences CallPropagation::PropagateAsyncStart(const Instruction& start, const AccessSets& output,
                                                 const CallFrame* frame, OperandSets operands) {
  const Shape& shape = start.shape();
  const Computation* callee = CalleeOf(start);
  OutputSets& sets = query_.outputs;
  AccessSets of_result;
  for (size_t k = 0; k < output.size(); ++k) {
    if (output[k].IsEmpty()) continue;
    if (callee == nullptr || !shape.IsTuple() || shape.elements().size() < 2) {
      AddUnknownToOperands(query_, start, "async-start without a computation",
                           output[k].Outputs(sets), operands);
      continue;
    }
    auto leaf = static_cast<int64_t>(k);
    const int64_t element = shape.ElementOfLeaf(leaf);
    leaf -= shape.FirstLeafOfElement(element);
    if (element == 1) SetOfLeaf(of_result, callee->root().shape(), leaf) = output[k];
    if (element != 0) continue;
    const Shape& forwarded = *shape.elements()[0];
    const int64_t operand = forwarded.ElementOfLeaf(leaf);
    AccessSet& target = SetOfLeaf(*operands(static_cast<size_t>(operand)),
                                  start.operand(static_cast<size_t>(operand)).shape(),
                                  leaf - forwarded.FirstLeafOfElement(operand));
    for (const AccessSet::Entry& entry : output[k].entries()) target.Add(sets, entry);
  }
  if (of_result.empty()) return {};
  return PropagateCall(start, *callee, of_result, frame, operands);
}

// Every branch, as any of them may run, and the selector.
Dependences CallPropagation::PropagateConditional(const Instruction& conditional,
                                                  const AccessSets& output, const CallFrame* frame,
                                                  OperandSets operands) {
  AccessSet& of_selector = SetOfLeaf(*operands(0), conditional.operand(0).shape(), 0);
  for (const AccessSet& array : output) propagator_.AddScalarAccesses(array, of_selector);
  const auto branches = conditional.Branches();
  Dependences dependences;
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    const CallFrame inside = CallFrame::Inside(conditional, frame, branch + 1);
    dependences |= PropagateCallee(*branches[branch], output, inside, /*num_operands=*/1,
                                   [&](size_t) { return operands(branch + 1); });
  }
  return dependences;
}

}  // namespace hlo_indexing::indexing_analysis
