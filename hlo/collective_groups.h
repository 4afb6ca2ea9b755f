// The devices that a collective connects, as the interpreter simulates them. Private to the folder.
#ifndef HLO_INDEXING_HLO_COLLECTIVE_GROUPS_H_
#define HLO_INDEXING_HLO_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "hlo/evaluate.h"
#include "hlo/replica_groups.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo::evaluate {

/// The number of ids, and what they are called.
struct IdSpace {
  int64_t count;
  const char* name;
};

IdSpace IdsOf(GroupMode mode, const InterpreterOptions& options);

/// The replica groups as ids; none where the instruction has none.
bool ListIds(GroupEvaluation& e, std::vector<std::vector<int64_t>>& ids);

/// Appends what a group of ids is: groups of devices.
void AppendDevices(GroupMode mode, const InterpreterOptions& options, llvm::ArrayRef<int64_t> ids,
                   std::vector<std::vector<int64_t>>& groups);

bool CheckId(GroupEvaluation& e, const IdSpace& space, int64_t id);

/// The groups of devices that take part, as slots; every device here must be in one.
bool FindGroups(GroupEvaluation& e, std::vector<std::vector<size_t>>& groups);

}  // namespace hlo_indexing::hlo::evaluate

#endif  // HLO_INDEXING_HLO_COLLECTIVE_GROUPS_H_
