// Operations between devices. What is read stands on a device of its own: the executing device is a
// runtime value, the device that is read is a result of the access.
#include <algorithm>
#include <optional>
#include <vector>

#include "indexing_analysis/rules/device_groups.h"
#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using simplifier::Constant;
using simplifier::ScaledSum;
using Indices = llvm::SmallVector<Sum, 6>;

// Groups that are listed without a pattern are cases of their own; more are taken together.
constexpr int64_t kMaxCases = 1024;

constexpr llvm::StringLiteral kAnyDevice =
    "which device is read is not followed: the groups are irregular";

// Which operand, and which of its arrays, an output array of a collective stands for.
struct Counterpart {
  size_t operand = 0;
  int64_t leaf = 0;
  enum class Role : uint8_t { kOperand, kResult, kNone } role = Role::kNone;
};

Counterpart OperandOfLeaf(ReadContext& context, int64_t leaf, Counterpart::Role role) {
  for (size_t i = 0; i < context.num_operands(); ++i) {
    const int64_t leaves = context.operand(i).num_array_leaves();
    if (leaf < leaves) return {i, leaf, role};
    leaf -= leaves;
  }
  return {};
}

Counterpart CounterpartOf(ReadContext& context) {
  return OperandOfLeaf(context, context.output_leaf(), Counterpart::Role::kResult);
}

// Of an asynchronous start that gives (operands, results, ...).
Counterpart CounterpartOfStart(ReadContext& context) {
  const hlo::Shape& shape = context.instruction().shape();
  const int64_t element = shape.ElementOfLeaf(context.output_leaf());
  if (element > 1) return {};
  return OperandOfLeaf(context, context.output_leaf() - shape.FirstLeafOfElement(element),
                       element == 0 ? Counterpart::Role::kOperand : Counterpart::Role::kResult);
}

// If groups are not understood: the whole array of any device.
void ReadAnywhere(ReadContext& context, size_t operand, int64_t leaf, llvm::StringRef reason) {
  Access access = context.Start();
  Indices index;
  for (const int64_t size : context.operand(operand).ArrayLeaf(leaf).sizes()) {
    index.push_back(context.AddRange(access, size));
  }
  const Sum device = context.AddRange(access, context.devices().Count());
  access.superset_reason = reason.str();
  context.ReadFromDevice(operand, leaf, std::move(access), index, device);
}

std::optional<DeviceGroups> GroupsOf(ReadContext& context) {
  std::optional<DeviceGroups> groups = DeviceGroups::Of(context.instruction(), context.devices());
  if (groups && groups->num_cases() > kMaxCases) groups.reset();
  return groups;
}

// The dimension that the collective works along, if it and the arrays fit.
std::optional<size_t> Along(ReadContext& context, const hlo::Shape& operand) {
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  const bool fits = dimensions.size() == 1 && dimensions[0] < operand.rank() &&
                    operand.rank() == context.output().rank();
  return fits ? std::optional<size_t>(static_cast<size_t>(dimensions[0])) : std::nullopt;
}

// Reads `index` of the device at `position` in the group of `member`.
void ReadMember(ReadContext& context, const DeviceGroups& groups, const GroupMember& member,
                const Access& access, const Sum& position, const Counterpart& array,
                llvm::ArrayRef<Sum> index) {
  groups.ForEachPeer(context, member, access, position, [&](Access of_peer, const Sum& device) {
    context.ReadFromDevice(array.operand, array.leaf, std::move(of_peer), index, device);
  });
}

Sum Shifted(DigitContext& digits, const Sum& index, const Sum& block, int64_t block_size) {
  const ScaledSum parts[] = {{block, block_size}, {index, 1}};
  return Linear(digits, parts);
}

