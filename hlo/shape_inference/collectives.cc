// Shapes of operations between devices.
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "hlo/replica_groups.h"
#include "hlo/shape_inference/rule_table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

llvm::SmallVector<const Shape*, 4> OperandShapes(const ShapeContext& context) {
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < context.num_operands(); ++i) shapes.push_back(&context.operand(i));
  return shapes;
}

// The one dimension that the operation works along, which every operand has.
std::optional<int64_t> RequireOneDimension(ShapeContext& context) {
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (!context.RequireOneDimension(context.operand(i).rank())) return std::nullopt;
  }
  return dimensions[0];
}

// nullopt on overflow.
std::optional<int64_t> Product(llvm::ArrayRef<int64_t> sizes) {
  std::optional<int64_t> product = 1;
  for (const int64_t size : sizes) {
    if (product) product = support::CheckedMul(*product, size);
  }
  return product;
}

// [dimensions]<=[reshape]T(permutation): as many devices on both sides, and each dimension once in
// the permutation.
bool RequireIota(ShapeContext& context, const ReplicaGroups& groups) {
  for (const llvm::ArrayRef<int64_t> sizes : {groups.dimensions, groups.reshape}) {
    for (const int64_t size : sizes) {
      if (size > 0 && size <= std::numeric_limits<int32_t>::max()) continue;
      return context.FailAt(AttributeName::kReplicaGroups,
                            std::to_string(size) + " is no size of a list of devices");
    }
  }
  const std::optional<int64_t> listed = Product(groups.reshape);
  const std::optional<int64_t> grouped = Product(groups.dimensions);
  if (!listed || !grouped) {
    return context.FailAt(AttributeName::kReplicaGroups, "replica_groups has too many devices");
  }
  if (listed != grouped) {
    return context.FailAt(AttributeName::kReplicaGroups, "groups of " + std::to_string(*grouped) +
                                                             " devices cannot hold " +
                                                             std::to_string(*listed));
  }
  if (groups.permutation.empty()) return true;
  llvm::SmallVector<int64_t, 4> sorted(groups.permutation);
  llvm::sort(sorted);
  const auto dimensions = llvm::seq<int64_t>(0, static_cast<int64_t>(groups.reshape.size()));
  if (llvm::equal(sorted, dimensions)) return true;
  return context.FailAt(
      AttributeName::kReplicaGroups,
      "T(...) of replica_groups must have each dimension of the list of devices once");
}

// No device is in two groups and no group is empty.
bool RequireDisjointGroups(ShapeContext& context) {
  const auto groups =
      context.instruction().Get<const ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (!groups) return true;
  // Any number may be in the text; a DenseSet keeps two of them for itself.
  std::set<int64_t> seen;
  for (const llvm::ArrayRef<int64_t> group : (*groups)->groups) {
    if (group.empty() && (*groups)->groups.size() > 1) {
      return context.FailAt(AttributeName::kReplicaGroups, "one of several groups is empty");
    }
    for (const int64_t replica : group) {
      const bool exists = replica >= 0 && replica <= std::numeric_limits<int32_t>::max();
      if (exists && seen.insert(replica).second) continue;
      return context.FailAt(AttributeName::kReplicaGroups,
                            "replica " + std::to_string(replica) +
                                (exists ? " is in replica_groups twice" : " does not exist"));
    }
  }
  return (*groups)->form != ReplicaGroups::Form::kIota || RequireIota(context, **groups);
}

// With slice_sizes, a permute writes slices of operand 0 into operand 1; operands 2 and 3 say
// where.
bool IsInPlacePermute(const ShapeContext& context) {
  return context.num_operands() == 4 &&
         context.instruction().Find(AttributeName::kSliceSizes) != nullptr;
}

