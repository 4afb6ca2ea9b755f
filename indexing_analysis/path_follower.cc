#include "indexing_analysis/path_follower.h"

#include <algorithm>
#include <memory>
#include <set>

#include "indexing_analysis/access_inversion.h"
#include "indexing_analysis/device_groups.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using simplifier::Constraint;

// More constraints than that on one access come from generated programs only, and every step looks
// at all of them.
constexpr size_t kMaxConstraints = 64;

// An array inside a loop that is read in more ways counts as read whole.
constexpr size_t kMaxAccessesInLoop = 12;

void ProfileSum(const Sum& sum, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(sum.constant);
  node_id.AddInteger(static_cast<unsigned>(sum.terms.size()));
  for (const simplifier::Term& term : sum.terms) {
    node_id.AddInteger(term.coefficient);
    node_id.AddPointer(term.atom);
    node_id.AddInteger(term.lo);
    node_id.AddInteger(term.extent);
  }
}

// Range variables, runtime values and names in their order of printing do not count.
void ProfileAccess(const Access& access, llvm::FoldingSetNodeID& node_id) {
  node_id.AddBoolean(access.has_device);
  node_id.AddInteger(static_cast<unsigned>(access.map.results.size()));
  for (const Sum& result : access.map.results) ProfileSum(result, node_id);
  for (const Interval& box : access.map.boxes) {
    node_id.AddInteger(box.lower);
    node_id.AddInteger(box.upper);
  }
  for (const Constraint& constraint : access.map.constraints) {
    ProfileSum(constraint.expression, node_id);
    node_id.AddInteger(constraint.bounds.lower);
    node_id.AddInteger(constraint.bounds.upper);
  }
}

bool HasUnboundedDimension(const Shape& shape) {
  return shape.IsArray() && shape.HasUnboundedDimension();
}

}  // namespace

bool IsFollowed(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

const Computation* FollowedCallee(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kFusion || instruction.opcode() == Opcode::kAsyncStart) {
    return instruction.Callee(AttributeName::kCalls);
  }
  if (instruction.opcode() == Opcode::kCall) return instruction.Callee(AttributeName::kToApply);
  return nullptr;
}

void PathFollower::UniqueAccess::Profile(llvm::FoldingSetNodeID& node_id) const {
  ProfileAccess(access, node_id);
}

// Takes what a rule finds about one instruction and adds it to what has reached the operands.
class PathFollower::Sink : public ReadSink {
 public:
  Sink(PathFollower& follower, const Instruction& instruction, const Frame* frame,
       const Entry& entry, OperandLeaves operands)
      : follower_(follower),
        instruction_(instruction),
        frame_(frame),
        entry_(entry),
        operands_(operands) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    llvm::StringRef reason = follower_.Settle(access);
    if (access.map.empty) return;
    if (IsInLoop(frame_)) {
      follower_.Loosen(access, instruction_.operand(operand).shape().ArrayLeaf(leaf));
    }
    if (!access.superset_reason.empty()) reason = follower_.Keep(std::move(access.superset_reason));
    access.superset_reason.clear();
    AddEntry(Target(operand, leaf),
             {follower_.Intern(std::move(access)), reason.empty() ? entry_.reason : reason});
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    AddEntry(Target(operand, leaf), entry_);
  }
  void ReadUnknown(std::string reason) override {
    AddUnknownToAll(instruction_, follower_.Keep(std::move(reason)), operands_);
  }
  Sum RuntimeValue(const Instruction& operand, llvm::ArrayRef<Sum> index, Interval bounds,
                   Access& access) override {
    return follower_.RuntimeValue(operand, index, bounds, frame_, entry_.access->access, access);
  }
  Sum OwnDevice(Access& access) override { return follower_.OwnDevice(access); }
  const DeviceCounts& devices() override { return follower_.devices_; }
  void Compose(const IndexingMap& map, Access& access) override { follower_.Compose(map, access); }
  const CustomCallRegistry* custom_calls() override { return follower_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return follower_.mlir_context_; }

 private:
  Reached& Target(size_t operand, int64_t leaf) {
    return LeafOf(*operands_(operand), instruction_.operand(operand).shape(), leaf);
  }

  PathFollower& follower_;
  const Instruction& instruction_;
  const Frame* frame_;
  const Entry& entry_;
  OperandLeaves operands_;
};

