#include "indexing_analysis/path_follower.h"

#include <algorithm>

#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/device_groups.h"
#include "indexing_analysis/passed_on.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// An array inside a loop that is read in more ways counts as read whole.
constexpr size_t kMaxAccessesInLoop = 12;

// A value that is not one for the whole question: any of those that it may have.
Sum VaryingValue(DigitContext& digits, Interval bounds, llvm::StringRef reason, Access& access) {
  const VariableId variable = access.AddRange(bounds);
  access.ranges.insert(access.ranges.begin(), variable);
  access.superset_reason = reason.str();
  return access.map.Variable(digits, variable);
}

// Whether every operand is an array with the dimensions of the output, which is one.
bool OperandsHaveShapeOfOutput(const Instruction& elementwise) {
  const Shape& output = elementwise.shape();
  return output.IsArray() && llvm::all_of(elementwise.operands(), [&](const Instruction* operand) {
           return operand->shape().IsArray() && operand->shape().rank() == output.rank();
         });
}

}  // namespace

// Takes what a rule finds about one instruction and adds it to what has reached the operands.
class PathFollower::Sink : public ReadSink {
 public:
  Sink(PathFollower& follower, DigitContext& digits, const Instruction& instruction,
       const Frame* frame, const Access& incoming, const Entry& entry, OperandLeaves operands)
      : follower_(follower),
        digits_(digits),
        instruction_(instruction),
        frame_(frame),
        incoming_(incoming),
        entry_(entry),
        operands_(operands) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    const std::string reason = Settle(digits_, follower_.options_, access);
    if (access.map.empty) return;
    SharedAccesses& shared = follower_.memory_.shared_accesses;
    const PlacedAccess placed = &digits_ == &follower_.large_.digits
                                    ? shared.Share(std::move(access), follower_.large_.to_shared)
                                    : shared.Share(std::move(access));
    Entry found = {follower_.accesses_.Intern(placed),
                   reason.empty() ? entry_.reason : follower_.Keep(reason), entry_.outputs};
    if (IsInLoop(frame_)) {
      follower_.Loosen(found, instruction_.operand(operand).shape().ArrayLeaf(leaf));
    }
    AddEntry(follower_.sets_, Target(operand, leaf), found);
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    AddEntry(follower_.sets_, Target(operand, leaf), entry_);
  }
  void ReadUnknown(std::string reason) override {
    follower_.AddUnknownToAll(instruction_, follower_.Keep(reason), entry_.outputs, operands_);
  }
  Sum RuntimeValue(const Instruction& operand, llvm::ArrayRef<Sum> index, Interval bounds,
                   Access& access) override {
    return follower_.RuntimeValue(digits_, operand, index, bounds, frame_, incoming_, access);
  }
  Sum OwnDevice(Access& access) override { return follower_.OwnDevice(digits_, access); }
  const DeviceCounts& devices() override { return follower_.devices_; }
  void Compose(const IndexingMap& map, Access& access) override {
    follower_.Compose(digits_, map, access);
  }
  const CustomCallRegistry* custom_calls() override { return follower_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return follower_.mlir_context_; }

 private:
  Reached& Target(size_t operand, int64_t leaf) {
    return LeafOf(*operands_(operand), instruction_.operand(operand).shape(), leaf);
  }

  PathFollower& follower_;
  DigitContext& digits_;
  const Instruction& instruction_;
  const Frame* frame_;
  const Access& incoming_;
  const Entry& entry_;
  OperandLeaves operands_;
};

PathFollower::PathFollower(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                           FollowerMemory& memory, ArrayReadsFinder& array_reads,
                           const DeviceCounts& devices, const Instruction& instruction,
                           llvm::ArrayRef<int64_t> output_leaves)
    : mlir_context_(mlir_context),
      options_(options),
      memory_(memory),
      array_reads_(array_reads),
      devices_(devices),
      instruction_(instruction),
      output_leaves_(output_leaves),
      sets_(output_leaves.size()),
      operands_(instruction.operands().size()) {
  RuntimeSource& device = table_.emplace_back();
  device.bounds = {0, devices_.Count() - 1};
  device.name = "replica";
  const Shape& output = instruction.shape().ArrayLeaf(output_leaves.front());
  if (output.HasUnboundedDimension()) return;
  root_ = memory.rules.Identity(output.sizes());
  // Nobody reads anything for an array without elements.
  if (root_ == nullptr) return;
  ReachedLeaves reached;
  for (size_t i = 0; i < output_leaves.size(); ++i) {
    AddEntry(sets_, LeafOf(reached, instruction.shape(), output_leaves[i]),
             {accesses_.Intern(*root_, {}), "", sets_.Single(i)});
  }
  FollowInstruction(instruction, reached, nullptr,
                    [&](size_t operand) { return &operands_[operand]; });
}

