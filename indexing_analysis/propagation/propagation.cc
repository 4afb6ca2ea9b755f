#include "indexing_analysis/propagation/propagation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/propagation/trace.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

Propagator::Propagator(Query& query)
    : query_(query),
      widening_(query),
      transfer_(query, widening_),
      calls_(query, *this),
      loops_(query, widening_, *this) {}

Dependences Propagator::PropagateComputation(const Computation& computation, AccessSets root,
                                             const CallFrame& frame, OperandSets parameters) {
  return PropagateToParameters(computation.root(), std::move(root), {}, &frame, parameters);
}

Dependences Propagator::PropagateToParameters(const Instruction& start, AccessSets accesses,
                                              llvm::ArrayRef<const Instruction*> available,
                                              const CallFrame* frame, OperandSets parameters) {
  const Computation& computation = start.parent();
  const auto last = static_cast<unsigned>(start.index());
  // By the position of the instruction. Not on the stack, of which each nested call takes its
  // share.
  std::vector<AccessSets> outputs(last + 1);
  llvm::BitVector is_reached(last + 1);
  outputs[last] = std::move(accesses);
  is_reached.set(last);
  Dependences dependences;
  for (int i = static_cast<int>(last); i >= 0; i = is_reached.find_prev(static_cast<unsigned>(i))) {
    const Instruction& instruction = *computation.instructions()[static_cast<size_t>(i)];
    AccessSets& output = outputs[static_cast<size_t>(i)];
    if (output.empty()) continue;
    if (const auto* const end = llvm::find(available, &instruction); end != available.end()) {
      RestrictToArrays(output, instruction.shape());
      const size_t number = computation.parameters().size() + (end - available.begin());
      AddAll(query_.outputs, output, instruction.shape(), *parameters(number));
      continue;
    }
    if (instruction.opcode() == Opcode::kParameter) {
      RestrictToArrays(output, instruction.shape());
      if (query_.trace != nullptr) query_.trace->AddAll(query_, instruction, frame, output);
      AddAll(query_.outputs, output, instruction.shape(),
             *parameters(static_cast<size_t>(instruction.parameter_number())));
      continue;
    }
    const auto operands = [&](size_t operand) {
      const auto number = static_cast<unsigned>(instruction.operand(operand).index());
      is_reached.set(number);
      return &outputs[number];
    };
    dependences |= PropagateInstruction(instruction, output, frame, operands);
    output.clear();
  }
  return dependences;
}

Dependences Propagator::PropagateInstruction(const Instruction& instruction, AccessSets& output,
                                             const CallFrame* frame, OperandSets operands) {
  const bool has_control_flow = HasControlFlow(instruction);
  Dependences dependences;
  // What has reached arrays that read alike goes on together.
  auto* const find_alike = TraitsOf(instruction.opcode()).first_alike;
  std::vector<size_t> first_alike;
  if (find_alike != nullptr && output.size() > 1) first_alike = find_alike(instruction);
  AccessSets joined(first_alike.size());
  for (size_t k = 0; k < output.size(); ++k) {
    if (output[k].IsEmpty()) continue;
    const auto leaf = static_cast<int64_t>(k);
    const Shape& shape = instruction.shape().ArrayLeaf(leaf);
    widening_.RestrictToArray(output[k], shape);
    widening_.RemoveSubsumed(output[k], shape);
    // Where a computation is asked for by itself, no call leads to it.
    const CallFrame outermost;
    dependences.on_query |=
        widening_.WidenBeyondLimits(output[k], shape, frame != nullptr ? *frame : outermost);
    PropagateUnknown(instruction, leaf, output[k], operands);
    if (query_.trace != nullptr) query_.trace->Add(query_, instruction, leaf, frame, output[k]);
    output[k].ClearUnknown();
    if (has_control_flow) continue;
    if (first_alike.empty()) {
      dependences |= transfer_.Apply(instruction, leaf, output[k], frame, operands);
    } else {
      joined[first_alike[k]].AddAll(query_.outputs, output[k]);
    }
  }
  for (size_t k = 0; k < joined.size(); ++k) {
    const auto leaf = static_cast<int64_t>(k);
    dependences |= transfer_.Apply(instruction, leaf, joined[k], frame, operands);
  }
  if (!has_control_flow) return dependences;
  if (frame != nullptr && widening_.IsBeyondSteps()) {
    PropagateByArrays(instruction, output, operands);
    dependences.on_query = true;
    return dependences;
  }
  if (MayNest(frame, 1)) {
    dependences |= PropagateControlFlow(instruction, output, frame, operands);
    // Even if no computation is propagated through in the end: one level deeper this would be cut.
    dependences.nesting = std::max<size_t>(dependences.nesting, 1);
    return dependences;
  }
  OutputSet outputs = kNoOutputs;
  for (const AccessSet& array : output) {
    outputs = query_.outputs.Union(outputs, array.Outputs(query_.outputs));
  }
  const std::string limit = std::to_string(query_.options.max_call_depth);
  AddUnknownToOperands(query_, instruction,
                       query_.Intern("calls nest deeper than " + limit + " levels"), outputs,
                       operands);
  dependences.on_query = true;
  return dependences;
}

