#include "indexing_analysis/array_reads.h"

#include "indexing_analysis/called_computations.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

namespace hlo_indexing::indexing_analysis {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Collects the arrays that a rule reads.
class ArrayReadsFinder::Sink : public ReadSink {
 public:
  Sink(ArrayReadsFinder& finder, const Instruction& instruction, ArrayReads& reads)
      : finder_(finder), instruction_(instruction), reads_(reads) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    reads_.reaches_other_devices |= access.has_device;
    ReadSameIndex(operand, leaf);
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    reads_.arrays.emplace_back(operand, leaf);
  }
  void ReadUnknown(std::string) override {
    for (size_t i = 0; i < instruction_.operands().size(); ++i) {
      const int64_t leaves = instruction_.operand(i).shape().num_array_leaves();
      for (int64_t leaf = 0; leaf < leaves; ++leaf) ReadSameIndex(i, leaf);
    }
  }
  Sum RuntimeValue(const Instruction&, llvm::ArrayRef<Sum> index, Interval bounds,
                   Access&) override {
    return finder_.digits_.Function(UINT32_MAX, index, bounds);
  }
  Sum OwnDevice(Access&) override {
    return finder_.digits_.Function(UINT32_MAX, {}, {0, finder_.devices_.Count() - 1});
  }
  const DeviceCounts& devices() override { return finder_.devices_; }
  void Compose(const IndexingMap& map, Access& access) override {
    ComposeInto(finder_.digits_, finder_.table_, map, access);
  }
  const CustomCallRegistry* custom_calls() override { return finder_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return finder_.mlir_context_; }

 private:
  ArrayReadsFinder& finder_;
  const Instruction& instruction_;
  ArrayReads& reads_;
};

const ArrayReads& ArrayReadsFinder::ReadsOf(const Instruction& instruction, int64_t leaf,
                                            int call_depth) {
  const std::pair key(&instruction, leaf);
  const auto known = instructions_.find(key);
  if (known != instructions_.end()) return known->second;
  const bool is_followed = IsFollowed(instruction) && call_depth < options_.max_call_depth;
  ArrayReads reads = is_followed ? ReadsOfCalled(instruction, leaf, call_depth + 1)
                                 : ReadsOfRule(instruction, leaf);
  return instructions_[key] = std::move(reads);
}

ArrayReads ArrayReadsFinder::ReadsOfRule(const Instruction& instruction, int64_t leaf) {
  ArrayReads reads;
  Sink sink(*this, instruction, reads);
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  if (rule == nullptr || IsUnbounded(instruction, leaf)) {
    sink.ReadUnknown("");
    // A rule that is not asked may be a collective's, a computation that is not followed hold one;
    // of a loop that is not followed, nobody knows what decides.
    reads.reaches_other_devices =
        devices_.Count() > 1 && (rule != nullptr || IsFollowed(instruction));
    reads.decides_when_loop_ends = true;
    return reads;
  }
  const Access& whole = WholeArray(instruction.shape().ArrayLeaf(leaf));
  if (whole.map.empty) return reads;
  ReadContext context(instruction, leaf, whole, digits_, sink);
  rule(context);
  return reads;
}

const Access& ArrayReadsFinder::WholeArray(const hlo::Shape& shape) {
  const auto [position, is_new] = wholes_.try_emplace(&shape);
  if (is_new) ReadAll(digits_, shape.sizes(), position->second);
  return position->second;
}

const ArrayReads& ArrayReadsFinder::ReadsOfCallee(const Computation& callee, int64_t leaf,
                                                  int call_depth) {
  const std::pair key(&callee, leaf);
  const auto known = computations_.find(key);
  if (known != computations_.end()) return known->second;
  ArrayReads reads = FindReadsOfCallee(callee, leaf, call_depth);
  return computations_[key] = std::move(reads);
}

