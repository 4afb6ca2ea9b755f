#include "hlo/interpreter/collective_groups.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hlo_indexing::hlo::evaluate {

IdSpace IdsOf(GroupMode mode, const InterpreterOptions& options) {
  switch (mode) {
    case GroupMode::kCrossPartition:
      return {options.num_partitions, "partition", "--partitions"};
    case GroupMode::kFlattenedId:
      return {options.num_devices(), "device", "--replicas times --partitions"};
    default:
      return {options.num_replicas, "replica", "--replicas"};
  }
}

void AppendDevices(GroupMode mode, const InterpreterOptions& options, llvm::ArrayRef<int64_t> ids,
                   std::vector<std::vector<int64_t>>& groups) {
  const int64_t partitions = options.num_partitions;
  if (mode == GroupMode::kFlattenedId) {
    groups.emplace_back(ids.begin(), ids.end());
  } else if (mode == GroupMode::kCrossReplica) {
    for (int64_t p = 0; p < partitions; ++p) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (const int64_t replica : ids) group.push_back(replica * partitions + p);
    }
  } else if (mode == GroupMode::kCrossPartition) {
    for (int64_t r = 0; r < options.num_replicas; ++r) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (const int64_t p : ids) group.push_back(r * partitions + p);
    }
  } else {
    std::vector<int64_t>& group = groups.emplace_back();
    for (const int64_t replica : ids) {
      for (int64_t p = 0; p < partitions; ++p) group.push_back(replica * partitions + p);
    }
  }
}

bool CheckIds(GroupEvaluation& e, const IdSpace& space, llvm::ArrayRef<std::vector<int64_t>> ids) {
  int64_t largest = 0;
  for (const std::vector<int64_t>& group : ids) {
    for (const int64_t id : group) {
      if (id < 0) return e.Fail(absl::StrCat("it names ", space.name, " ", id));
      largest = std::max(largest, id);
    }
  }
  if (largest < space.count) return true;
  std::string hint;
  if (largest < kMaxDevices) {
    hint = absl::StrCat("; simulate more with ", space.options, "=", largest + 1);
  }
  return e.Fail(absl::StrCat("it names ", space.name, " ", largest, ", there are ", space.count,
                             " (", space.name, "s are counted from 0)", hint));
}

bool ListIds(GroupEvaluation& e, const IdSpace& space, std::vector<std::vector<int64_t>>& ids) {
  const auto given = e.instruction().Get<const ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (given) {
    std::string error;
    auto listed = ListReplicaGroups(**given, error);
    if (!listed) return e.FailUnsupported(error);
    ids = *std::move(listed);
  }
  if (ids.empty() || (ids.size() == 1 && ids[0].empty())) {
    ids.assign(1, {});
    for (int64_t id = 0; id < space.count; ++id) ids[0].push_back(id);
  }
  return true;
}

namespace {

// Every device that is running here must be in one group, and every member of a group must be here.
bool CheckGroups(GroupEvaluation& e, llvm::ArrayRef<std::vector<int64_t>> groups) {
  std::vector<int64_t> members;
  for (const std::vector<int64_t>& group : groups) {
    members.insert(members.end(), group.begin(), group.end());
    for (const int64_t device : group) {
      const bool is_partly_here =
          llvm::any_of(group, [&](int64_t other) { return e.SlotOf(other) >= 0; });
      if (e.SlotOf(device) >= 0 || !is_partly_here) continue;
      return e.Fail(
          absl::StrCat("device ", device, " of a group does not take part: control flow differs"));
    }
  }
  llvm::sort(members);
  if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
    return e.Fail("the replica groups name a device twice");
  }
  for (const int64_t device : e.devices()) {
    if (std::binary_search(members.begin(), members.end(), device)) continue;
    return e.Fail(absl::StrCat("device ", device, " is in no replica group"));
  }
  return true;
}

}  // namespace

bool FindGroups(GroupEvaluation& e, std::vector<std::vector<size_t>>& groups) {
  const GroupMode mode = GroupModeOf(e.instruction());
  const InterpreterOptions& options = e.session().options();
  const IdSpace space = IdsOf(mode, options);
  std::vector<std::vector<int64_t>> ids;
  if (!ListIds(e, space, ids) || !CheckIds(e, space, ids)) return false;
  std::vector<std::vector<int64_t>> devices;
  for (const std::vector<int64_t>& group : ids) {
    AppendDevices(mode, options, group, devices);
  }
  if (!CheckGroups(e, devices)) return false;
  for (const std::vector<int64_t>& group : devices) {
    if (group.empty() || e.SlotOf(group[0]) < 0) continue;
    std::vector<size_t>& slots = groups.emplace_back();
    for (const int64_t device : group) slots.push_back(static_cast<size_t>(e.SlotOf(device)));
  }
  return true;
}

}  // namespace hlo_indexing::hlo::evaluate
