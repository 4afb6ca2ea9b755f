#include "hlo/replica_groups.h"

#include "hlo/array_indices.h"
#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::hlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

constexpr int64_t kMaxIds = int64_t{1} << 24;
constexpr int64_t kMaxListedIds = int64_t{1} << 20;

// The product of the sizes, if it is at most the limit and every size is positive.
std::optional<int64_t> CountIds(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || count > kMaxIds / size) return std::nullopt;
    count *= size;
  }
  return count;
}

bool IsPermutation(llvm::ArrayRef<int64_t> permutation, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (const int64_t dimension : permutation) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(rank) || seen[dimension]) return false;
    seen[dimension] = true;
  }
  return permutation.size() == rank;
}

std::optional<IotaGroups> FromIota(const ReplicaGroups& groups, std::string& error) {
  IotaGroups result;
  result.reshape.assign(groups.reshape.begin(), groups.reshape.end());
  result.permutation.assign(groups.permutation.begin(), groups.permutation.end());
  if (result.permutation.empty()) {
    for (size_t i = 0; i < groups.reshape.size(); ++i) result.permutation.push_back(i);
  }
  const std::optional<int64_t> count = CountIds(groups.reshape);
  if (!count || CountIds(groups.dimensions) != count || groups.dimensions.empty() ||
      !IsPermutation(result.permutation, groups.reshape.size())) {
    error = "the replica groups do not fit together";
    return std::nullopt;
  }
  result.group_size = groups.dimensions.back();
  result.count = *count;
  return result;
}

struct Axis {
  llvm::StringRef name;
  int64_t size = 1;
};

// `'x'=2,'y'=4` in brackets from the start of the text, which is moved behind them.
std::optional<std::vector<Axis>> ParseAxes(llvm::StringRef& text) {
  std::vector<Axis> axes;
  if (!text.consume_front("mesh[")) return std::nullopt;
  const size_t end = text.find(']');
  if (end == llvm::StringRef::npos) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> items;
  text.take_front(end).split(items, ',');
  text = text.drop_front(end + 1);
  for (const llvm::StringRef item : items) {
    const auto [name, size] = item.split('=');
    Axis axis = {name.trim(" '\"")};
    if (size.trim().getAsInteger(10, axis.size)) return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}

// `mesh['x'=2,'y'=4] {'y'}`
std::optional<IotaGroups> FromMesh(llvm::StringRef text) {
  std::string compact;
  for (const char c : text) {
    if (!llvm::isSpace(c)) compact += c;
  }
  llvm::StringRef rest = compact;
  const std::optional<std::vector<Axis>> axes = ParseAxes(rest);
  if (!axes || !rest.consume_front("{") || !rest.consume_back("}")) return std::nullopt;
  IotaGroups result;
  for (const Axis& axis : *axes) result.reshape.push_back(axis.size);
  const std::optional<int64_t> count = CountIds(result.reshape);
  if (!count) return std::nullopt;
  result.count = *count;
  llvm::SmallVector<llvm::StringRef, 4> names;
  rest.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::SmallVector<int64_t, 4> along;
  for (const llvm::StringRef name : names) {
    const auto found =
        llvm::find_if(*axes, [&](const Axis& axis) { return axis.name == name.trim(" '\""); });
    const int64_t axis = found - axes->begin();
    if (found == axes->end() || llvm::is_contained(along, axis)) return std::nullopt;
    along.push_back(axis);
    result.group_size *= result.reshape[static_cast<size_t>(axis)];
  }
  for (int64_t axis = 0; axis < static_cast<int64_t>(axes->size()); ++axis) {
    if (!llvm::is_contained(along, axis)) result.permutation.push_back(axis);
  }
  result.permutation.append(along);
  return result;
}

Groups List(const IotaGroups& iota) {
  const Index strides = RowMajorStrides(iota.reshape);
  Index sizes;
  Index to_strides;
  for (const int64_t dimension : iota.permutation) {
    sizes.push_back(iota.reshape[static_cast<size_t>(dimension)]);
    to_strides.push_back(strides[static_cast<size_t>(dimension)]);
  }
  Groups groups;
  ForEachStrided(sizes, to_strides, 0, [&](int64_t position, int64_t id) {
    if (position % iota.group_size == 0) groups.emplace_back();
    groups.back().push_back(id);
  });
  return groups;
}

}  // namespace

GroupMode GroupModeOf(const Instruction& collective) {
  if (collective.Find(AttributeName::kChannelId) == nullptr) return GroupMode::kCrossReplica;
  if (collective.Get<bool>(AttributeName::kUseGlobalDeviceIds).value_or(false)) {
    return GroupMode::kFlattenedId;
  }
  switch (collective.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return GroupMode::kCrossReplicaAndPartition;
    default:
      return GroupMode::kCrossPartition;
  }
}

std::optional<IotaGroups> FindIotaGroups(const ReplicaGroups& groups, std::string& error) {
  switch (groups.form) {
    case ReplicaGroups::Form::kIota:
      return FromIota(groups, error);
    case ReplicaGroups::Form::kMesh: {
      std::optional<IotaGroups> result = FromMesh(groups.mesh);
      if (!result) error = "replica groups on a mesh of another form than mesh['x'=2,'y'=4] {'y'}";
      return result;
    }
    case ReplicaGroups::Form::kList:
      break;
  }
  error = "the replica groups are listed";
  return std::nullopt;
}

std::optional<Groups> ListReplicaGroups(const ReplicaGroups& groups, std::string& error) {
  if (groups.form != ReplicaGroups::Form::kList) {
    const std::optional<IotaGroups> iota = FindIotaGroups(groups, error);
    if (!iota) return std::nullopt;
    if (iota->count > kMaxListedIds) {
      error = "the replica groups have more than 2^20 ids";
      return std::nullopt;
    }
    return List(*iota);
  }
  Groups lists;
  for (const llvm::ArrayRef<int64_t> group : groups.groups) {
    lists.emplace_back(group.begin(), group.end());
  }
  return lists;
}

}  // namespace hlo_indexing::hlo
