#include "indexing_analysis/propagation/array_reads.h"

#include <algorithm>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// How many arrays are propagated at once: each has a bit, its mark.
constexpr size_t kMarks = 64;
using MarkSet = uint64_t;

void ForEachMark(MarkSet marks, llvm::function_ref<void(size_t mark)> visit) {
  for (; marks != 0; marks &= marks - 1) visit(static_cast<size_t>(llvm::countr_zero(marks)));
}

// Says of each array which of up to kMarks arrays are read from it, directly or not.
class MarkedArrays {
 public:
  using ReadsOf = llvm::function_ref<llvm::ArrayRef<unsigned>(unsigned array)>;

  explicit MarkedArrays(unsigned num_arrays) : marks_(num_arrays, 0), is_pending_(num_arrays) {}

  // Gives mark i to the i-th of these arrays and all that it is read from. Goes from high to low
  // numbers, so that each array is visited once if arrays are read from those with lower numbers
  // only; otherwise as often as further marks come back to it.
  void Propagate(llvm::ArrayRef<unsigned> starts, ReadsOf reads_of) {
    for (const unsigned array : marked_) marks_[array] = 0;
    marked_.clear();
    for (size_t i = 0; i < starts.size(); ++i) Mark(starts[i], MarkSet{1} << i);
    for (int last = is_pending_.find_last(); last >= 0; last = is_pending_.find_last()) {
      for (int i = last; i >= 0; i = is_pending_.find_prev(static_cast<unsigned>(i))) {
        const auto array = static_cast<unsigned>(i);
        is_pending_.reset(array);
        const MarkSet marks = marks_[array];
        for (const unsigned next : reads_of(array)) Mark(next, marks);
      }
    }
  }

  // In the order in which they were found.
  llvm::ArrayRef<unsigned> marked() const { return marked_; }
  MarkSet MarksOf(unsigned array) const { return marks_[array]; }

 private:
  void Mark(unsigned array, MarkSet marks) {
    MarkSet& known = marks_[array];
    if ((marks & ~known) == 0) return;
    if (known == 0) marked_.push_back(array);
    known |= marks;
    is_pending_.set(array);
  }

  std::vector<MarkSet> marks_;
  std::vector<unsigned> marked_;
  llvm::BitVector is_pending_;
};

// Finds what the arrays of a loop's state are read from after any number of iterations.
class LoopReadsFinder {
 public:
  // For each array what it is read from in one iteration; null if it is forwarded.
  explicit LoopReadsFinder(llvm::ArrayRef<const ArrayReads*> iteration)
      : iteration_(iteration), marked_(static_cast<unsigned>(iteration.size())) {}

  LoopReads Find(const ArrayReads& condition) {
    FindDeciding(condition);
    reads_.group_of_array.assign(iteration_.size(), 0);
    // No groups are moved: their arrays are keys.
    reads_.groups.reserve(iteration_.size() + 1);
    reads_.groups.push_back({.arrays = {}, .reaches_other_devices = deciding_with_device_});
    llvm::SmallVector<unsigned, kMarks> starts;
    for (unsigned array = 0; array < iteration_.size(); ++array) {
      if (reads_.deciding.test(array)) continue;
      if (iteration_[array] == nullptr) {
        AddToGroup(array, {.arrays = {array}, .reaches_other_devices = deciding_with_device_});
        continue;
      }
      starts.push_back(array);
      if (starts.size() < kMarks) continue;
      FindGroups(starts);
      starts.clear();
    }
    FindGroups(starts);
    return std::move(reads_);
  }

 private:
  void FindDeciding(const ArrayReads& condition) {
    reads_.deciding.resize(static_cast<unsigned>(iteration_.size()));
    llvm::SmallVector<const ArrayReads*, 16> pending = {&condition};
    while (!pending.empty()) {
      const ArrayReads* reads = pending.pop_back_val();
      if (reads == nullptr) continue;
      deciding_with_device_ |= reads->reaches_other_devices;
      for (const auto& [parameter, array] : reads->arrays) {
        if (reads_.deciding.test(static_cast<unsigned>(array))) continue;
        reads_.deciding.set(static_cast<unsigned>(array));
        pending.push_back(iteration_[static_cast<size_t>(array)]);
      }
    }
  }

