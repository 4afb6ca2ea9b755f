#include "hlo/replica_groups.h"

#include "hlo/strided_walk.h"
#include "llvm/ADT/StringExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// More ids than devices can be simulated make no sense.
constexpr int64_t kMaxIds = int64_t{1} << 20;

// The product of the sizes, where it is below the limit and every size is positive.
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

// iota(product of sizes), reshaped to the sizes and transposed.
std::vector<int64_t> TransposedIota(llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> permutation) {
  const Index strides = RowMajorStrides(sizes);
  Index to_sizes;
  Index to_strides;
  for (const int64_t dimension : permutation) {
    to_sizes.push_back(sizes[dimension]);
    to_strides.push_back(strides[dimension]);
  }
  std::vector<int64_t> ids;
  ForEachStrided(to_sizes, to_strides, 0, [&](int64_t, int64_t id) { ids.push_back(id); });
  return ids;
}

Groups CutInto(const std::vector<int64_t>& ids, int64_t size) {
  Groups groups;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (static_cast<int64_t>(i) % size == 0) groups.emplace_back();
    groups.back().push_back(ids[i]);
  }
  return groups;
}

std::optional<Groups> ListIotaGroups(const ReplicaGroups& groups, std::string& error) {
  Index permutation(groups.permutation);
  if (permutation.empty()) {
    for (size_t i = 0; i < groups.reshape.size(); ++i) permutation.push_back(i);
  }
  const std::optional<int64_t> count = CountIds(groups.reshape);
  if (!count || CountIds(groups.dimensions) != count || groups.dimensions.empty() ||
      !IsPermutation(permutation, groups.reshape.size())) {
    error = "the replica groups do not fit together";
    return std::nullopt;
  }
  return CutInto(TransposedIota(groups.reshape, permutation), groups.dimensions.back());
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

// mesh['x'=2,'y'=4] {'y'}: the devices in row-major order of the mesh; a group runs along the axes
// in braces, the first of them slowest.
std::optional<Groups> ListMeshGroups(llvm::StringRef text, std::string& error) {
  error = "replica groups on a mesh of another form than mesh['x'=2,'y'=4] {'y'}";
  std::string compact;
  for (const char c : text) {
    if (!llvm::isSpace(c)) compact += c;
  }
  llvm::StringRef rest = compact;
  const std::optional<std::vector<Axis>> axes = ParseAxes(rest);
  if (!axes || !rest.consume_front("{") || !rest.consume_back("}")) return std::nullopt;
  Index sizes;
  for (const Axis& axis : *axes) sizes.push_back(axis.size);
  if (!CountIds(sizes)) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> names;
  rest.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Index along;
  for (const llvm::StringRef name : names) {
    const auto* const begin = axes->data();
    const auto* const found = std::find_if(begin, begin + axes->size(), [&](const Axis& axis) {
      return axis.name == name.trim(" '\"");
    });
    if (found == begin + axes->size() || llvm::is_contained(along, found - begin)) {
      return std::nullopt;
    }
    along.push_back(found - begin);
  }
  Index permutation;
  int64_t group_size = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!llvm::is_contained(along, static_cast<int64_t>(i))) permutation.push_back(i);
  }
  for (const int64_t axis : along) {
    permutation.push_back(axis);
    group_size *= sizes[axis];
  }
  error.clear();
  return CutInto(TransposedIota(sizes, permutation), group_size);
}

}  // namespace

std::optional<Groups> ListReplicaGroups(const ReplicaGroups& groups, std::string& error) {
  if (groups.form == ReplicaGroups::Form::kIota) return ListIotaGroups(groups, error);
  if (groups.form == ReplicaGroups::Form::kMesh) return ListMeshGroups(groups.mesh, error);
  Groups lists;
  for (const llvm::ArrayRef<int64_t> group : groups.groups) {
    lists.emplace_back(group.begin(), group.end());
  }
  return lists;
}

}  // namespace hlo_indexing::hlo