// Collects the arrays that a rule reads.
class PathFollower::ArraySink : public ReadSink {
 public:
  ArraySink(PathFollower& follower, const Instruction& instruction, ArrayReads& reads)
      : follower_(follower), instruction_(instruction), reads_(reads) {}

  void Read(size_t operand, int64_t leaf, Access) override { ReadSameIndex(operand, leaf); }
  void ReadSameIndex(size_t operand, int64_t leaf) override { reads_.emplace_back(operand, leaf); }
  void ReadUnknown(std::string) override {
    for (size_t i = 0; i < instruction_.operands().size(); ++i) {
      const int64_t leaves = instruction_.operand(i).shape().num_array_leaves();
      for (int64_t leaf = 0; leaf < leaves; ++leaf) reads_.emplace_back(i, leaf);
    }
  }
  Sum RuntimeValue(const Instruction&, llvm::ArrayRef<Sum> index, Interval bounds,
                   Access&) override {
    return follower_.digits_.Function(UINT32_MAX, index, bounds);
  }
  Sum OwnDevice(Access&) override {
    return follower_.digits_.Function(UINT32_MAX, {}, {0, follower_.devices_.Count() - 1});
  }
  const DeviceCounts& devices() override { return follower_.devices_; }
  void Compose(const IndexingMap& map, Access& access) override { follower_.Compose(map, access); }
  const CustomCallRegistry* custom_calls() override { return follower_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return follower_.mlir_context_; }

 private:
  PathFollower& follower_;
  const Instruction& instruction_;
  ArrayReads& reads_;
};

OutputIndexing PathFollower::Run(const Instruction& instruction, int64_t output_leaf,
                                 MapDirection direction) {
  OutputIndexing result;
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  if (output.HasUnboundedDimension()) {
    result.unknown_reason = "a dimension has no bound";
    return result;
  }
  Access root;
  root.num_dimensions = output.sizes().size();
  for (const int64_t size : output.sizes()) {
    const VariableId variable = root.AddRange({0, size - 1});
    if (size > 0) root.map.results.push_back(root.map.Variable(digits_, variable));
  }
  // Nobody reads anything for an array without elements.
  if (root.map.empty) return result;
  root_ = Intern(std::move(root));
  std::vector<ReachedLeaves> operands(instruction.operands().size());
  const auto operand_leaves = [&](size_t operand) { return &operands[operand]; };
  Reached reached;
  reached.entries.push_back({root_, ""});
  if (IsFollowed(instruction)) {
    FollowCalled(instruction, output_leaf, reached, nullptr, operand_leaves);
  } else {
    ApplyRule(instruction, output_leaf, reached, nullptr, operand_leaves);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    Collect(instruction, i, operands[i], direction, result);
  }
  return result;
}

PathFollower::Reached& PathFollower::LeafOf(ReachedLeaves& leaves, const Shape& shape,
                                            int64_t leaf) {
  if (leaves.empty()) leaves.resize(static_cast<size_t>(shape.num_array_leaves()));
  return leaves[static_cast<size_t>(leaf)];
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
  std::vector<ReachedLeaves> leaves(computation.instructions().size());
  const Instruction& root = computation.root();
  leaves[static_cast<size_t>(root.index())] = std::move(reached);
  for (size_t i = static_cast<size_t>(root.index()) + 1; i-- > 0;) {
    if (leaves[i].empty()) continue;
    const Instruction& instruction = *computation.instructions()[i];
    if (instruction.opcode() == Opcode::kParameter) {
      AddAll(leaves[i], instruction.shape(),
             *parameters(static_cast<size_t>(instruction.parameter_number())));
      continue;
    }
    const auto operands = [&](size_t operand) {
      return &leaves[static_cast<size_t>(instruction.operand(operand).index())];
    };
    for (size_t k = 0; k < leaves[i].size(); ++k) {
      if (!leaves[i][k].Any()) continue;
      FollowInstruction(instruction, static_cast<int64_t>(k), leaves[i][k], frame, operands);
    }
    leaves[i] = ReachedLeaves();
  }
}