  // What an array is read from in one iteration apart from what decides.
  llvm::ArrayRef<unsigned> ReadsOf(unsigned array) {
    found_.clear();
    if (iteration_[array] == nullptr) return found_;
    for (const auto& [parameter, read] : iteration_[array]->arrays) {
      if (!reads_.deciding.test(static_cast<unsigned>(read))) {
        found_.push_back(static_cast<unsigned>(read));
      }
    }
    return found_;
  }

  // Of arrays that neither decide nor are forwarded.
  void FindGroups(llvm::ArrayRef<unsigned> starts) {
    marked_.Propagate(starts, [&](unsigned array) { return ReadsOf(array); });
    std::vector<LoopReads::Group> groups(starts.size());
    MarkSet with_device = 0;
    for (const unsigned array : marked_.marked()) {
      const MarkSet marks = marked_.MarksOf(array);
      ForEachMark(marks, [&](size_t mark) { groups[mark].arrays.push_back(array); });
      const ArrayReads* reads = iteration_[array];
      if (reads != nullptr && reads->reaches_other_devices) with_device |= marks;
    }
    for (size_t i = 0; i < starts.size(); ++i) {
      const bool reaches_other_devices = ((with_device >> i) & 1) != 0;
      groups[i].reaches_other_devices = deciding_with_device_ || reaches_other_devices;
      llvm::sort(groups[i].arrays);
      AddToGroup(starts[i], std::move(groups[i]));
    }
  }

  void AddToGroup(unsigned array, LoopReads::Group group) {
    const auto known = numbers_.find(group.arrays);
    if (known != numbers_.end()) {
      reads_.group_of_array[array] = known->second;
      return;
    }
    reads_.group_of_array[array] = reads_.groups.size();
    reads_.groups.push_back(std::move(group));
    numbers_[reads_.groups.back().arrays] = reads_.group_of_array[array];
  }

