#include "indexing_analysis/device_groups.h"

#include <algorithm>

#include "layout/row_major.h"
#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Opcode;
using simplifier::Constant;
using simplifier::ScaledSum;

// Counts in module headers beyond that are no counts of devices.
constexpr int64_t kMaxDevices = int64_t{1} << 24;

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

// One more than the largest number that the collective mentions; 0 where it mentions none.
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
    mention(layout::Product((*groups)->reshape).value_or(1) - 1);
  }
  return count;
}

bool CombinesByRole(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool IsPermutation(llvm::ArrayRef<int64_t> numbers) {
  std::vector<int64_t> sorted(numbers.begin(), numbers.end());
  llvm::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

DeviceGroups::Numbers DeviceGroups::NumbersOf(const hlo::Instruction& instruction) {
  const bool has_channel = instruction.Find(AttributeName::kChannelId) != nullptr;
  if (!has_channel) return Numbers::kReplicas;
  if (instruction.Get<bool>(AttributeName::kUseGlobalDeviceIds).value_or(false)) {
    return Numbers::kDevices;
  }
  return CombinesByRole(instruction.opcode()) ? Numbers::kReplicasWithAllPartitions
                                              : Numbers::kPartitions;
}

DeviceCounts CountDevices(const hlo::Module& module) {
  DeviceCounts counts = {HeaderCount(module, "replica_count"),
                         HeaderCount(module, "num_partitions")};
  int64_t devices = 1;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      const int64_t mentioned = NumbersMentioned(*instruction);
      if (mentioned == 0) continue;
      const bool has_channel = instruction->Find(AttributeName::kChannelId) != nullptr;
      const bool is_global =
          instruction->Get<bool>(AttributeName::kUseGlobalDeviceIds).value_or(false);
      if (has_channel && is_global) {
        devices = std::max(devices, mentioned);
      } else if (has_channel && !CombinesByRole(instruction->opcode())) {
        counts.partitions = std::max(counts.partitions, mentioned);
      } else {
        counts.replicas = std::max(counts.replicas, mentioned);
      }
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
  result.numbers_ = NumbersOf(instruction);
  const auto groups = instruction.Get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups && !result.ReadGroups(**groups)) return std::nullopt;
  if (result.groups_ == 0) {
    // Without groups, all are in one.
    result.groups_ = 1;
    result.members_ = devices.Count();
    if (result.numbers_ == Numbers::kPartitions) result.members_ = devices.partitions;
    if (result.numbers_ == Numbers::kReplicas ||
        result.numbers_ == Numbers::kReplicasWithAllPartitions) {
      result.members_ = devices.replicas;
    }
    result.reshape_ = {result.members_};
    result.permutation_ = {0};
  }
  return result;
}

bool DeviceGroups::ReadGroups(const hlo::ReplicaGroups& groups) {
  switch (groups.form) {
    case hlo::ReplicaGroups::Form::kMesh:
      return ReadMesh(groups.mesh);
    case hlo::ReplicaGroups::Form::kIota: {
      const std::optional<int64_t> count = layout::Product(groups.reshape);
      const std::optional<int64_t> shape = layout::Product(groups.dimensions);
      if (!count || count != shape || *count <= 0 || *count > kMaxDevices ||
          groups.dimensions.empty()) {
        return false;
      }
      members_ = groups.dimensions.back();
      groups_ = *count / members_;
      reshape_.assign(groups.reshape.begin(), groups.reshape.end());
      permutation_.assign(groups.permutation.begin(), groups.permutation.end());
      for (size_t i = permutation_.size(); i < reshape_.size(); ++i) {
        permutation_.push_back(static_cast<int64_t>(i));
      }
      return permutation_.size() == reshape_.size() && IsPermutation(permutation_);
    }
    case hlo::ReplicaGroups::Form::kList:
      break;
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

// `mesh['x'=2,'y'=4] {'y'}`: groups along the axes in braces, one for each place on the others.
bool DeviceGroups::ReadMesh(llvm::StringRef mesh) {
  mesh = mesh.trim();
  if (!mesh.consume_front("mesh[")) return false;
  const auto [axes_text, rest] = mesh.split(']');
  llvm::StringRef chosen = rest.trim();
  if (!chosen.consume_front("{") || !chosen.consume_back("}")) return false;
  llvm::SmallVector<llvm::StringRef, 4> axes;
  axes_text.split(axes, ',');
  llvm::SmallVector<llvm::StringRef, 4> names;
  int64_t count = 1;
  for (const llvm::StringRef axis : axes) {
    const auto [name, size_text] = axis.split('=');
    int64_t size = 0;
    if (!llvm::to_integer(size_text.trim(), size, 10) || size <= 0 || size > kMaxDevices) {
      return false;
    }
    count *= size;
    if (count > kMaxDevices) return false;
    names.push_back(name.trim());
    reshape_.push_back(size);
  }
  llvm::SmallVector<llvm::StringRef, 4> along;
  if (!chosen.trim().empty()) chosen.split(along, ',');
  members_ = 1;
  std::vector<int64_t> grouped;
  for (const llvm::StringRef name : along) {
    const auto* const found = llvm::find(names, name.trim());
    const int64_t axis = found - names.begin();
    if (found == names.end() || llvm::is_contained(grouped, axis)) return false;
    grouped.push_back(axis);
    members_ *= reshape_[static_cast<size_t>(axis)];
  }
  groups_ = count / members_;
  for (int64_t axis = 0; axis < static_cast<int64_t>(names.size()); ++axis) {
    if (!llvm::is_contained(grouped, axis)) permutation_.push_back(axis);
  }
  permutation_.insert(permutation_.end(), grouped.begin(), grouped.end());
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
  reshape_ =
      is_rows ? std::vector<int64_t>{groups_, members_} : std::vector<int64_t>{members_, groups_};
  permutation_ = is_rows ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1, 0};
  lists_.clear();
}

int64_t DeviceGroups::num_cases() const {
  return lists_.empty() ? 1 : groups_ * members_ * members_;
}

Sum DeviceGroups::NumberOf(DigitContext& digits, const Sum& device) const {
  switch (numbers_) {
    case Numbers::kReplicas:
    case Numbers::kReplicasWithAllPartitions:
      return DivMod(digits, device, devices_.partitions).quotient;
    case Numbers::kPartitions:
      return DivMod(digits, device, devices_.partitions).remainder;
    case Numbers::kDevices:
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
  switch (numbers_) {
    case Numbers::kReplicas:
      return join(number, own.remainder);
    case Numbers::kReplicasWithAllPartitions:
      return join(number, DivMod(digits, position, devices_.partitions).remainder);
    case Numbers::kPartitions:
      return join(own.quotient, number);
    case Numbers::kDevices:
      break;
  }
  return number;
}

void DeviceGroups::ForEachPlace(ReadContext& context, const Access& access,
                                llvm::function_ref<void(DevicePlace)> visit) const {
  DigitContext& digits = context.digits();
  DevicePlace place;
  place.access = access;
  place.device = context.Device(place.access);
  const Sum number = NumberOf(digits, place.device);
  const Sum partition = DivMod(digits, place.device, devices_.partitions).remainder;
  const auto with_partition = [&](const Sum& position) {
    const ScaledSum parts[] = {{position, devices_.partitions}, {partition, 1}};
    return numbers_ == Numbers::kReplicasWithAllPartitions ? Linear(digits, parts) : position;
  };
  if (lists_.empty()) {
    context.Constrain(place.access, number, {0, groups_ * members_ - 1});
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
    place.group_number = division.quotient;
    place.position = with_partition(division.remainder);
    visit(std::move(place));
    return;
  }
  for (size_t group = 0; group < lists_.size(); ++group) {
    for (size_t position = 0; position < lists_[group].size(); ++position) {
      DevicePlace one = place;
      context.Constrain(one.access, number, Interval::Point(lists_[group][position]));
      one.group = group;
      one.position = with_partition(Constant(static_cast<int64_t>(position)));
      if (!one.access.map.empty) visit(std::move(one));
    }
  }
}

void DeviceGroups::ForEachMember(ReadContext& context, const DevicePlace& place,
                                 const Access& access, const Sum& position,
                                 llvm::function_ref<void(Access, const Sum& device)> visit) const {
  DigitContext& digits = context.digits();
  const Sum member = numbers_ == Numbers::kReplicasWithAllPartitions
                         ? DivMod(digits, position, devices_.partitions).quotient
                         : position;
  if (!place.group) {
    const ScaledSum parts[] = {{place.group_number, members_}, {member, 1}};
    llvm::SmallVector<int64_t, 4> sizes;
    for (const int64_t axis : permutation_) sizes.push_back(reshape_[static_cast<size_t>(axis)]);
    const auto permuted = layout::Delinearize(digits, Linear(digits, parts), sizes);
    llvm::SmallVector<Sum, 4> coordinates(permuted.size(), Constant(0));
    for (size_t i = 0; i < permuted.size(); ++i) {
      coordinates[static_cast<size_t>(permutation_[i])] = permuted[i];
    }
    const Sum number = layout::Linearize(digits, coordinates, reshape_).value_or(Constant(0));
    visit(access, DeviceOf(digits, number, position, place.device));
    return;
  }
  const std::vector<int64_t>& group = lists_[*place.group];
  for (size_t i = 0; i < group.size(); ++i) {
    Access one = access;
    context.Constrain(one, member, Interval::Point(static_cast<int64_t>(i)));
    if (one.map.empty) continue;
    visit(std::move(one), DeviceOf(digits, Constant(group[i]), position, place.device));
  }
}

}  // namespace hlo_indexing::indexing_analysis
