// Which devices a collective connects. Private to the folder.
#ifndef HLO_INDEXING_HLO_REPLICA_GROUPS_H_
#define HLO_INDEXING_HLO_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/attribute.h"

namespace hlo_indexing::hlo {

/// The groups that an attribute lists, as ids: whose ids, the collective says. Nothing, with
/// `error` set, where it makes no sense. *[2,2]<=[4] -> {{0, 1}, {2, 3}}*
std::optional<std::vector<std::vector<int64_t>>> ListReplicaGroups(const ReplicaGroups& groups,
                                                                   std::string& error);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_REPLICA_GROUPS_H_