ArrayReads ArrayReadsFinder::FindReadsOfCallee(const Computation& callee, int64_t leaf,
                                               int call_depth) {
  using Array = std::pair<const Instruction*, int64_t>;
  ArrayReads reads;
  llvm::SmallVector<Array, 16> pending = {{&callee.root(), leaf}};
  llvm::DenseSet<Array> seen = {pending.front()};
  while (!pending.empty()) {
    const auto [instruction, k] = pending.pop_back_val();
    if (instruction->opcode() == Opcode::kParameter) {
      reads.arrays.emplace_back(static_cast<size_t>(instruction->parameter_number()), k);
      continue;
    }
    const ArrayReads& found = ReadsOf(*instruction, k, call_depth);
    reads.reaches_other_devices |= found.reaches_other_devices;
    for (const auto& [operand, operand_leaf] : found.arrays) {
      const Array next(&instruction->operand(operand), operand_leaf);
      if (seen.insert(next).second) pending.push_back(next);
    }
  }
  llvm::sort(reads.arrays);
  return reads;
}

ArrayReads ArrayReadsFinder::ReadsOfConditional(const Instruction& conditional, int64_t leaf,
                                                int call_depth) {
  ArrayReads reads;
  reads.arrays.emplace_back(0, 0);
  const auto branches = BranchesOf(conditional);
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    const ArrayReads& found = ReadsOfCallee(*branches[branch], leaf, call_depth);
    reads.reaches_other_devices |= found.reaches_other_devices;
    for (const auto& [parameter, array] : found.arrays) {
      reads.arrays.emplace_back(branch + 1, array);
    }
  }
  return reads;
}

// Operands and result stand beside each other.
ArrayReads ArrayReadsFinder::ReadsOfAsyncStart(const Instruction& start, int64_t leaf,
                                               int call_depth) {
  ArrayReads reads = ReadsOfRule(start, leaf);
  const Computation* callee = FollowedCallee(start);
  if (callee == nullptr) return reads;
  reads.reaches_other_devices = false;
  for (int64_t k = 0; k < callee->root().shape().num_array_leaves(); ++k) {
    reads.reaches_other_devices |= ReadsOfCallee(*callee, k, call_depth).reaches_other_devices;
  }
  return reads;
}

ArrayReads ArrayReadsFinder::ReadsOfCalled(const Instruction& instruction, int64_t leaf,
                                           int call_depth) {
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      return ReadsOfWhile(instruction, leaf, call_depth);
    case Opcode::kConditional:
      return ReadsOfConditional(instruction, leaf, call_depth);
    case Opcode::kAsyncStart:
      return ReadsOfAsyncStart(instruction, leaf, call_depth);
    default:
      return ReadsOfCallee(*FollowedCallee(instruction), leaf, call_depth);
  }
}

// The arrays of the state that an array depends on after any number of iterations.
ArrayReads ArrayReadsFinder::ReadsOfWhile(const Instruction& loop, int64_t leaf, int call_depth) {
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const bool is_handed_on = HandedOn(body, leaf) == leaf;
  llvm::SmallVector<int64_t, 8> pending;
  llvm::BitVector reached(static_cast<unsigned>(loop.shape().num_array_leaves()));
  ArrayReads reads;
  const auto add = [&](const ArrayReads& found) {
    reads.reaches_other_devices |= found.reaches_other_devices;
    for (const auto& [parameter, array] : found.arrays) {
      if (reached.test(static_cast<unsigned>(array))) continue;
      reached.set(static_cast<unsigned>(array));
      pending.push_back(array);
    }
  };
  if (!is_handed_on) {
    reached.set(static_cast<unsigned>(leaf));
    pending.push_back(leaf);
  }
  add(ReadsOfCallee(*loop.Callee(AttributeName::kCondition), 0, call_depth));
  while (!pending.empty()) {
    const int64_t next = pending.pop_back_val();
    // What an array depends on that has been asked about before holds nothing new.
    if (const auto known = instructions_.find({&loop, next}); known != instructions_.end()) {
      reads.reaches_other_devices |= known->second.reaches_other_devices;
      for (const auto& [operand, array] : known->second.arrays) {
        reached.set(static_cast<unsigned>(array));
      }
    } else if (HandedOn(body, next) != next) {
      add(ReadsOfCallee(body, next, call_depth));
    }
  }
  if (is_handed_on) {
    reads.decides_when_loop_ends = reached.test(static_cast<unsigned>(leaf));
    reached.set(static_cast<unsigned>(leaf));
  }
  for (const unsigned array : reached.set_bits()) reads.arrays.emplace_back(0, array);
  return reads;
}

}  // namespace hlo_indexing::indexing_analysis