// The numbers of devices in source_target_pairs are such: neither negative nor above 2^31. Each
// sends once and receives once, but for slices, of which there may be several.
bool RequireDevicesOfPairs(ShapeContext& context) {
  using Lists = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  const auto pairs = context.instruction().Get<Lists>(AttributeName::kSourceTargetPairs);
  if (!pairs) return true;
  std::set<int64_t> sources;
  std::set<int64_t> targets;
  for (const llvm::ArrayRef<int64_t> pair : *pairs) {
    if (pair.size() != 2 && !IsInPlacePermute(context)) {
      return context.FailAt(AttributeName::kSourceTargetPairs,
                            "pairs of a source and a target are expected, not a list of " +
                                std::to_string(pair.size()));
    }
    for (const int64_t device : pair) {
      if (device >= 0 && device <= std::numeric_limits<int32_t>::max()) continue;
      return context.FailAt(AttributeName::kSourceTargetPairs,
                            "device " + std::to_string(device) + " does not exist");
    }
    if (pair.size() != 2 || IsInPlacePermute(context)) continue;
    for (const bool sends : {true, false}) {
      const int64_t device = pair[sends ? 0 : 1];
      if ((sends ? sources : targets).insert(device).second) continue;
      return context.FailAt(
          AttributeName::kSourceTargetPairs,
          "device " + std::to_string(device) + (sends ? " sends twice" : " receives twice"));
    }
  }
  return true;
}

// The computation only says how to combine two numbers: operands of several types may share it.
bool RequireCombiner(ShapeContext& context) {
  const Computation* callee = context.instruction().Callee(AttributeName::kToApply);
  if (callee == nullptr) return true;
  const Shape& root = callee->root().shape();
  const bool in_tuple = root.IsTuple() && root.elements().size() == 1;
  const Shape& result = in_tuple ? *root.elements()[0] : root;
  if (result.IsScalar()) {
    return context.RequireReducer(AttributeName::kToApply, {result.element_type()});
  }
  return context.FailAt(AttributeName::kToApply, "computation '" + callee->name().str() +
                                                     "' gives " + root.ToString() +
                                                     ", a number is expected");
}

// Whether `whole` consists of copies of `part` side by side along the dimension, as many as there
// are devices in a group: that number is not always in the text, so any will do.
bool IsMultiple(const Shape& whole, const Shape& part, int64_t dimension) {
  if (!whole.IsArray() || !MayMix(whole.element_type(), part.element_type()) ||
      whole.rank() != part.rank()) {
    return false;
  }
  for (int64_t i = 0; i < whole.rank(); ++i) {
    const int64_t of_whole = whole.sizes()[static_cast<size_t>(i)];
    const int64_t of_part = part.sizes()[static_cast<size_t>(i)];
    if (SameSize(of_whole, of_part)) continue;
    if (i != dimension || of_part == 0 || of_whole < of_part || of_whole % of_part != 0) {
      return false;
    }
  }
  return true;
}

// The sizes of the groups that the text gives; none if all devices are in one.
std::set<int64_t> SizesOfGroups(const Instruction& instruction) {
  const auto attribute = instruction.Get<const ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (!attribute) return {};
  const ReplicaGroups& groups = **attribute;
  std::set<int64_t> sizes;
  if (groups.form == ReplicaGroups::Form::kList) {
    for (const llvm::ArrayRef<int64_t> group : groups.groups) {
      if (!group.empty()) sizes.insert(static_cast<int64_t>(group.size()));
    }
    return sizes;
  }
  std::string error;
  if (const auto iota = FindIotaGroups(groups, error)) sizes.insert(iota->group_size);
  return sizes;
}

// Whether each group has a device for each part of the whole along the dimension. Groups of one
// device are those of programs that do not say how many devices there are, as XLA has it.
bool RequireDeviceOfEachPart(ShapeContext& context, const Shape& whole, const Shape& part,
                             int64_t dimension) {
  const int64_t of_whole = whole.sizes()[static_cast<size_t>(dimension)];
  const int64_t of_part = part.sizes()[static_cast<size_t>(dimension)];
  if (of_whole == kUnboundedSize || of_part == kUnboundedSize || of_part == 0) return true;
  const int64_t parts = of_whole / of_part;
  const bool has_partitions =
      GroupModeOf(context.instruction()) == GroupMode::kCrossReplicaAndPartition;
  for (const int64_t devices : SizesOfGroups(context.instruction())) {
    const bool fits = devices == 1 || (has_partitions ? parts % devices == 0 : parts == devices);
    if (fits) continue;
    return context.FailAt(AttributeName::kReplicaGroups,
                          "a group of " + std::to_string(devices) + " devices cannot hold " +
                              whole.ToString() + " in parts of " + part.ToString());
  }
  return true;
}