void PathFollower::FollowInstruction(const Instruction& instruction, int64_t leaf, Reached& reached,
                                     const Frame& frame, OperandLeaves operands) {
  if (!reached.unknown.empty()) {
    PassUnknownOn(instruction, leaf, reached.unknown, operands);
    return;
  }
  Limit(reached, instruction.shape().ArrayLeaf(leaf), frame);
  if (!IsFollowed(instruction)) {
    ApplyRule(instruction, leaf, reached, &frame, operands);
    return;
  }
  int depth = 0;
  for (const Frame* outer = &frame; outer != nullptr; outer = outer->outer) ++depth;
  if (depth < options_.max_call_depth) {
    FollowCalled(instruction, leaf, reached, &frame, operands);
    return;
  }
  const std::string limit = std::to_string(options_.max_call_depth);
  AddUnknownToAll(instruction, Keep("calls nest deeper than " + limit + " levels"), operands);
}

void PathFollower::ApplyRule(const Instruction& instruction, int64_t leaf, const Reached& reached,
                             const Frame* frame, OperandLeaves operands) {
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  const bool any_unbounded = HasUnboundedDimension(instruction.shape().ArrayLeaf(leaf)) ||
                             llvm::any_of(instruction.operands(), [](const Instruction* operand) {
                               return HasUnboundedDimension(operand->shape());
                             });
  if (any_unbounded) {
    AddUnknownToAll(instruction, "a dimension has no bound", operands);
    return;
  }
  for (const Entry& entry : reached.entries) {
    ++steps_;
    const Access& access = entry.access->access;
    const simplifier::FactScope facts(digits_, access.map.constraints);
    Sink sink(*this, instruction, frame, entry, operands);
    ReadContext context(instruction, leaf, access, digits_, sink);
    rule(context);
  }
}

void PathFollower::AddEntry(Reached& target, const Entry& entry) {
  if (!target.unknown.empty()) return;
  for (Entry& known : target.entries) {
    if (known.access != entry.access) continue;
    // An exact access makes an inexact one of the same content exact.
    if (entry.reason.empty()) known.reason = entry.reason;
    return;
  }
  target.entries.push_back(entry);
}

void PathFollower::AddUnknown(Reached& target, llvm::StringRef reason) {
  if (target.unknown.empty()) target.unknown = reason;
  target.entries.clear();
}

void PathFollower::AddAll(const ReachedLeaves& from, const Shape& shape, ReachedLeaves& to) {
  for (size_t k = 0; k < from.size(); ++k) {
    if (!from[k].Any()) continue;
    Reached& target = LeafOf(to, shape, static_cast<int64_t>(k));
    if (!from[k].unknown.empty()) AddUnknown(target, from[k].unknown);
    for (const Entry& entry : from[k].entries) AddEntry(target, entry);
  }
}

void PathFollower::AddParameters(const Computation& callee, llvm::ArrayRef<ReachedLeaves> found,
                                 OperandLeaves operands) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty()) AddAll(found[i], callee.parameters()[i]->shape(), *operands(i));
  }
}

void PathFollower::AddUnknownToAll(const Instruction& instruction, llvm::StringRef reason,
                                   OperandLeaves operands) {
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Shape& shape = instruction.operand(i).shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      AddUnknown(LeafOf(*operands(i), shape, leaf), reason);
    }
  }
}