// Follows what has reached the root's array `leaf` back to the parameters.
void PathFollower::Follow(const Computation& computation, int64_t leaf, Reached reached,
                          const Frame& frame, OperandLeaves parameters) {
  ReachedLeaves leaves;
  LeafOf(leaves, computation.root().shape(), leaf) = std::move(reached);
  Follow(computation, std::move(leaves), frame, parameters);
}

// The same for all arrays of the root.
void PathFollower::Follow(const Computation& computation, ReachedLeaves reached, const Frame& frame,
                          OperandLeaves parameters) {
  if (level_ == memory_.levels.size()) memory_.levels.emplace_back();
  auto& [leaves, is_reached] = memory_.levels[level_++];
  const auto root = static_cast<unsigned>(computation.root().index());
  if (leaves.size() <= root) {
    leaves.resize(root + 1);
    is_reached.resize(root + 1);
  }
  leaves[root] = std::move(reached);
  is_reached.set(root);
  for (int i = static_cast<int>(root); i >= 0; i = is_reached.find_prev(static_cast<unsigned>(i))) {
    is_reached.reset(static_cast<unsigned>(i));
    const Instruction& instruction = *computation.instructions()[static_cast<size_t>(i)];
    ReachedLeaves& arrays = leaves[static_cast<size_t>(i)];
    if (arrays.empty()) continue;
    if (instruction.opcode() == Opcode::kParameter) {
      AddAll(sets_, arrays, instruction.shape(),
             *parameters(static_cast<size_t>(instruction.parameter_number())));
    } else {
      const auto operands = [&](size_t operand) {
        const auto number = static_cast<unsigned>(instruction.operand(operand).index());
        is_reached.set(number);
        return &leaves[number];
      };
      FollowInstruction(instruction, arrays, &frame, operands);
    }
    arrays = ReachedLeaves();
  }
  --level_;
}

// Whether so many more computations may be followed, one in the other.
bool PathFollower::MayNest(size_t depth) const {
  return level_ == 0 || static_cast<int64_t>(level_ + depth) <= options_.max_call_depth;
}

// `frame` is null for the instruction that was asked about.
void PathFollower::FollowInstruction(const Instruction& instruction, ReachedLeaves& reached,
                                     const Frame* frame, OperandLeaves operands) {
  const bool is_followed = IsFollowed(instruction);
  for (size_t k = 0; k < reached.size(); ++k) {
    if (!reached[k].Any()) continue;
    const auto leaf = static_cast<int64_t>(k);
    PassUnknownOn(instruction, leaf, reached[k], operands);
    reached[k].unknown.clear();
    DropCovered(reached[k], instruction.shape().ArrayLeaf(leaf));
    if (frame != nullptr) Limit(reached[k], instruction.shape().ArrayLeaf(leaf), *frame);
    if (!is_followed) ApplyRule(instruction, leaf, reached[k], frame, operands);
  }
  if (!is_followed) return;
  if (MayNest(1)) {
    // Even if no computation is followed in the end: one level deeper this would be cut.
    deepest_level_ = std::max(deepest_level_, level_ + 1);
    FollowCalled(instruction, reached, frame, operands);
    return;
  }
  ++own_uses_;
  OutputSet outputs = kNoOutputs;
  for (const Reached& array : reached) outputs = sets_.Union(outputs, OutputsOf(sets_, array));
  const std::string limit = std::to_string(options_.max_call_depth);
  AddUnknownToAll(instruction, Keep("calls nest deeper than " + limit + " levels"), outputs,
                  operands);
}