enum class Scaling : uint8_t { kGather, kScatter };

// Each result has a multiple, or a fraction, of the operand's size along the dimension.
bool RequireScaledResults(ShapeContext& context, const Shape& given, Scaling scaling) {
  const std::optional<int64_t> dimension = RequireOneDimension(context);
  if (!dimension) return false;
  llvm::SmallVector<const Shape*, 4> results = {&given};
  if (given.IsTuple()) results.assign(given.elements().begin(), given.elements().end());
  const std::string name = OpcodeName(context.instruction().opcode()).str();
  if (results.size() != context.num_operands()) {
    return context.Fail(name + " of " + std::to_string(context.num_operands()) +
                        " operands cannot give " + given.ToString());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& operand = context.operand(i);
    const bool fits = scaling == Scaling::kGather
                          ? IsMultiple(*results[i], operand, *dimension)
                          : results[i]->IsArray() && IsMultiple(operand, *results[i], *dimension);
    if (!fits) {
      return context.Fail(name + " of " + operand.ToString() + " along dimension " +
                          std::to_string(*dimension) + " cannot give " + results[i]->ToString());
    }
    const bool is_gather = scaling == Scaling::kGather;
    if (!RequireDeviceOfEachPart(context, is_gather ? *results[i] : operand,
                                 is_gather ? operand : *results[i], *dimension)) {
      return false;
    }
  }
  return true;
}

// An asynchronous collective gives (operands, results, ...): its results, or null after an error.
const Shape* RequireStart(ShapeContext& context, llvm::ArrayRef<const Shape*> operands) {
  const Shape* declared = context.declared();
  const std::string name = OpcodeName(context.instruction().opcode()).str();
  if (!declared->IsTuple() || declared->elements().size() < 2) {
    context.Fail(name + " gives (operands, results, ...), not " + declared->ToString());
    return nullptr;
  }
  const Shape& first = *declared->elements()[0];
  const Shape* tuple = context.pool().Tuple(operands);
  const bool is_one = operands.size() == 1 && ShapesAgree(first, *operands[0], TypeMatch::kSame);
  if (!is_one && tuple == nullptr) {
    context.Fail("the tuple has too many elements or nests too deep");
    return nullptr;
  }
  if (!is_one && !ShapesAgree(first, *tuple, TypeMatch::kSame)) {
    context.Fail(name + " gives operands " + first.ToString() + ", it has " +
                 (operands.size() == 1 ? operands[0] : tuple)->ToString());
    return nullptr;
  }
  return declared->elements()[1];
}

// Slices of arrays are written into arrays, at places that are tuples of integers.
bool RequirePlacesOfSlices(ShapeContext& context) {
  if (!IsInPlacePermute(context)) return true;
  for (size_t i = 0; i < 4; ++i) {
    const Shape& operand = context.operand(i);
    bool fits = operand.num_array_leaves() > 0;
    for (int64_t leaf = 0; leaf < operand.num_array_leaves() && i > 1; ++leaf) {
      const Shape& place = operand.ArrayLeaf(leaf);
      fits = fits && IsIntegral(place.element_type()) && place.num_elements() == 1;
    }
    if (fits) continue;
    return context.Fail("operand " + std::to_string(i) + " must hold " +
                        (i > 1 ? "integers that say where slices are" : "arrays") + ", not be " +
                        operand.ToString());
  }
  return true;
}

}  // namespace

bool AllReduce(ShapeContext& context) {
  return RequireDisjointGroups(context) && RequireCombiner(context) &&
         context.ExpectEach(OperandShapes(context));
}

bool AllGather(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireDisjointGroups(context)) return false;
  const Shape* declared = context.declared();
  return declared == nullptr || RequireScaledResults(context, *declared, Scaling::kGather);
}

bool AllGatherStart(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireDisjointGroups(context)) return false;
  if (context.declared() == nullptr) return true;
  const Shape* results = RequireStart(context, OperandShapes(context));
  return results != nullptr && RequireScaledResults(context, *results, Scaling::kGather);
}