ArrayReads PathFollower::ReadsOf(const Instruction& instruction, int64_t leaf, int call_depth) {
  const std::pair key(&instruction, leaf);
  const auto known = array_reads_.instructions.find(key);
  if (known != array_reads_.instructions.end()) return known->second;
  ArrayReads reads;
  if (IsFollowed(instruction) && call_depth < options_.max_call_depth) {
    AddReadsOfCalled(instruction, leaf, call_depth + 1, reads);
  } else {
    AddReadsOfRule(instruction, leaf, reads);
  }
  array_reads_.instructions[key] = reads;
  return reads;
}

void PathFollower::AddReadsOfRule(const Instruction& instruction, int64_t leaf, ArrayReads& reads) {
  ArraySink sink(*this, instruction, reads);
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  const Shape& output = instruction.shape().ArrayLeaf(leaf);
  const bool any_unbounded = llvm::any_of(instruction.operands(), [](const Instruction* operand) {
    return HasUnboundedDimension(operand->shape());
  });
  if (rule == nullptr || any_unbounded || output.HasUnboundedDimension()) {
    sink.ReadUnknown("");
    return;
  }
  const Access whole = WholeArray(output, {});
  if (whole.map.empty) return;
  ReadContext context(instruction, leaf, whole, digits_, sink);
  rule(context);
}

// The same, remembered; valid until the next question.
const ArrayReads& PathFollower::ReadsOfCallee(const Computation& callee, int64_t leaf,
                                              int call_depth) {
  const std::pair key(&callee, leaf);
  const auto known = array_reads_.computations.find(key);
  if (known != array_reads_.computations.end()) return known->second;
  ArrayReads reads;
  AddReadsOfCallee(callee, leaf, call_depth, reads);
  return array_reads_.computations[key] = std::move(reads);
}

// The arrays of the parameters that an array of the result is read from.
void PathFollower::AddReadsOfCallee(const Computation& callee, int64_t leaf, int call_depth,
                                    ArrayReads& reads) {
  std::vector<std::set<int64_t>> reached(callee.instructions().size());
  const size_t root = static_cast<size_t>(callee.root().index());
  reached[root].insert(leaf);
  for (size_t i = root + 1; i-- > 0;) {
    const Instruction& instruction = *callee.instructions()[i];
    for (const int64_t k : reached[i]) {
      if (instruction.opcode() == Opcode::kParameter) {
        reads.emplace_back(static_cast<size_t>(instruction.parameter_number()), k);
        continue;
      }
      for (const auto& [operand, operand_leaf] : ReadsOf(instruction, k, call_depth)) {
        reached[static_cast<size_t>(instruction.operand(operand).index())].insert(operand_leaf);
      }
    }
  }
}

// An array of whose elements nobody knows which are read: nobody knows of those that it reads
// either.
void PathFollower::PassUnknownOn(const Instruction& instruction, int64_t leaf,
                                 llvm::StringRef reason, OperandLeaves operands) {
  for (const auto& [operand, operand_leaf] : ReadsOf(instruction, leaf, /*call_depth=*/0)) {
    AddUnknown(LeafOf(*operands(operand), instruction.operand(operand).shape(), operand_leaf),
               reason);
  }
}

const PathFollower::UniqueAccess* PathFollower::Intern(Access access) {
  llvm::FoldingSetNodeID node_id;
  ProfileAccess(access, node_id);
  void* insert_position = nullptr;
  if (UniqueAccess* known = unique_.FindNodeOrInsertPos(node_id, insert_position)) return known;
  accesses_.emplace_back().access = std::move(access);
  unique_.InsertNode(&accesses_.back(), insert_position);
  return &accesses_.back();
}

// Brings an access into the form in which equal ones are found to be equal. Returns why it covers
// more than before, if it does.
llvm::StringRef PathFollower::Settle(Access& access) {
  llvm::StringRef reason;
  if (options_.simplification == AnalysisOptions::Simplification::kFull) {
    simplifier::Tighten(digits_, access.map);
  }
  if (access.map.empty) return reason;
  if (access.map.constraints.size() > kMaxConstraints) {
    access.map.constraints.resize(kMaxConstraints);
    reason = "some of very many constraints are left out";
  }
  RenumberRanges(digits_, access);
  return reason;
}