void PathFollower::ApplyRule(const Instruction& instruction, int64_t leaf, const Reached& reached,
                             const Frame* frame, OperandLeaves operands) {
  if (reached.entries.empty()) return;
  if (IsUnbounded(instruction, leaf)) {
    AddUnknownToAll(instruction, kUnboundedReason, OutputsOf(sets_, reached), operands);
    return;
  }
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  if (rule == read_rules::Elementwise && OperandsHaveShapeOfOutput(instruction)) {
    steps_ += static_cast<int64_t>(reached.entries.size());
    for (size_t i = 0; i < instruction.operands().size(); ++i) {
      AddAll(sets_, reached, LeafOf(*operands(i), instruction.operand(i).shape(), 0));
    }
    return;
  }
  if (PassesOn(rule)) {
    if (const std::optional<OperandLeaf> from = PassedOn(instruction, leaf)) {
      const Shape& shape = instruction.operand(from->operand).shape();
      AddAll(sets_, reached, LeafOf(*operands(from->operand), shape, from->leaf));
    }
    return;
  }
  // What is asked about itself is remembered as a whole.
  const InstructionClass* const alike = frame == nullptr ? nullptr : ClassToAsk(instruction, leaf);
  for (const Entry& entry : reached.entries) {
    ++steps_;
    const bool is_large = entry.access->shared->is_large;
    if (alike != nullptr && !is_large &&
        AddFoundReads(*alike, instruction, leaf, frame, entry, operands)) {
      continue;
    }
    if (is_large) ++own_uses_;
    DigitContext own;
    DigitContext& digits = is_large ? large_.digits : own;
    const Access access = is_large ? CopyShared(digits, large_.from_shared, *entry.access)
                                   : CopyShared(digits, *entry.access);
    const simplifier::FactScope facts(digits, access.map.constraints);
    Sink sink(*this, digits, instruction, frame, access, entry, operands);
    ReadContext context(instruction, leaf, access, digits, sink);
    rule(context);
  }
}

// The class of the instruction, where what its rule finds is worth being remembered.
const InstructionClass* PathFollower::ClassToAsk(const Instruction& instruction, int64_t leaf) {
  const InstructionClass* alike = memory_.classes.Of(instruction, leaf);
  return alike == nullptr || alike->sharing != Sharing::kMaps ? nullptr : alike;
}

// Adds what the rule of such instructions finds for an access; false where it has to be asked.
bool PathFollower::AddFoundReads(const InstructionClass& alike, const Instruction& instruction,
                                 int64_t leaf, const Frame* frame, const Entry& entry,
                                 OperandLeaves operands) {
  const FoundReads* reads =
      memory_.rules.Find(alike, instruction, leaf, devices_, *entry.access->shared);
  if (reads == nullptr) return false;
  for (const FoundRead& read : *reads) {
    const Shape& shape = instruction.operand(read.operand).shape();
    Entry found = entry;
    const bool is_other = read.access.shared != nullptr;
    if (is_other) found.access = DerivedAccess(read.access, *entry.access);
    if (!read.reason.empty()) found.reason = read.reason;
    if (is_other && IsInLoop(frame)) Loosen(found, shape.ArrayLeaf(read.leaf));
    AddEntry(sets_, LeafOf(*operands(read.operand), shape, read.leaf), found);
  }
  return true;
}

void PathFollower::AddParameters(const Computation& callee, llvm::ArrayRef<ReachedLeaves> found,
                                 OperandLeaves operands) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty()) AddAll(sets_, found[i], callee.parameters()[i]->shape(), *operands(i));
  }
}

void PathFollower::AddUnknownToAll(const Instruction& instruction, llvm::StringRef reason,
                                   OutputSet outputs, OperandLeaves operands) {
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Shape& shape = instruction.operand(i).shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      AddUnknown(sets_, LeafOf(*operands(i), shape, leaf), reason, outputs);
    }
  }
}

// An array of whose elements nobody knows which are read: nobody knows of those that it reads
// either.
void PathFollower::PassUnknownOn(const Instruction& instruction, int64_t leaf,
                                 const Reached& reached, OperandLeaves operands) {
  if (reached.unknown.empty()) return;
  const ArrayReads reads = array_reads_.ReadsOf(instruction, leaf);
  for (const auto& [operand, operand_leaf] : reads.arrays) {
    Reached& target =
        LeafOf(*operands(operand), instruction.operand(operand).shape(), operand_leaf);
    for (const auto& [reason, outputs] : reached.unknown) {
      AddUnknown(sets_, target, reason, outputs);
    }
  }
}

// Inside a loop: leaves out the constraints that the results do not need to lie inside the array
// and on a device that there is. Iterations differ in them, and what is read in any of them counts.
void PathFollower::Loosen(Entry& entry, const Shape& shape) {
  const Access& access = entry.access->shared->access;
  if (access.map.constraints.empty()) return;
  const llvm::ArrayRef<Sum> index = access.Index();
  for (size_t i = 0; i < index.size(); ++i) {
    const Interval inside = {0, shape.sizes()[i] - 1};
    if (!inside.Contains(simplifier::NaturalRange(index[i]))) return;
  }
  const Interval devices = {0, devices_.Count() - 1};
  if (access.has_device && !devices.Contains(simplifier::NaturalRange(access.map.results.back()))) {
    return;
  }
  DigitContext digits;
  Access loose = CopyShared(digits, *entry.access);
  loose.map.constraints.clear();
  RenumberRanges(digits, loose);
  entry.access = accesses_.Intern(memory_.shared_accesses.Share(std::move(loose)));
  entry.reason = Keep("what a loop reads is not followed iteration by iteration");
}

