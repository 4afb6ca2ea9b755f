#include "indexing_analysis/propagation/transfer.h"

#include <optional>
#include <string>
#include <utility>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;
using hlo::Shape;

namespace {

// Whether every operand is an array with the dimensions of the output, which is one.
bool OperandsHaveShapeOfOutput(const Instruction& elementwise) {
  const Shape& output = elementwise.shape();
  return output.IsArray() && llvm::all_of(elementwise.operands(), [&](const Instruction* operand) {
           return operand->shape().IsArray() && operand->shape().rank() == output.rank();
         });
}

}  // namespace

// Adds what a rule finds to what has reached the operands.
class TransferFunctions::Sink : public ReadSink {
 public:
  Sink(TransferFunctions& transfer, DigitContext& digits, const Application& application,
       const Access& incoming)
      : query_(transfer.query_),
        transfer_(transfer),
        digits_(digits),
        application_(application),
        incoming_(incoming) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    const std::string reason = Canonicalize(digits_, query_.options, access);
    if (access.map.empty) return;
    AccessInterner& interner = query_.memory.accesses;
    const BoundAccess bound = &digits_ == &transfer_.large_.digits
                                  ? interner.Intern(std::move(access), transfer_.large_.to_interned)
                                  : interner.Intern(std::move(access));
    const AccessSet::Entry& entry = application_.entry;
    AccessSet::Entry read = {query_.accesses.Bind(bound),
                             reason.empty() ? entry.reason : query_.Intern(reason), entry.outputs};
    if (IsInWholeLoop(application_.frame)) {
      const Shape& shape = application_.instruction.operand(operand).shape();
      transfer_.widening_.WidenInLoop(read, shape.ArrayLeaf(leaf));
    }
    Target(operand, leaf).Add(query_.outputs, read);
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    Target(operand, leaf).Add(query_.outputs, application_.entry);
  }
  void ReadUnknown(std::string reason) override {
    AddUnknownToOperands(query_, application_.instruction, query_.Intern(reason),
                         application_.entry.outputs, application_.operands);
  }
  Sum RuntimeValue(const Instruction& operand, llvm::ArrayRef<Sum> index, Interval bounds,
                   Access& access) override {
    const RuntimeValues::Value value = query_.values.ValueOf(digits_, operand, index, bounds,
                                                             application_.frame, incoming_, access);
    dependences_ |= Dependences{.outermost_call_depth = value.outermost_call_depth};
    return value.sum;
  }
  Sum ExecutingDevice(Access& access) override {
    return query_.values.ExecutingDevice(digits_, access);
  }
  const DeviceCounts& devices() override { return query_.devices; }
  void Compose(const IndexingMap& map, Access& access) override {
    query_.values.Compose(digits_, map, access);
  }
  const CustomCallRegistry* custom_calls() override { return query_.options.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return query_.mlir_context; }

  const Dependences& dependences() const { return dependences_; }

 private:
  AccessSet& Target(size_t operand, int64_t leaf) {
    const Shape& shape = application_.instruction.operand(operand).shape();
    return SetOfLeaf(*application_.operands(operand), shape, leaf);
  }

  Query& query_;
  TransferFunctions& transfer_;
  DigitContext& digits_;
  const Application& application_;
  const Access& incoming_;
  Dependences dependences_;
};