// Part p along the dimension is the array of device p of the group.
void GatherResult(ReadContext& context, const Counterpart& array) {
  const hlo::Shape& part = context.operand(array.operand).ArrayLeaf(array.leaf);
  const std::optional<DeviceGroups> groups = GroupsOf(context);
  const std::optional<size_t> along = Along(context, part);
  if (!groups || !along || part.sizes()[*along] == 0) {
    return ReadAnywhere(context, array.operand, array.leaf, kAnyDevice);
  }
  const simplifier::Division part_of =
      DivMod(context.digits(), context.index()[*along], part.sizes()[*along]);
  Indices index(context.index().begin(), context.index().end());
  index[*along] = part_of.remainder;
  groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
    ReadMember(context, *groups, member, member.access, part_of.quotient, array, index);
  });
}

// A device that is no target gets zeros. Runs of pairs with the same distance are one case.
void PermuteResult(ReadContext& context, const Counterpart& array) {
  if (context.instruction().Find(AttributeName::kSliceSizes) != nullptr) {
    const llvm::StringRef reason = "which slices are written where is not followed by element";
    for (size_t i = 0; i < context.num_operands(); ++i) {
      const int64_t leaves = context.operand(i).num_array_leaves();
      for (int64_t leaf = 0; leaf < leaves; ++leaf) ReadAnywhere(context, i, leaf, reason);
    }
    return;
  }
  using Lists = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  const Lists pairs =
      context.instruction().Get<Lists>(AttributeName::kSourceTargetPairs).value_or(Lists());
  std::vector<std::pair<int64_t, int64_t>> sources;  // by target
  for (const llvm::ArrayRef<int64_t> pair : pairs) {
    if (pair.size() == 2) sources.emplace_back(pair[1], pair[0]);
  }
  llvm::sort(sources);
  DigitContext& digits = context.digits();
  const hlo::GroupMode mode = hlo::GroupModeOf(context.instruction());
  const int64_t partitions = context.devices().partitions;
  for (size_t begin = 0; begin < sources.size();) {
    const auto [first, source] = sources[begin];
    size_t end = begin + 1;
    while (end < sources.size() && sources[end].first == sources[end - 1].first + 1 &&
           sources[end].second - sources[end].first == source - first) {
      ++end;
    }
    Access access = context.Start();
    const Sum device = context.Device(access);
    const simplifier::Division own = DivMod(digits, device, partitions);
    Sum target = own.quotient;
    if (mode == hlo::GroupMode::kCrossPartition) target = own.remainder;
    if (mode == hlo::GroupMode::kFlattenedId) target = device;
    context.Constrain(access, target, {first, sources[end - 1].first});
    const ScaledSum moved[] = {{device, 1}};
    const int64_t step = mode == hlo::GroupMode::kCrossReplica ? partitions : 1;
    const Sum from = Linear(digits, moved, (source - first) * step);
    context.ReadFromDevice(array.operand, array.leaf, std::move(access), context.index(), from);
    begin = end;
  }
}

// An array of an asynchronous start is an operand itself, or a result.
void OperandOrResult(ReadContext& context, void (*result)(ReadContext&, const Counterpart&)) {
  const Counterpart array = CounterpartOfStart(context);
  if (array.role == Counterpart::Role::kNone) return;
  if (array.role == Counterpart::Role::kResult) return result(context, array);
  context.ReadSameIndexWithin(array.operand, array.leaf);
}

}  // namespace

// The same element of every device of the group.
void AllReduce(ReadContext& context) {
  const Counterpart array = CounterpartOf(context);
  if (array.role == Counterpart::Role::kNone) return;
  const std::optional<DeviceGroups> groups = GroupsOf(context);
  if (!groups) return ReadAnywhere(context, array.operand, array.leaf, kAnyDevice);
  groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
    Access access = member.access;
    const Sum position = context.AddRange(access, groups->size());
    ReadMember(context, *groups, member, access, position, array, context.index());
  });
}

void AllGather(ReadContext& context) {
  const Counterpart array = CounterpartOf(context);
  if (array.role != Counterpart::Role::kNone) GatherResult(context, array);
}

void AllGatherStart(ReadContext& context) { OperandOrResult(context, GatherResult); }