  llvm::ArrayRef<const ArrayReads*> iteration_;
  LoopReads reads_;
  bool deciding_with_device_ = false;
  MarkedArrays marked_;
  llvm::SmallVector<unsigned, 16> found_;
  // The groups by their arrays.
  llvm::DenseMap<llvm::ArrayRef<unsigned>, size_t> numbers_;
};

}  // namespace

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
  Sum ExecutingDevice(Access&) override {
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

// The arrays of a computation's instructions up to its root, by number: operands before users.
class ArrayReadsFinder::ComputationArrays {
 public:
  ComputationArrays(ArrayReadsFinder& finder, const Computation& computation, int call_depth)
      : finder_(finder), call_depth_(call_depth) {
    const auto num_instructions = static_cast<size_t>(computation.root().index()) + 1;
    first_arrays_.reserve(num_instructions);
    for (const Instruction* instruction : computation.instructions().take_front(num_instructions)) {
      first_arrays_.push_back(size());
      const int64_t leaves = instruction->shape().num_array_leaves();
      arrays_.resize(arrays_.size() + static_cast<size_t>(leaves), {.instruction = instruction});
    }
  }

  unsigned size() const { return static_cast<unsigned>(arrays_.size()); }
  unsigned NumberOf(const Instruction& instruction, int64_t leaf) const {
    return first_arrays_[static_cast<size_t>(instruction.index())] + static_cast<unsigned>(leaf);
  }
  const Instruction& InstructionOf(unsigned array) const { return *arrays_[array].instruction; }
  int64_t LeafOf(unsigned array) const { return array - NumberOf(InstructionOf(array), 0); }

  // The arrays that an array is read from; none for those of parameters. Valid until the next
  // call.
  llvm::ArrayRef<unsigned> ReadsOf(unsigned array) {
    Array& reader = arrays_[array];
    if (!reader.is_known) Find(array, reader);
    return llvm::ArrayRef(reads_).slice(reader.first_read, reader.num_reads);
  }
  // Of an array for which ReadsOf has been called.
  bool ReachesOtherDevices(unsigned array) const { return arrays_[array].reaches_other_devices; }

 private:
  struct Array {
    const Instruction* instruction = nullptr;
    size_t first_read = 0;
    unsigned num_reads = 0;
    bool is_known = false;
    bool reaches_other_devices = false;
  };

  void Find(unsigned number, Array& array) {
    array.is_known = true;
    array.first_read = reads_.size();
    const Instruction& instruction = *array.instruction;
    if (instruction.opcode() == Opcode::kParameter) return;
    found_.arrays.clear();
    found_.reaches_other_devices = false;
    finder_.FindReads(instruction, LeafOf(number), call_depth_, found_);
    for (const auto& [operand, leaf] : found_.arrays) {
      reads_.push_back(NumberOf(instruction.operand(operand), leaf));
    }
    array.num_reads = static_cast<unsigned>(found_.arrays.size());
    array.reaches_other_devices = found_.reaches_other_devices;
  }

  ArrayReadsFinder& finder_;
  int call_depth_;
  // By the position of the instruction.
  std::vector<unsigned> first_arrays_;
  std::vector<Array> arrays_;
  // What each array is read from, one list behind the other.
  std::vector<unsigned> reads_;
  ArrayReads found_;
};

void ArrayReadsFinder::FindReads(const Instruction& instruction, int64_t leaf, int call_depth,
                                 ArrayReads& reads) {
  const ControlFlow control_flow = TraitsOf(instruction.opcode()).control_flow;
  // Also of a loop that is nested too deep: all of its arrays decide.
  if (control_flow == ControlFlow::kWhile) {
    return FindReadsOfWhile(instruction, leaf, call_depth, reads);
  }
  if (control_flow == ControlFlow::kNone || call_depth >= options_.max_call_depth) {
    return FindReadsOfRule(instruction, leaf, reads);
  }
  if (control_flow == ControlFlow::kConditional) {
    return FindReadsOfConditional(instruction, leaf, call_depth, reads);
  }
  if (control_flow == ControlFlow::kAsyncStart) {
    return FindReadsOfAsyncStart(instruction, leaf, call_depth, reads);
  }
  reads = ReadsOfCallee(*CalleeOf(instruction), call_depth + 1)[static_cast<size_t>(leaf)];
}

void ArrayReadsFinder::FindReadsOfRule(const Instruction& instruction, int64_t leaf,
                                       ArrayReads& reads) {
  Sink sink(*this, instruction, reads);
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  const bool is_unbounded = FindUnbounded(instruction, leaf) != nullptr;
  if (is_unbounded && TraitsOf(instruction.opcode()).forwarding != Forwarding::kNone) {
    if (const std::optional<OperandArray> from = ForwardedOperand(instruction, leaf)) {
      reads.arrays.push_back(*from);
    }
    return;
  }
  if (rule == nullptr || is_unbounded) {
    sink.ReadUnknown("");
    // A rule that is not applied may be a collective's, a computation that is not looked at may
    // hold one.
    reads.reaches_other_devices =
        devices_.Count() > 1 && (rule != nullptr || HasControlFlow(instruction));
    return;
  }
  const hlo::Shape& shape = instruction.shape().ArrayLeaf(leaf);
  if (shape.num_elements() == 0) return;
  // Applying the rule takes longer, as it says which elements.
  if (TraitsOf(instruction.opcode()).reads_every_operand) {
    for (size_t i = 0; i < instruction.operands().size(); ++i) {
      const hlo::Shape& operand = instruction.operand(i).shape();
      if (!operand.IsArray()) {
        reads.arrays.emplace_back(i, leaf);
      } else if (operand.num_elements() != 0) {
        reads.arrays.emplace_back(i, 0);
      }
    }
    return;
  }
  Access whole;
  ReadAll(digits_, shape.sizes(), whole);
  // Of a dimension without bound and one without elements.
  if (whole.map.empty) return;
  ReadContext context(instruction, leaf, whole, digits_, sink);
  rule(context);
}

void ArrayReadsFinder::FindReadsOfConditional(const Instruction& conditional, int64_t leaf,
                                              int call_depth, ArrayReads& reads) {
  reads.arrays.emplace_back(0, 0);
  const auto branches = conditional.Branches();
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    const ArrayReads& found =
        ReadsOfCallee(*branches[branch], call_depth + 1)[static_cast<size_t>(leaf)];
    reads.reaches_other_devices |= found.reaches_other_devices;
    for (const auto& [parameter, array] : found.arrays) {
      reads.arrays.emplace_back(branch + 1, array);
    }
  }
}

// Operands and result stand beside each other.
void ArrayReadsFinder::FindReadsOfAsyncStart(const Instruction& start, int64_t leaf, int call_depth,
                                             ArrayReads& reads) {
  FindReadsOfRule(start, leaf, reads);
  const Computation* callee = CalleeOf(start);
  if (callee == nullptr) return;
  reads.reaches_other_devices =
      llvm::any_of(ReadsOfCallee(*callee, call_depth + 1),
                   [](const ArrayReads& found) { return found.reaches_other_devices; });
}