Dependences TransferFunctions::Apply(const Instruction& instruction, int64_t leaf,
                                     const AccessSet& accesses, const CallFrame* frame,
                                     OperandSets operands) {
  if (accesses.entries().empty()) return {};
  OutputSets& sets = query_.outputs;
  if (const Shape* unbounded = FindUnbounded(instruction, leaf)) {
    AddUnknownToOperands(query_, instruction, query_.Intern(UnboundedReason(*unbounded)),
                         accesses.Outputs(sets), operands);
    return {};
  }
  const RuleTraits& traits = TraitsOf(instruction.opcode());
  if (traits.is_elementwise && OperandsHaveShapeOfOutput(instruction)) {
    query_.steps += static_cast<int64_t>(accesses.entries().size());
    for (size_t i = 0; i < instruction.operands().size(); ++i) {
      SetOfLeaf(*operands(i), instruction.operand(i).shape(), 0).AddAll(sets, accesses);
    }
    return {};
  }
  if (traits.forwarding != Forwarding::kNone) {
    if (const std::optional<OperandArray> from = ForwardedOperand(instruction, leaf)) {
      const Shape& shape = instruction.operand(from->operand).shape();
      SetOfLeaf(*operands(from->operand), shape, from->leaf).AddAll(sets, accesses);
    }
    return {};
  }
  // The instruction of the query is memoized as a whole.
  const InstructionClass* const instruction_class =
      frame == nullptr ? nullptr : ClassOf(instruction, leaf);
  Dependences dependences;
  for (const AccessSet::Entry& entry : accesses.entries()) {
    ++query_.steps;
    const Application application = {instruction, leaf, frame, entry, operands};
    const bool is_found = instruction_class != nullptr && !entry.access->interned->is_large &&
                          AddRuleResults(*instruction_class, application);
    if (!is_found) dependences |= ApplyRule(application);
  }
  return dependences;
}

// The class of an instruction that shares its maps with all others of the class.
const InstructionClass* TransferFunctions::ClassOf(const Instruction& instruction, int64_t leaf) {
  const InstructionClass* instruction_class = query_.memory.classes.Of(instruction, leaf);
  const bool shares_maps =
      instruction_class != nullptr && instruction_class->shareable == Shareable::kMaps;
  return shares_maps ? instruction_class : nullptr;
}

// False if the rule has to be applied in this query.
bool TransferFunctions::AddRuleResults(const InstructionClass& instruction_class,
                                       const Application& application) {
  const auto& [instruction, leaf, frame, entry, operands] = application;
  const RuleReads* reads = query_.memory.rules.Find(instruction_class, instruction, leaf,
                                                    query_.devices, *entry.access->interned);
  if (reads == nullptr) return false;
  for (const RuleRead& read : *reads) {
    const Shape& shape = instruction.operand(read.operand).shape();
    AccessSet::Entry found = entry;
    const bool is_same_index = read.access.interned == nullptr;
    if (!is_same_index) found.access = BindDerived(query_, read.access, *entry.access);
    if (!read.reason.empty()) found.reason = read.reason;
    if (!is_same_index && IsInWholeLoop(frame)) {
      widening_.WidenInLoop(found, shape.ArrayLeaf(read.leaf));
    }
    SetOfLeaf(*operands(read.operand), shape, read.leaf).Add(query_.outputs, found);
  }
  return true;
}

Dependences TransferFunctions::ApplyRule(const Application& application) {
  const BoundAccess& access = *application.entry.access;
  const bool is_large = access.interned->is_large;
  DigitContext own;
  DigitContext& digits = is_large ? large_.digits : own;
  const Access incoming =
      is_large ? CopyTo(digits, large_.from_interned, access) : CopyTo(digits, access);
  const simplifier::FactScope facts(digits, incoming.map.constraints);
  Sink sink(*this, digits, application, incoming);
  ReadContext context(application.instruction, application.leaf, incoming, digits, sink);
  ReadRuleOf(application.instruction.opcode())(context);
  Dependences dependences = sink.dependences();
  dependences.on_query |= is_large;
  return dependences;
}

const BoundAccess* BindDerived(Query& query, const BoundAccess& derived, const BoundAccess& from) {
  llvm::SmallVector<uint32_t, 2> runtime;
  for (const uint32_t position : derived.runtime) runtime.push_back(from.runtime[position]);
  return query.accesses.Bind(*derived.interned, runtime);
}

void AddUnknownToOperands(Query& query, const Instruction& instruction, llvm::StringRef reason,
                          OutputSet outputs, OperandSets operands) {
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Shape& shape = instruction.operand(i).shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      SetOfLeaf(*operands(i), shape, leaf).AddUnknown(query.outputs, reason, outputs);
    }
  }
}

}  // namespace hlo_indexing::indexing_analysis
