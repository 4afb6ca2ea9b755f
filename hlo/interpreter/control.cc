// Tuples, calls, control flow, asynchronous operations, and what has no value inside a program.
#include "absl/strings/str_cat.h"
#include "hlo/async.h"
#include "hlo/custom_call_targets.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// true is branch 0; a number outside of the branches is the last one.
size_t ChosenBranch(const ArrayValue& selector, size_t num_branches) {
  const int64_t value = selector.Integer(0);
  if (selector.type() == ElementType::kPred) return value != 0 ? 0 : 1;
  const bool is_inside = value >= 0 && value < static_cast<int64_t>(num_branches);
  return is_inside ? static_cast<size_t>(value) : num_branches - 1;
}

// Runs a branch on the devices of these slots.
bool RunBranch(GroupEvaluation& e, const Computation& branch, size_t number,
               llvm::ArrayRef<size_t> slots, std::vector<Value>& results) {
  llvm::SmallVector<int64_t, 8> devices;
  std::vector<Arguments> arguments;
  for (const size_t slot : slots) {
    devices.push_back(e.devices()[slot]);
    arguments.push_back({e.operands(slot)[number + 1]});
  }
  return e.session().RunComputation(e.instruction(), branch, devices, arguments, results);
}

// What a conditional gives depends on the selector and, as far as anybody can tell before it runs,
// on every branch: a trace runs them all.
bool TraceBranches(GroupEvaluation& e, llvm::ArrayRef<const Computation*> branches) {
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    const ArrayValue& selector = e.operands(slot)[0].array();
    const size_t chosen = ChosenBranch(selector, branches.size());
    std::vector<std::vector<Value>> results(branches.size());
    for (size_t b = 0; b < branches.size(); ++b) {
      if (!RunBranch(e, *branches[b], b, slot, results[b])) return false;
    }
    Value value = results[chosen].front();
    for (size_t b = 0; b < branches.size(); ++b) {
      if (b == chosen) continue;
      if (!AddSourcesOf(e.session(), e.instruction(), results[b].front(), value)) return false;
    }
    if (!AddSources(e.session(), e.instruction(), selector.SourcesOf(0), value)) return false;
    e.results()[slot] = std::move(value);
  }
  return true;
}

// ((operands), result, ...) with the result if every parameter is bound, and 0 before that.
bool BindAsync(GroupEvaluation& e, const Computation& callee,
               llvm::ArrayRef<std::vector<Value>> bound) {
  const Shape& shape = e.instruction().shape();
  const bool is_complete = bound.front().size() == callee.parameters().size();
  std::vector<Value> outputs(e.devices().size());
  if (is_complete &&
      !e.session().RunComputation(e.instruction(), callee, e.devices(), bound, outputs)) {
    return false;
  }
  for (size_t slot = 0; slot < bound.size(); ++slot) {
    std::vector<Value> elements = {Value::Tuple(shape.elements()[0], bound[slot])};
    for (size_t i = 1; i < shape.elements().size(); ++i) {
      Value value = outputs[slot];
      const bool is_zero = i > 1 || !is_complete;
      if (is_zero && !e.session().ZeroValue(e.instruction(), *shape.elements()[i], value)) {
        return false;
      }
      elements.push_back(std::move(value));
    }
    e.results()[slot] = Value::Tuple(&shape, std::move(elements));
  }
  return true;
}

}  // namespace

bool Tuple(Evaluation& e) {
  std::vector<Value> elements;
  for (size_t i = 0; i < e.num_operands(); ++i) elements.push_back(e.operand(i));
  return e.Return(Value::Tuple(&e.instruction().shape(), std::move(elements)));
}

bool GetTupleElement(Evaluation& e) {
  const int64_t index = e.instruction().Required<int64_t>(AttributeName::kIndex);
  return e.Return(e.operand(0).elements()[static_cast<size_t>(index)]);
}

bool AfterAll(Evaluation& e) { return e.Return(Value::Token(&e.instruction().shape())); }