// One with places of the runtime values of another access.
const PlacedAccess* PathFollower::DerivedAccess(const PlacedAccess& derived,
                                                const PlacedAccess& from) {
  llvm::SmallVector<uint32_t, 2> runtime;
  for (const uint32_t place : derived.runtime) runtime.push_back(from.runtime[place]);
  return accesses_.Intern(*derived.shared, runtime);
}

// Every element of an array, for every element of the output.
const PlacedAccess* PathFollower::WholeOf(const Shape& shape, Device device) {
  const auto [position, is_new] = wholes_[static_cast<size_t>(device)].try_emplace(&shape, nullptr);
  if (!is_new) return position->second;
  const int64_t devices = device == Device::kAny ? devices_.Count() : 0;
  const SharedAccess* whole = memory_.rules.Whole(*root_, shape.sizes(), devices);
  if (whole != nullptr) position->second = accesses_.Intern(*whole, {});
  return position->second;
}

// Where an output reads the whole array, its other accesses say nothing.
void PathFollower::DropCovered(Reached& reached, const Shape& shape) {
  if (reached.entries.size() < 2 || shape.HasUnboundedDimension()) return;
  const PlacedAccess* own = WholeOf(shape, Device::kOwn);
  const OutputSet with_device = OutputsWithDevice(sets_, reached);
  const PlacedAccess* any = with_device == kNoOutputs ? nullptr : WholeOf(shape, Device::kAny);
  const auto reads = [](const Entry& entry, const PlacedAccess* access) {
    return access != nullptr && entry.access->HasContentOf(*access);
  };
  OutputSet whole = kNoOutputs;
  OutputSet whole_anywhere = kNoOutputs;
  for (const Entry& entry : reached.entries) {
    if (reads(entry, own)) whole = sets_.Union(whole, entry.outputs);
    if (reads(entry, any)) whole_anywhere = sets_.Union(whole_anywhere, entry.outputs);
  }
  if (whole == kNoOutputs && whole_anywhere == kNoOutputs) return;
  for (Entry& entry : reached.entries) {
    const bool is_covered = !reads(entry, own) && !entry.access->HasDevice();
    if (is_covered) entry.outputs = sets_.Difference(entry.outputs, whole);
    if (!reads(entry, any)) entry.outputs = sets_.Difference(entry.outputs, whole_anywhere);
  }
  llvm::erase_if(reached.entries, [](const Entry& entry) { return entry.outputs == kNoOutputs; });
}

// Adds the whole array for the outputs; on any device for those that reach another device.
void PathFollower::AddWhole(Reached& target, const Shape& shape, llvm::StringRef reason,
                            OutputSet outputs, OutputSet with_device) {
  const OutputSet elsewhere = sets_.Intersection(outputs, with_device);
  const std::pair<Device, OutputSet> parts[] = {
      {Device::kOwn, sets_.Difference(outputs, elsewhere)}, {Device::kAny, elsewhere}};
  for (const auto& [device, part] : parts) {
    const PlacedAccess* whole = part == kNoOutputs ? nullptr : WholeOf(shape, device);
    if (whole != nullptr) AddEntry(sets_, target, {whole, reason, part});
  }
}

// The outputs for which more accesses than that have reached the array.
OutputSet PathFollower::OutputsAbove(const Reached& reached, size_t max_accesses) {
  if (reached.entries.size() <= max_accesses) return kNoOutputs;
  std::vector<size_t> counts(sets_.num_outputs(), 0);
  for (const Entry& entry : reached.entries) {
    for (const unsigned output : sets_.Members(entry.outputs).set_bits()) ++counts[output];
  }
  OutputSet above = kNoOutputs;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > max_accesses) above = sets_.Union(above, sets_.Single(i));
  }
  return above;
}