// Inside a loop: leaves out the constraints that the results do not need to lie inside the array.
// Iterations differ in them, and what is read in any of them counts.
void PathFollower::Loosen(Access& access, const Shape& shape) {
  if (access.map.constraints.empty()) return;
  const llvm::ArrayRef<Sum> index = access.Index();
  for (size_t i = 0; i < index.size(); ++i) {
    const Interval inside = {0, shape.sizes()[i] - 1};
    if (!inside.Contains(simplifier::NaturalRange(index[i]))) return;
  }
  access.map.constraints.clear();
  RenumberRanges(digits_, access);
  access.superset_reason = "what a loop reads is not followed iteration by iteration";
}

// Every element of an array, for every element of the output; on any device, if one of these
// entries reaches another device.
Access PathFollower::WholeArray(const Shape& shape, llvm::ArrayRef<Entry> entries) {
  Access whole = root_->access;
  whole.map.results.clear();
  const auto add_range = [&](int64_t size) {
    const VariableId variable = whole.AddRange({0, size - 1});
    whole.ranges.push_back(variable);
    if (size > 0) whole.map.results.push_back(whole.map.Variable(digits_, variable));
  };
  for (const int64_t size : shape.sizes()) add_range(size);
  whole.has_device =
      llvm::any_of(entries, [](const Entry& entry) { return entry.access->access.has_device; });
  if (whole.has_device) add_range(devices_.Count());
  return whole;
}

// Beyond the limits, the array counts as read whole.
void PathFollower::Limit(Reached& reached, const Shape& shape, const Frame& frame) {
  size_t max_accesses = options_.max_accesses;
  if (IsInLoop(&frame)) {
    // What happens in a loop is not exact anyway.
    max_accesses = std::min(kMaxAccessesInLoop, max_accesses);
  } else if (reached.entries.size() > options_.max_accesses_with_values &&
             llvm::any_of(reached.entries, [](const Entry& entry) {
               return !entry.access->access.runtime.empty();
             })) {
    max_accesses = std::min(options_.max_accesses_with_values, max_accesses);
  }
  const bool too_many = reached.entries.size() > max_accesses;
  if ((!too_many && steps_ <= options_.max_steps) || shape.HasUnboundedDimension()) return;
  const std::string reason =
      too_many ? "an array inside is read in more than " + std::to_string(max_accesses) + " ways"
               : "more than " + std::to_string(options_.max_steps) + " reads to follow";
  Access whole = WholeArray(shape, reached.entries);
  reached.entries.clear();
  if (!whole.map.empty) reached.entries.push_back({Intern(std::move(whole)), Keep(reason)});
}

Sum PathFollower::RuntimeValue(const Instruction& operand, llvm::ArrayRef<Sum> index,
                               Interval bounds, const Frame* frame, const Access& incoming,
                               Access& access) {
  if (bounds.IsPoint()) return simplifier::Constant(bounds.lower);
  ++value_uses_;
  const CalledInstruction source = ResolveParameter({&operand, frame});
  const IntegerValue known = KnownInteger(digits_, source, index);
  const auto clamp = [&](int64_t value) { return std::clamp(value, bounds.lower, bounds.upper); };
  if (known.sum && bounds.Contains(simplifier::NaturalRange(*known.sum))) return *known.sum;
  bounds = {clamp(known.range.lower), clamp(known.range.upper)};
  if (bounds.IsPoint()) return simplifier::Constant(bounds.lower);
  if (access.has_device) {
    return VaryingValue(bounds, "an index has another value on another device", access);
  }
  std::vector<const Instruction*> path;
  bool is_loop = false;
  for (frame = source.frame; frame != nullptr; frame = frame->outer) {
    is_loop |= frame->is_loop;
    if (frame->outer != nullptr) path.insert(path.begin(), frame->call);
  }
  if (is_loop) return VaryingValue(bounds, "an index changes while a loop runs", access);
  path.push_back(source.instruction);
  const auto [position, is_new] =
      runtime_numbers_.try_emplace(path, static_cast<uint32_t>(table_.size()));
  if (is_new) {
    RuntimeSource& entry = table_.emplace_back();
    entry.instruction = source.instruction;
    entry.calls.assign(path.begin(), path.end() - 1);
  }
  const uint32_t number = position->second;
  if (!llvm::is_contained(access.runtime, number)) {
    // In front of those that the access came with, behind those of this instruction.
    const size_t added = access.runtime.size() - incoming.runtime.size();
    access.runtime.insert(access.runtime.begin() + static_cast<std::ptrdiff_t>(added), number);
  }
  return digits_.Function(number, index, bounds);
}