// (destination, source, context)
bool CopyStart(Evaluation& e) {
  const Shape& shape = e.instruction().shape();
  const Shape& operand = e.instruction().operand(0).shape();
  if (!shape.IsTuple() || shape.elements().size() < 2 ||
      !Compatible(*shape.elements()[0], operand, ShapeAspects::kTypeAndDimensions) ||
      !Compatible(*shape.elements()[1], operand, ShapeAspects::kTypeAndDimensions)) {
    return e.Fail("copy-start must give (destination, source, ...), not " + shape.ToString());
  }
  std::vector<Value> elements = {e.operand(0), e.operand(0)};
  for (const Shape* context : shape.elements().drop_front(2)) {
    if (!e.session().ZeroValue(e.instruction(), *context, elements.emplace_back())) return false;
  }
  return e.Return(Value::Tuple(&shape, std::move(elements)));
}

bool FirstElement(Evaluation& e) { return e.Return(e.operand(0).elements()[0]); }

bool SecondElement(Evaluation& e) { return e.Return(e.operand(0).elements()[1]); }

bool Call(GroupEvaluation& e) {
  const bool is_fusion = e.instruction().opcode() == Opcode::kFusion;
  const Computation& callee =
      *e.instruction().Callee(is_fusion ? AttributeName::kCalls : AttributeName::kToApply);
  std::vector<Arguments> arguments;
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    arguments.emplace_back(e.operands(slot).begin(), e.operands(slot).end());
  }
  return e.session().RunComputation(e.instruction(), callee, e.devices(), arguments, e.results());
}

// Devices leave the loop one by one; what is carried depends on every condition that was evaluated.
bool While(GroupEvaluation& e) {
  const Computation& condition = *e.instruction().Callee(AttributeName::kCondition);
  const Computation& body = *e.instruction().Callee(AttributeName::kBody);
  std::vector<SourceSet> conditions(e.devices().size(), kNoSources);
  std::vector<size_t> slots;
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    e.results()[slot] = e.operands(slot)[0];
    slots.push_back(slot);
  }
  while (!slots.empty()) {
    if (!e.Spend(1)) return false;
    const auto run = [&](const Computation& computation, std::vector<Value>& results) {
      llvm::SmallVector<int64_t, 8> devices;
      std::vector<Arguments> arguments;
      for (const size_t slot : slots) {
        devices.push_back(e.devices()[slot]);
        arguments.push_back({e.results()[slot]});
      }
      return e.session().RunComputation(e.instruction(), computation, devices, arguments, results);
    };
    std::vector<Value> decisions;
    if (!run(condition, decisions)) return false;
    std::vector<size_t> going_on;
    for (size_t i = 0; i < slots.size(); ++i) {
      const Element decision = decisions[i].array().Get(0);
      if (e.session().sources() != nullptr) {
        SourceSet& all = conditions[slots[i]];
        all = e.session().sources()->Union(all, decision.sources);
      }
      if (decision.integer != 0) going_on.push_back(slots[i]);
    }
    slots = std::move(going_on);
    if (slots.empty()) break;
    std::vector<Value> carried;
    if (!run(body, carried)) return false;
    for (size_t i = 0; i < slots.size(); ++i) e.results()[slots[i]] = std::move(carried[i]);
  }
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    if (!AddSources(e.session(), e.instruction(), conditions[slot], e.results()[slot])) {
      return false;
    }
  }
  return true;
}

bool Conditional(GroupEvaluation& e) {
  const llvm::SmallVector<const Computation*, 4> branches = e.instruction().Branches();
  if (e.session().sources() != nullptr) return TraceBranches(e, branches);
  for (size_t b = 0; b < branches.size(); ++b) {
    llvm::SmallVector<size_t, 8> slots;
    for (size_t slot = 0; slot < e.devices().size(); ++slot) {
      const ArrayValue& selector = e.operands(slot)[0].array();
      if (ChosenBranch(selector, branches.size()) == b) slots.push_back(slot);
    }
    if (slots.empty()) continue;
    std::vector<Value> results;
    if (!RunBranch(e, *branches[b], b, slots, results)) return false;
    for (size_t i = 0; i < slots.size(); ++i) e.results()[slots[i]] = std::move(results[i]);
  }
  return true;
}