// Beyond the limits, the array counts as read whole.
void PathFollower::Limit(Reached& reached, const Shape& shape, const Frame& frame) {
  if (shape.HasUnboundedDimension()) return;
  const auto read_whole = [&](OutputSet outputs, llvm::StringRef start, int64_t limit,
                              llvm::StringRef end) {
    if (outputs == kNoOutputs) return;
    const std::string reason = (start + llvm::Twine(limit) + end).str();
    const OutputSet with_device = OutputsWithDevice(sets_, reached);
    RemoveEntries(sets_, reached, outputs);
    AddWhole(reached, shape, Keep(reason), outputs, with_device);
  };
  const int64_t max_steps = options_.max_steps;
  if (steps_ / static_cast<int64_t>(sets_.num_outputs()) > max_steps) {
    ++own_uses_;
    return read_whole(OutputsOf(sets_, reached), "more than ", max_steps, " reads to follow");
  }
  const auto limit = [&](size_t max_accesses, OutputSet among) {
    if (reached.entries.size() <= max_accesses || among == kNoOutputs) return;
    read_whole(sets_.Intersection(among, OutputsAbove(reached, max_accesses)),
               "an array inside is read in more than ", static_cast<int64_t>(max_accesses),
               " ways");
  };
  // What happens in a loop is not exact anyway.
  if (IsInLoop(&frame)) {
    return limit(std::min(kMaxAccessesInLoop, options_.max_accesses), sets_.All());
  }
  limit(options_.max_accesses, sets_.All());
  if (reached.entries.size() <= options_.max_accesses_with_values) return;
  OutputSet with_values = kNoOutputs;
  for (const Entry& entry : reached.entries) {
    if (entry.access->runtime.empty()) continue;
    with_values = sets_.Union(with_values, entry.outputs);
  }
  limit(options_.max_accesses_with_values, with_values);
}

Sum PathFollower::RuntimeValue(DigitContext& digits, const Instruction& operand,
                               llvm::ArrayRef<Sum> index, Interval bounds, const Frame* frame,
                               const Access& incoming, Access& access) {
  if (bounds.IsPoint()) return simplifier::Constant(bounds.lower);
  depends_on_values_ |= frame == nullptr;
  const CalledInstruction source = ResolveParameter({&operand, frame});
  const IntegerValue known = KnownInteger(digits, source, index);
  const auto clamp = [&](int64_t value) { return std::clamp(value, bounds.lower, bounds.upper); };
  if (known.sum && bounds.Contains(simplifier::NaturalRange(*known.sum))) return *known.sum;
  bounds = {clamp(known.range.lower), clamp(known.range.upper)};
  if (bounds.IsPoint()) return simplifier::Constant(bounds.lower);
  if (access.has_device) {
    return VaryingValue(digits, bounds, "an index has another value on another device", access);
  }
  if (IsInLoop(source.frame)) {
    return VaryingValue(digits, bounds, "an index changes while a loop runs", access);
  }
  std::vector<const Instruction*> path = CallsTo(source.frame);
  path.push_back(source.instruction);
  const uint32_t number = NumberOfValue(path);
  if (!llvm::is_contained(access.runtime, number)) {
    // In front of those that the access came with, behind those of this instruction.
    const size_t added = access.runtime.size() - incoming.runtime.size();
    access.runtime.insert(access.runtime.begin() + static_cast<std::ptrdiff_t>(added), number);
  }
  return digits.Function(number, index, bounds);
}

// The calls that lead to what a frame holds, without the instruction that was asked about.
std::vector<const Instruction*> PathFollower::CallsTo(const Frame* frame) {
  std::vector<const Instruction*> calls;
  for (; frame != nullptr && frame->outer != nullptr; frame = frame->outer) {
    calls.push_back(frame->call);
  }
  std::reverse(calls.begin(), calls.end());
  return calls;
}

// The runtime value at the end of a path: the calls that lead to an instruction, and that.
uint32_t PathFollower::NumberOfValue(const std::vector<const Instruction*>& path) {
  const auto next = static_cast<uint32_t>(table_.size());
  const auto [position, is_new] = runtime_numbers_.try_emplace(path, next);
  if (is_new) {
    RuntimeSource& entry = table_.emplace_back();
    entry.instruction = path.back();
    entry.calls.assign(path.begin(), path.end() - 1);
  }
  return position->second;
}

// The device of the access stays what it is.
void PathFollower::Compose(DigitContext& digits, const IndexingMap& map, Access& access) {
  std::optional<Sum> device;
  if (access.has_device) device = access.map.results.pop_back_val();
  const size_t known = table_.size();
  ComposeInto(digits, table_, map, access);
  if (device) access.map.results.push_back(*device);
  // The access holds the indices; the context goes.
  for (RuntimeSource& source : llvm::MutableArrayRef(table_).drop_front(known)) {
    for (Sum& index : source.index) index = simplifier::Constant(0);
    source.is_composed = true;
  }
}

Sum PathFollower::OwnDevice(DigitContext& digits, Access& access) {
  if (!llvm::is_contained(access.runtime, kOwnDevice)) access.runtime.push_back(kOwnDevice);
  return digits.Function(kOwnDevice, {}, table_[kOwnDevice].bounds);
}

}  // namespace hlo_indexing::indexing_analysis