Dependences Propagator::PropagateControlFlow(const Instruction& instruction,
                                             const AccessSets& output, const CallFrame* frame,
                                             OperandSets operands) {
  switch (TraitsOf(instruction.opcode()).control_flow) {
    case ControlFlow::kAsyncStart:
      return calls_.PropagateAsyncStart(instruction, output, frame, operands);
    case ControlFlow::kConditional:
      return calls_.PropagateConditional(instruction, output, frame, operands);
    case ControlFlow::kWhile:
      return loops_.Propagate(instruction, output, frame, operands);
    case ControlFlow::kNone:
    case ControlFlow::kCall:
    case ControlFlow::kFusion:
      break;
  }
  return calls_.PropagateCall(instruction, *CalleeOf(instruction), output, frame, operands);
}

// Each array that an array of the output depends on counts as read whole.
void Propagator::PropagateByArrays(const Instruction& instruction, const AccessSets& output,
                                   OperandSets operands) {
  OutputSets& sets = query_.outputs;
  const llvm::StringRef reason = query_.Intern(widening_.ReasonOfSteps());
  for (size_t k = 0; k < output.size(); ++k) {
    if (output[k].IsEmpty()) continue;
    const OutputSet outputs = output[k].Outputs(sets);
    const ArrayReads reads = query_.array_reads.ReadsOf(instruction, static_cast<int64_t>(k));
    const OutputSet with_device =
        reads.reaches_other_devices ? outputs : output[k].OutputsWithDevice(sets);
    for (const auto& [operand, leaf] : reads.arrays) {
      const Shape& shape = instruction.operand(operand).shape();
      AccessSet& target = SetOfLeaf(*operands(operand), shape, leaf);
      widening_.AddWholeArray(target, shape.ArrayLeaf(leaf), reason, outputs, with_device);
    }
  }
}

// An array of whose elements nobody knows which are read: nobody knows of those that it reads
// either.
void Propagator::PropagateUnknown(const Instruction& instruction, int64_t leaf,
                                  const AccessSet& accesses, OperandSets operands) {
  if (accesses.unknown().empty()) return;
  const ArrayReads reads = query_.array_reads.ReadsOf(instruction, leaf);
  for (const auto& [operand, operand_leaf] : reads.arrays) {
    AccessSet& target =
        SetOfLeaf(*operands(operand), instruction.operand(operand).shape(), operand_leaf);
    for (const AccessSet::Unknown& unknown : accesses.unknown()) {
      target.AddUnknown(query_.outputs, unknown.reason, unknown.outputs);
    }
  }
}

void Propagator::AddScalarAccesses(const AccessSet& accesses, AccessSet& scalar) {
  for (const AccessSet::Entry& entry : accesses.entries()) {
    const BoundAccess* access =
        BindDerived(query_, query_.memory.rules.Scalar(*entry.access->interned), *entry.access);
    scalar.Add(query_.outputs, {access, entry.reason, entry.outputs});
  }
}

