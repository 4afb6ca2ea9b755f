#include "indexing_analysis/rules/device_groups.h"

#include <algorithm>

#include "indexing_analysis/rules/rule_table.h"
#include "layout/row_major.h"
#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::GroupMode;
using simplifier::Constant;
using simplifier::ScaledSum;

// XLA counts replicas and partitions in 32 bits; the parser refuses more.
constexpr int64_t kMaxDevices = int64_t{1} << 31;

int64_t HeaderCount(const hlo::Module& module, llvm::StringRef name) {
  for (const hlo::Attribute& attribute : module.attributes()) {
    if (attribute.text != name) continue;
    int64_t value = 1;
    if (const auto* integer = std::get_if<int64_t>(&attribute.value)) {
      value = *integer;
    } else if (const auto* text = std::get_if<hlo::RawText>(&attribute.value)) {
      if (!llvm::to_integer(text->text.trim(), value, 10)) value = 1;
    }
    return std::clamp<int64_t>(value, 1, kMaxDevices);
  }
  return 1;
}

// One more than the largest number that the collective mentions; 0 if it mentions none.
int64_t NumbersMentioned(const hlo::Instruction& instruction) {
  int64_t count = 0;
  const auto mention = [&count](int64_t number) {
    if (number >= 0 && number < kMaxDevices) count = std::max(count, number + 1);
  };
  using Lists = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  const Lists pairs = instruction.Get<Lists>(AttributeName::kSourceTargetPairs).value_or(Lists());
  for (const llvm::ArrayRef<int64_t> pair : pairs) llvm::for_each(pair, mention);
  const auto groups = instruction.Get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (!groups) return count;
  for (const llvm::ArrayRef<int64_t> group : (*groups)->groups) llvm::for_each(group, mention);
  if ((*groups)->form == hlo::ReplicaGroups::Form::kIota) {
    const int64_t devices = layout::Product((*groups)->reshape).value_or(0);
    if (devices > 0) mention(devices - 1);
  }
  return count;
}

}  // namespace

DeviceCounts CountDevices(const hlo::Module& module) {
  DeviceCounts counts = {HeaderCount(module, "replica_count"),
                         HeaderCount(module, "num_partitions")};
  int64_t devices = 1;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      if (!TraitsOf(instruction->opcode()).reads_other_devices) continue;
      const int64_t mentioned = NumbersMentioned(*instruction);
      if (mentioned == 0) continue;
      int64_t* count = &counts.replicas;
      const GroupMode mode = hlo::GroupModeOf(*instruction);
      if (mode == GroupMode::kFlattenedId) count = &devices;
      if (mode == GroupMode::kCrossPartition) count = &counts.partitions;
      *count = std::max(*count, mentioned);
    }
  }
  if (counts.Count() < devices) {
    counts.partitions = (devices + counts.replicas - 1) / counts.replicas;
  }
  return counts;
}

std::optional<DeviceGroups> DeviceGroups::Of(const hlo::Instruction& instruction,
                                             const DeviceCounts& devices) {
  DeviceGroups result;
  result.devices_ = devices;
  result.mode_ = hlo::GroupModeOf(instruction);
  const auto groups = instruction.Get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups && !result.ReadGroups(**groups)) return std::nullopt;
  if (result.groups_ == 0) {
    // Without groups, all are in one.
    result.groups_ = 1;
    result.members_ = devices.Count();
    if (result.mode_ == GroupMode::kCrossPartition) result.members_ = devices.partitions;
    if (result.mode_ == GroupMode::kCrossReplica ||
        result.mode_ == GroupMode::kCrossReplicaAndPartition) {
      result.members_ = devices.replicas;
    }
    result.reshape_ = {result.members_};
    result.permutation_ = {0};
  }
  return result;
}

bool DeviceGroups::ReadGroups(const hlo::ReplicaGroups& groups) {
  if (groups.form != hlo::ReplicaGroups::Form::kList) {
    std::string error;
    std::optional<hlo::IotaGroups> iota = hlo::FindIotaGroups(groups, error);
    if (!iota) return false;
    members_ = iota->group_size;
    groups_ = iota->count / members_;
    reshape_ = std::move(iota->reshape);
    permutation_ = std::move(iota->permutation);
    return true;
  }
  for (const llvm::ArrayRef<int64_t> group : groups.groups) {
    if (group.empty()) continue;
    if (!lists_.empty() && lists_.front().size() != group.size()) return false;
    lists_.emplace_back(group.begin(), group.end());
  }
  if (lists_.empty()) return true;
  members_ = static_cast<int64_t>(lists_.front().size());
  groups_ = static_cast<int64_t>(lists_.size());
  RecogniseStrides();
  return true;
}

// Lists such as {{0,1},{2,3}} and {{0,2},{1,3}} are affine.
void DeviceGroups::RecogniseStrides() {
  bool is_rows = true;
  bool is_columns = true;
  for (int64_t group = 0; group < groups_; ++group) {
    for (int64_t position = 0; position < members_; ++position) {
      const int64_t number = lists_[static_cast<size_t>(group)][static_cast<size_t>(position)];
      is_rows = is_rows && number == group * members_ + position;
      is_columns = is_columns && number == position * groups_ + group;
    }
  }
  if (!is_rows && !is_columns) return;
  if (is_rows) {
    reshape_ = {groups_, members_};
    permutation_ = {0, 1};
  } else {
    reshape_ = {members_, groups_};
    permutation_ = {1, 0};
  }
  lists_.clear();
}