// A value that is not one for the whole question: any of those that it may have.
Sum PathFollower::VaryingValue(Interval bounds, llvm::StringRef reason, Access& access) {
  const VariableId variable = access.AddRange(bounds);
  access.ranges.insert(access.ranges.begin(), variable);
  access.superset_reason = reason.str();
  return access.map.Variable(digits_, variable);
}

// The device of the access stays what it is.
void PathFollower::Compose(const IndexingMap& map, Access& access) {
  std::optional<Sum> device;
  if (access.has_device) device = access.map.results.pop_back_val();
  ComposeInto(digits_, table_, map, access);
  if (device) access.map.results.push_back(*device);
}

Sum PathFollower::OwnDevice(Access& access) {
  const Interval bounds = {0, devices_.Count() - 1};
  if (!device_number_) {
    device_number_ = static_cast<uint32_t>(table_.size());
    RuntimeSource& entry = table_.emplace_back();
    entry.bounds = bounds;
    entry.name = "replica";
  }
  if (!llvm::is_contained(access.runtime, *device_number_)) {
    access.runtime.push_back(*device_number_);
  }
  return digits_.Function(*device_number_, {}, bounds);
}

// Reports what has reached one operand.
void PathFollower::Collect(const Instruction& instruction, size_t operand,
                           const ReachedLeaves& leaves, MapDirection direction,
                           OutputIndexing& result) {
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const Reached& reached = leaves[leaf];
    if (!reached.Any()) continue;
    OperandIndexing indexing;
    indexing.operand = operand;
    indexing.leaf = static_cast<int64_t>(leaf);
    const Shape& shape = instruction.operand(operand).shape().ArrayLeaf(indexing.leaf);
    if (reached.unknown.empty() && shape.HasUnboundedDimension()) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "a dimension has no bound";
    } else if (reached.unknown.empty()) {
      CollectMaps(reached, shape, direction, indexing);
    } else {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = reached.unknown.str();
    }
    if (indexing.maps == nullptr || !indexing.maps->empty()) {
      result.operands.push_back(std::move(indexing));
    }
  }
}

// The map of one access, its device as the last result; nothing where it is too long, the empty map
// where it reaches nothing.
std::optional<IndexingMap> PathFollower::MapOf(Access access, const Shape& shape,
                                               MapDirection direction) {
  const bool full = options_.simplification == AnalysisOptions::Simplification::kFull;
  if (full) simplifier::Simplify(digits_, access.map);
  if (direction == MapDirection::kInputToOutput && !access.map.empty) {
    std::optional<Sum> device;
    if (access.has_device) device = OwnDevice(access);
    access = InvertAccess(digits_, access, shape.sizes(), device);
    if (full) simplifier::Simplify(digits_, access.map);
    if (!access.map.empty) RenumberRanges(digits_, access);
  }
  // The empty map has no form of its own here.
  if (access.map.empty) return IndexingMap();
  std::optional<IndexingMap> map =
      ExportMap(digits_, table_, access, UnusedVariables::kDrop, mlir_context_);
  // What composition has found may have a shorter form, read again.
  if (map && full && HasDivisions(*map)) *map = Simplify(*map);
  return map;
}