bool Propagator::MayNest(const CallFrame* frame, size_t depth) const {
  return frame == nullptr ||
         static_cast<int64_t>(frame->depth + depth) <= query_.options.max_call_depth;
}

void Propagator::WidenOperandOfNestedCall(const Shape& shape, AccessSets& arrays) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    widening_.WidenOperandOfNestedCall(arrays[k], shape.ArrayLeaf(static_cast<int64_t>(k)));
  }
}

void Propagator::RestrictToArrays(AccessSets& arrays, const Shape& shape) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].IsEmpty()) continue;
    widening_.RestrictToArray(arrays[k], shape.ArrayLeaf(static_cast<int64_t>(k)));
  }
}

void Propagator::RemoveSubsumed(AccessSets& arrays, const Shape& shape) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].IsEmpty()) continue;
    widening_.RemoveSubsumed(arrays[k], shape.ArrayLeaf(static_cast<int64_t>(k)));
  }
}

Propagation::Propagation(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                         PropagationMemory& memory, ArrayReadsFinder& array_reads,
                         const DeviceCounts& devices, const Instruction& instruction,
                         llvm::ArrayRef<int64_t> output_leaves, Trace* trace)
    : Propagation(mlir_context, options, memory, array_reads, devices, instruction, output_leaves,
                  instruction.operands(), trace) {
  AccessSets accesses = Start();
  if (accesses.empty()) return;
  Propagator propagator(query_);
  dependences_ = propagator.PropagateInstruction(
      instruction, accesses, nullptr, [&](size_t operand) { return &reached_[operand]; });
  Finish(propagator);
}

Propagation::Propagation(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                         PropagationMemory& memory, ArrayReadsFinder& array_reads,
                         const DeviceCounts& devices, const Instruction& instruction,
                         llvm::ArrayRef<int64_t> output_leaves,
                         llvm::ArrayRef<const Instruction*> inputs, Trace* trace)
    : instruction_(instruction),
      inputs_(inputs),
      output_leaves_(output_leaves),
      query_{.mlir_context = mlir_context,
             .options = options,
             .memory = memory,
             .array_reads = array_reads,
             .devices = devices,
             .outputs = OutputSets(output_leaves.size()),
             .values = RuntimeValues(devices.Count()),
             .trace = trace},
      reached_(inputs.size()) {}

Propagation::Propagation(ToParameters, mlir::MLIRContext* mlir_context,
                         const AnalysisOptions& options, PropagationMemory& memory,
                         ArrayReadsFinder& array_reads, const DeviceCounts& devices,
                         const Instruction& instruction, int64_t output_leaf,
                         llvm::ArrayRef<const Instruction*> inputs)
    : Propagation(mlir_context, options, memory, array_reads, devices, instruction, output_leaf,
                  inputs, /*trace=*/nullptr) {
  AccessSets accesses = Start();
  if (accesses.empty()) return;
  Propagator propagator(query_);
  const size_t num_parameters = instruction.parent().parameters().size();
  dependences_ = propagator.PropagateToParameters(instruction, std::move(accesses),
                                                  inputs.drop_front(num_parameters), nullptr,
                                                  [&](size_t input) { return &reached_[input]; });
  Finish(propagator);
}

AccessSets Propagation::Start() {
  AccessSets accesses;
  const Shape& output = instruction_.shape().ArrayLeaf(output_leaves_.front());
  query_.identity = query_.memory.accesses.Identity(output.sizes());
  // Nobody reads anything for an array without elements.
  if (query_.identity == nullptr) return accesses;
  for (size_t i = 0; i < output_leaves_.size(); ++i) {
    SetOfLeaf(accesses, instruction_.shape(), output_leaves_[i])
        .Add(query_.outputs,
             {query_.accesses.Bind(*query_.identity, {}), "", query_.outputs.Single(i)});
  }
  return accesses;
}

void Propagation::Finish(Propagator& propagator) {
  for (size_t i = 0; i < reached_.size(); ++i) {
    propagator.RestrictToArrays(reached_[i], inputs_[i]->shape());
    propagator.RemoveSubsumed(reached_[i], inputs_[i]->shape());
  }
}

}  // namespace hlo_indexing::indexing_analysis
