// Which devices a collective connects: what its replica groups and its channel say.
#ifndef HLO_INDEXING_HLO_REPLICA_GROUPS_H_
#define HLO_INDEXING_HLO_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/attribute.h"
#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::hlo {

/// Whose ids the groups of a collective hold, and which devices an id stands for. The names are
/// XLA's.
enum class GroupMode : uint8_t {
  kCrossReplica,              // replicas; in each partition a group of its own
  kCrossPartition,            // partitions; in each replica a group of its own
  kCrossReplicaAndPartition,  // replicas, with all their partitions
  kFlattenedId,               // devices
};

/// By opcode, channel_id and use_global_device_ids.
GroupMode GroupModeOf(const Instruction& collective);

/// Groups that are the rows of iota(reshape), transposed and cut into rows of `group_size`.
/// Example: [2,2]<=[2,2]T(1,0) -> {{0, 2}, {1, 3}}
struct IotaGroups {
  llvm::SmallVector<int64_t, 4> reshape;
  llvm::SmallVector<int64_t, 4> permutation;
  int64_t group_size = 1;
  /// The number of ids.
  int64_t count = 1;
};

/// The groups of an iota or mesh form, of at most 2^24 ids. Nullopt, with `error` set, if they make
/// no sense, or if they are listed. On a mesh the devices are in row-major order and a group
/// runs along the axes in braces, the first of them slowest.
/// Example: mesh['x'=2,'y'=4] {'x'} -> reshape {2, 4}, permutation {1, 0}, group_size 2
std::optional<IotaGroups> FindIotaGroups(const ReplicaGroups& groups, std::string& error);

/// The groups that an attribute lists, as ids, at most 2^20. Nullopt, with `error` set, if it makes
/// no sense.
/// Example: [2,2]<=[4] -> {{0, 1}, {2, 3}}
std::optional<std::vector<std::vector<int64_t>>> ListReplicaGroups(const ReplicaGroups& groups,
                                                                   std::string& error);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_REPLICA_GROUPS_H_