void ArrayReadsFinder::FindReadsOfWhile(const Instruction& loop, int64_t leaf, int call_depth,
                                        ArrayReads& reads) {
  const LoopReads& found = ReadsOfLoop(loop, call_depth);
  const LoopReads::Group& group = found.groups[found.group_of_array[static_cast<size_t>(leaf)]];
  for (const unsigned array : found.deciding.set_bits()) reads.arrays.emplace_back(0, array);
  for (const unsigned array : group.arrays) reads.arrays.emplace_back(0, array);
  reads.reaches_other_devices = group.reaches_other_devices;
}

const LoopReads& ArrayReadsFinder::ReadsOfLoop(const Instruction& loop, int call_depth) {
  const auto known = loops_.find(&loop);
  if (known != loops_.end()) return *known->second;
  const LoopReads& found = loop_reads_.emplace_back(FindReadsOfLoop(loop, call_depth));
  if (is_memoized_) loops_[&loop] = &found;
  return found;
}

llvm::ArrayRef<ArrayReads> ArrayReadsFinder::ReadsOfCallee(const Computation& callee,
                                                           int call_depth) {
  const auto known = computations_.find(&callee);
  if (known != computations_.end()) return *known->second;
  const std::vector<ArrayReads>& found =
      computation_reads_.emplace_back(FindReadsOfCallee(callee, call_depth));
  if (is_memoized_) computations_[&callee] = &found;
  return found;
}

std::vector<ArrayReads> ArrayReadsFinder::FindReadsOfCallee(const Computation& callee,
                                                            int call_depth) {
  ComputationArrays arrays(*this, callee, call_depth);
  MarkedArrays marked(arrays.size());
  std::vector<ArrayReads> reads(static_cast<size_t>(callee.root().shape().num_array_leaves()));
  for (size_t first = 0; first < reads.size(); first += kMarks) {
    llvm::SmallVector<unsigned, kMarks> starts;
    for (size_t k = first; k < std::min(first + kMarks, reads.size()); ++k) {
      starts.push_back(arrays.NumberOf(callee.root(), static_cast<int64_t>(k)));
    }
    marked.Propagate(starts, [&](unsigned array) { return arrays.ReadsOf(array); });
    MarkSet with_device = 0;
    for (const unsigned array : marked.marked()) {
      if (arrays.ReachesOtherDevices(array)) with_device |= marked.MarksOf(array);
      const Instruction& instruction = arrays.InstructionOf(array);
      if (instruction.opcode() != Opcode::kParameter) continue;
      const auto parameter = static_cast<size_t>(instruction.parameter_number());
      const int64_t leaf = arrays.LeafOf(array);
      ForEachMark(marked.MarksOf(array),
                  [&](size_t mark) { reads[first + mark].arrays.emplace_back(parameter, leaf); });
    }
    ForEachMark(with_device,
                [&](size_t mark) { reads[first + mark].reaches_other_devices = true; });
  }
  for (ArrayReads& of_leaf : reads) llvm::sort(of_leaf.arrays);
  return reads;
}

LoopReads ArrayReadsFinder::FindReadsOfLoop(const Instruction& loop, int call_depth) {
  const auto num_arrays = static_cast<unsigned>(loop.shape().num_array_leaves());
  if (call_depth >= options_.max_call_depth) {
    // Nobody knows what decides.
    return {.deciding = llvm::BitVector(num_arrays, true),
            .groups = {{.arrays = {}, .reaches_other_devices = devices_.Count() > 1}},
            .group_of_array = std::vector<size_t>(num_arrays, 0)};
  }
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const Computation& condition = *loop.Callee(AttributeName::kCondition);
  // An array that is forwarded is read from nothing else.
  const llvm::ArrayRef<ArrayReads> of_body = ReadsOfCallee(body, call_depth + 1);
  std::vector<const ArrayReads*> iteration(num_arrays, nullptr);
  for (unsigned array = 0; array < num_arrays; ++array) {
    if (ForwardedParameter(body, array) != array) iteration[array] = &of_body[array];
  }
  return LoopReadsFinder(iteration).Find(ReadsOfCallee(condition, call_depth + 1).front());
}

}  // namespace hlo_indexing::indexing_analysis