int64_t DeviceGroups::num_cases() const {
  return lists_.empty() ? 1 : groups_ * members_ * members_;
}

Sum DeviceGroups::NumberOf(DigitContext& digits, const Sum& device) const {
  switch (mode_) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return DivMod(digits, device, devices_.partitions).quotient;
    case GroupMode::kCrossPartition:
      return DivMod(digits, device, devices_.partitions).remainder;
    case GroupMode::kFlattenedId:
      break;
  }
  return device;
}

Sum DeviceGroups::DeviceOf(DigitContext& digits, const Sum& number, const Sum& position,
                           const Sum& device) const {
  const simplifier::Division own = DivMod(digits, device, devices_.partitions);
  const auto join = [&](const Sum& replica, const Sum& partition) {
    const ScaledSum parts[] = {{replica, devices_.partitions}, {partition, 1}};
    return Linear(digits, parts);
  };
  switch (mode_) {
    case GroupMode::kCrossReplica:
      return join(number, own.remainder);
    case GroupMode::kCrossReplicaAndPartition:
      return join(number, DivMod(digits, position, devices_.partitions).remainder);
    case GroupMode::kCrossPartition:
      return join(own.quotient, number);
    case GroupMode::kFlattenedId:
      break;
  }
  return number;
}

void DeviceGroups::ForEachCase(ReadContext& context, const Access& access,
                               llvm::function_ref<void(GroupMember)> visit) const {
  DigitContext& digits = context.digits();
  GroupMember member;
  member.access = access;
  member.device = context.Device(member.access);
  const Sum number = NumberOf(digits, member.device);
  const Sum partition = DivMod(digits, member.device, devices_.partitions).remainder;
  const auto with_partition = [&](const Sum& position) {
    const ScaledSum parts[] = {{position, devices_.partitions}, {partition, 1}};
    return mode_ == GroupMode::kCrossReplicaAndPartition ? Linear(digits, parts) : position;
  };
  if (lists_.empty()) {
    context.Constrain(member.access, number, {0, groups_ * members_ - 1});
    // The transposed iota holds `number` where its coordinates, permuted, lead.
    const auto coordinates = layout::Delinearize(digits, number, reshape_);
    llvm::SmallVector<Sum, 4> permuted;
    llvm::SmallVector<int64_t, 4> sizes;
    for (const int64_t axis : permutation_) {
      permuted.push_back(coordinates[static_cast<size_t>(axis)]);
      sizes.push_back(reshape_[static_cast<size_t>(axis)]);
    }
    const Sum flat = layout::Linearize(digits, permuted, sizes).value_or(number);
    const simplifier::Division division = DivMod(digits, flat, members_);
    member.group_number = division.quotient;
    member.position = with_partition(division.remainder);
    visit(std::move(member));
    return;
  }
  for (size_t group = 0; group < lists_.size(); ++group) {
    for (size_t position = 0; position < lists_[group].size(); ++position) {
      GroupMember one = member;
      context.Constrain(one.access, number, Interval::Point(lists_[group][position]));
      one.group = group;
      one.position = with_partition(Constant(static_cast<int64_t>(position)));
      if (!one.access.map.empty) visit(std::move(one));
    }
  }
}

void DeviceGroups::ForEachPeer(ReadContext& context, const GroupMember& of, const Access& access,
                               const Sum& position,
                               llvm::function_ref<void(Access, const Sum& device)> visit) const {
  DigitContext& digits = context.digits();
  const Sum member = mode_ == GroupMode::kCrossReplicaAndPartition
                         ? DivMod(digits, position, devices_.partitions).quotient
                         : position;
  if (!of.group) {
    const ScaledSum parts[] = {{of.group_number, members_}, {member, 1}};
    llvm::SmallVector<int64_t, 4> sizes;
    for (const int64_t axis : permutation_) sizes.push_back(reshape_[static_cast<size_t>(axis)]);
    const auto permuted = layout::Delinearize(digits, Linear(digits, parts), sizes);
    llvm::SmallVector<Sum, 4> coordinates(permuted.size(), Constant(0));
    for (size_t i = 0; i < permuted.size(); ++i) {
      coordinates[static_cast<size_t>(permutation_[i])] = permuted[i];
    }
    const Sum number = layout::Linearize(digits, coordinates, reshape_).value_or(Constant(0));
    visit(access, DeviceOf(digits, number, position, of.device));
    return;
  }
  const std::vector<int64_t>& group = lists_[*of.group];
  for (size_t i = 0; i < group.size(); ++i) {
    Access one = access;
    context.Constrain(one, member, Interval::Point(static_cast<int64_t>(i)));
    if (one.map.empty) continue;
    visit(std::move(one), DeviceOf(digits, Constant(group[i]), position, of.device));
  }
}

}  // namespace hlo_indexing::indexing_analysis