// Device p of the group gets part p of the sum over the group.
void ReduceScatter(ReadContext& context) {
  const Counterpart array = CounterpartOf(context);
  if (array.role == Counterpart::Role::kNone) return;
  const hlo::Shape& whole = context.operand(array.operand).ArrayLeaf(array.leaf);
  const std::optional<DeviceGroups> groups = GroupsOf(context);
  const std::optional<size_t> along = Along(context, whole);
  if (!groups || !along) return ReadAnywhere(context, array.operand, array.leaf, kAnyDevice);
  const int64_t part = context.output().sizes()[*along];
  groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
    Access access = member.access;
    const Sum position = context.AddRange(access, groups->size());
    Indices index(context.index().begin(), context.index().end());
    index[*along] = Shifted(context.digits(), index[*along], member.position, part);
    ReadMember(context, *groups, member, access, position, array, index);
  });
}

// With dimensions: part p of the array comes from device p of the group, where it is the part of
// the executing device. Without, arrays take the role of parts.
void AllToAll(ReadContext& context) {
  const std::optional<DeviceGroups> groups = GroupsOf(context);
  if (!groups) {
    for (size_t i = 0; i < context.num_operands(); ++i) ReadAnywhere(context, i, 0, kAnyDevice);
    return;
  }
  if (context.instruction().Find(AttributeName::kDimensions) == nullptr) {
    const Sum source = Constant(context.output_leaf());
    groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
      for (size_t i = 0; i < context.num_operands(); ++i) {
        Access access = member.access;
        context.Constrain(access, member.position, Interval::Point(static_cast<int64_t>(i)));
        if (access.map.empty) continue;
        ReadMember(context, *groups, member, access, source, {i, 0}, context.index());
      }
    });
    return;
  }
  const Counterpart array = CounterpartOf(context);
  const std::optional<size_t> along = array.role == Counterpart::Role::kNone
                                          ? std::nullopt
                                          : Along(context, context.operand(array.operand));
  const int64_t size = along ? context.output().sizes()[*along] : 0;
  if (!along || size % groups->size() != 0) {
    return context.ReadUnknown("the array cannot be split into one part for each device");
  }
  const int64_t part = size / groups->size();
  const simplifier::Division part_of = DivMod(context.digits(), context.index()[*along], part);
  groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
    Indices index(context.index().begin(), context.index().end());
    index[*along] = Shifted(context.digits(), part_of.remainder, member.position, part);
    ReadMember(context, *groups, member, member.access, part_of.quotient, array, index);
  });
}

// The first device of the group, or the one that the last operand names.
void CollectiveBroadcast(ReadContext& context) {
  const Counterpart array = CounterpartOf(context);
  const std::optional<DeviceGroups> groups = GroupsOf(context);
  const bool has_dynamic_root =
      context.instruction().Get<bool>(AttributeName::kHasDynamicRoot).value_or(false);
  if (array.role == Counterpart::Role::kNone) return;
  if (has_dynamic_root) {
    const llvm::StringRef reason = "the device that is read is known at run time only";
    ReadAnywhere(context, array.operand, array.leaf, reason);
    return context.ReadWholeOperand(context.num_operands() - 1);
  }
  if (!groups) return ReadAnywhere(context, array.operand, array.leaf, kAnyDevice);
  groups->ForEachCase(context, context.Start(), [&](const GroupMember& member) {
    ReadMember(context, *groups, member, member.access, Constant(0), array, context.index());
  });
}

void CollectivePermute(ReadContext& context) {
  const Counterpart array = CounterpartOf(context);
  if (array.role != Counterpart::Role::kNone) PermuteResult(context, array);
}

void CollectivePermuteStart(ReadContext& context) { OperandOrResult(context, PermuteResult); }

// (input, output, input offsets, send sizes, output offsets, receive sizes): rows of the inputs of
// all devices replace rows of the output.
void RaggedAllToAll(ReadContext& context) {
  const llvm::StringRef reason = "which rows are sent where is known at run time only";
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (i == 1) {
      Access access = context.Start();
      access.superset_reason = reason.str();
      context.ReadWithin(i, 0, std::move(access), context.index());
    } else {
      ReadAnywhere(context, i, 0, reason);
    }
  }
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