bool AsyncStart(GroupEvaluation& e) {
  const Computation* callee = e.instruction().Callee(AttributeName::kCalls);
  if (callee == nullptr) return e.FailUnsupported("it names no computation");
  std::vector<std::vector<Value>> bound;
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    bound.emplace_back(e.operands(slot).begin(), e.operands(slot).end());
  }
  return BindAsync(e, *callee, bound);
}

bool AsyncUpdate(GroupEvaluation& e) {
  const Computation* callee = CalleeOfAsync(e.instruction());
  if (callee == nullptr) return e.FailUnsupported("it continues no async-start");
  if (e.operands(0).size() == 1) {
    for (size_t slot = 0; slot < e.devices().size(); ++slot) {
      e.results()[slot] = e.operands(slot)[0];
    }
    return true;
  }
  std::vector<std::vector<Value>> bound;
  for (size_t slot = 0; slot < e.devices().size(); ++slot) {
    std::vector<Value>& values = bound.emplace_back(e.operands(slot)[0].elements()[0].elements());
    values.insert(values.end(), e.operands(slot).begin() + 1, e.operands(slot).end());
  }
  if (bound.front().size() > callee->parameters().size()) {
    return e.Fail("more operands are bound than its computation has parameters");
  }
  return BindAsync(e, *callee, bound);
}

bool AsyncDone(Evaluation& e) {
  const Computation* callee = CalleeOfAsync(e.instruction());
  if (callee == nullptr) return e.FailUnsupported("it ends no async-start");
  const size_t needed = callee->parameters().size();
  const size_t bound = e.operand(0).elements()[0].elements().size();
  if (bound != needed) {
    return e.Fail(absl::StrCat("only ", bound, " of the ", needed,
                               " parameters of its computation are bound"));
  }
  return e.Return(e.operand(0).elements()[1]);
}

namespace {

// Whether the call may be XLA's own TopK: an array of numbers that can be ordered, and its k
// largest with their indices.
bool IsTopK(Evaluation& e) {
  const Shape& result = e.instruction().shape();
  if (e.num_operands() != 1 || !e.operand(0).IsArray() || !result.IsTuple()) return false;
  const Shape& operand = e.operand(0).shape();
  if (operand.rank() == 0 || ClassOf(operand.element_type()) == ElementClass::kComplex ||
      result.elements().size() != 2) {
    return false;
  }
  const Shape& values = *result.elements()[0];
  const Shape& indices = *result.elements()[1];
  return values.IsArray() && indices.IsArray() && values.element_type() == operand.element_type() &&
         indices.element_type() == ElementType::kS32 && values.sizes() == indices.sizes() &&
         values.rank() == operand.rank() &&
         values.sizes().drop_back() == operand.sizes().drop_back() && values.sizes().back() >= 0 &&
         values.sizes().back() <= operand.sizes().back();
}

}  // namespace

// Annotations give their operand; XLA writes a top-k of its own as a call, too.
bool CustomCall(Evaluation& e) {
  const Instruction& call = e.instruction();
  const auto quoted = call.Get<QuotedString>(AttributeName::kCustomCallTarget);
  const std::string target = quoted ? quoted->Unescape() : std::string();
  // Nobody has checked what a custom call is given.
  if (llvm::is_contained(IdentityCustomCallTargets(), target) && e.num_operands() == 1 &&
      Compatible(e.operand(0).shape(), call.shape(), ShapeAspects::kTypeAndDimensions)) {
    return Identity(e);
  }
  if (target == "TopK" && IsTopK(e)) {
    return SelectTopK(e, call.shape().elements()[0]->sizes().back(), /*is_largest=*/true);
  }
  return e.FailUnsupported("what the custom call \"" + target + "\" computes is not known");
}

// Nothing inside of the program says what these give.
bool OutsideWorld(Evaluation& e) {
  switch (e.instruction().opcode()) {
    case Opcode::kRng:
      return e.FailUnsupported(
          "rng has no stated algorithm or seed; rng-bit-generator and what is made of it have");
    case Opcode::kRngGetAndUpdateState:
      return e.FailUnsupported("its state outlives a run and has no stated beginning");
    default:
      return e.FailUnsupported(OpcodeName(e.instruction().opcode()).str() +
                               " exchanges values with the outside");
  }
}

}  // namespace hlo_indexing::hlo::evaluate