bool ReduceScatter(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireDisjointGroups(context) || !RequireCombiner(context)) {
    return false;
  }
  const Shape* declared = context.declared();
  return declared == nullptr || RequireScaledResults(context, *declared, Scaling::kScatter);
}

// With dimensions, one array that is split along it and put together again: its shape stays.
// Without, one array for each device of a group.
bool AllToAll(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireDisjointGroups(context)) return false;
  if (context.instruction().Find(AttributeName::kDimensions) != nullptr &&
      !RequireOneDimension(context)) {
    return false;
  }
  for (size_t i = 1; i < context.num_operands(); ++i) {
    if (!context.RequireSameDimensions(0, i) || !context.RequireMixable(0, i)) return false;
  }
  return context.ExpectEach(OperandShapes(context));
}

// (input, output, and four arrays of integers that say which rows are sent where): the output, with
// rows of the input in it.
bool RaggedAllToAll(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireDisjointGroups(context) ||
      !context.RequireMixable(0, 1)) {
    return false;
  }
  const llvm::ArrayRef<int64_t> input = context.operand(0).sizes();
  const llvm::ArrayRef<int64_t> output = context.operand(1).sizes();
  const bool fits = !input.empty() && input.size() == output.size() &&
                    std::equal(input.begin() + 1, input.end(), output.begin() + 1, SameSize);
  if (!fits) {
    return context.Fail("rows of " + context.operand(0).ToString() + " are no rows of " +
                        context.operand(1).ToString());
  }
  for (size_t i = 2; i < context.num_operands(); ++i) {
    if (!IsIntegral(context.operand(i).element_type())) {
      return context.Fail("operand " + std::to_string(i) + " must hold integers, not be " +
                          context.operand(i).ToString());
    }
    if (!context.RequireSameDimensions(2, i)) return false;
  }
  return context.ExpectLike(context.operand(1).element_type(), context.operand(1));
}

bool CollectiveBroadcast(ShapeContext& context) {
  if (!RequireDisjointGroups(context)) return false;
  llvm::SmallVector<const Shape*, 4> shapes = OperandShapes(context);
  if (context.instruction().Get<bool>(AttributeName::kHasDynamicRoot).value_or(false)) {
    // Any type: XLA's own test of the parser gives the root as f32[1].
    const Shape& root = *shapes.pop_back_val();
    if (shapes.empty() || !root.IsArray() || root.rank() > 1 || root.num_elements() != 1) {
      return context.FailAt(
          AttributeName::kHasDynamicRoot,
          "the last operand must be the root, one number, not " + root.ToString());
    }
  }
  return context.ExpectEach(shapes);
}

bool CollectivePermute(ShapeContext& context) {
  if (!RequireDevicesOfPairs(context) || !RequirePlacesOfSlices(context)) return false;
  if (IsInPlacePermute(context)) return context.ExpectEach(&context.operand(1));
  return context.ExpectEach(OperandShapes(context));
}

bool CollectivePermuteStart(ShapeContext& context) {
  if (!RequireDevicesOfPairs(context) || !RequirePlacesOfSlices(context)) return false;
  if (context.declared() == nullptr) return true;
  llvm::SmallVector<const Shape*, 4> operands = OperandShapes(context);
  llvm::SmallVector<const Shape*, 4> expected = operands;
  if (IsInPlacePermute(context)) {
    expected = {operands[1]};
    operands = {operands[0]};
  }
  const Shape* results = RequireStart(context, operands);
  if (results == nullptr) return false;
  const Shape* tuple = context.pool().Tuple(expected);
  const bool is_one =
      expected.size() == 1 && ShapesAgree(*results, *expected[0], TypeMatch::kAnyPrecision);
  if (is_one || tuple == nullptr || ShapesAgree(*results, *tuple, TypeMatch::kAnyPrecision)) {
    return true;
  }
  return context.Fail("collective-permute-start gives " + results->ToString() +
                      ", its operands give " +
                      (expected.size() == 1 ? expected[0] : tuple)->ToString());
}

}  // namespace hlo_indexing::hlo::shape_rules