namespace {

// Takes the device, the last result, off a map.
IndexingMap SplitDevice(IndexingMap& map) {
  const mlir::AffineMap all = map.affine_map();
  const auto with = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return IndexingMap(
        mlir::AffineMap::get(all.getNumDims(), all.getNumSymbols(), results, map.context()),
        {map.dimensions().begin(), map.dimensions().end()},
        {map.ranges().begin(), map.ranges().end()}, {map.runtime().begin(), map.runtime().end()},
        map.constraints());
  };
  IndexingMap device = with(all.getResults().take_back(1));
  map = with(all.getResults().drop_back(1));
  return device;
}

// What identifies the maps of a simple access; empty for others.
std::vector<int64_t> SimpleKey(const Access& access, const Shape& shape, MapDirection direction) {
  if (!access.map.constraints.empty() || !access.runtime.empty() || access.has_device) return {};
  std::vector<int64_t> key = {static_cast<int64_t>(direction),
                              static_cast<int64_t>(access.num_dimensions),
                              static_cast<int64_t>(access.map.boxes.size())};
  for (const Interval& box : access.map.boxes) {
    key.push_back(box.lower);
    key.push_back(box.upper);
  }
  for (const Sum& result : access.map.results) {
    const bool is_variable = result.terms.size() == 1 && result.terms[0].coefficient == 1 &&
                             result.terms[0].IsWhole() &&
                             result.terms[0].atom->kind == simplifier::AtomKind::kVariable &&
                             result.terms[0].atom->lower == result.constant;
    if (!is_variable && !result.IsConstant()) return {};
    key.push_back(is_variable ? 1 : 0);
    key.push_back(is_variable ? result.terms[0].atom->variable : result.constant);
  }
  key.insert(key.end(), shape.sizes().begin(), shape.sizes().end());
  return key;
}

}  // namespace

void PathFollower::CollectMaps(const Reached& reached, const Shape& shape, MapDirection direction,
                               OperandIndexing& indexing) {
  std::vector<int64_t> key;
  if (reached.entries.size() == 1) {
    const Entry& entry = reached.entries.front();
    key = SimpleKey(entry.access->access, shape, direction);
    const auto known = key.empty() ? simple_maps_.end() : simple_maps_.find(key);
    if (known != simple_maps_.end()) {
      indexing.maps = known->second;
      if (!entry.reason.empty()) indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry.reason.str();
      return;
    }
  }
  std::vector<std::pair<IndexingMap, bool>> found;
  bool any_device = false;
  for (const Entry& entry : reached.entries) {
    std::optional<IndexingMap> map = MapOf(entry.access->access, shape, direction);
    if (!map) {
      indexing.exactness = Exactness::kUnknown;
      indexing.reason = "an index expression is too long to be written down";
      return;
    }
    if (map->IsUnknown()) continue;
    if (!entry.reason.empty()) {
      indexing.exactness = Exactness::kSuperset;
      indexing.reason = entry.reason.str();
    }
    const bool has_device = entry.access->access.has_device;
    any_device |= has_device;
    std::pair<IndexingMap, bool> next(std::move(*map), has_device);
    if (!llvm::is_contained(found, next)) found.push_back(std::move(next));
  }
  std::vector<IndexingMap> maps;
  std::vector<std::optional<IndexingMap>> devices;
  for (auto& [map, has_device] : found) {
    devices.emplace_back();
    if (has_device) devices.back() = SplitDevice(map);
    maps.push_back(std::move(map));
  }
  indexing.maps = std::make_shared<const std::vector<IndexingMap>>(std::move(maps));
  if (!key.empty()) simple_maps_.emplace(std::move(key), indexing.maps);
  if (!any_device) return;
  indexing.replica_maps =
      std::make_shared<const std::vector<std::optional<IndexingMap>>>(std::move(devices));
}

}  // namespace hlo_indexing::indexing_analysis
