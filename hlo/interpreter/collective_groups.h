// The devices that a collective connects, as the interpreter simulates them. Private to the folder.
#ifndef HLO_INDEXING_HLO_INTERPRETER_COLLECTIVE_GROUPS_H_
#define HLO_INDEXING_HLO_INTERPRETER_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "hlo/interpreter/evaluation.h"
#include "hlo/replica_groups.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo::evaluate {

/// The number of ids, and what they are called.
struct IdSpace {
  int64_t count;
  const char* name;
  // What gives more of them, for messages.
  const char* options;
};

IdSpace IdsOf(GroupMode mode, const InterpreterOptions& options);

/// The replica groups as ids. No groups are one group of all; so is one empty group.
bool ListIds(GroupEvaluation& e, const IdSpace& space, std::vector<std::vector<int64_t>>& ids);

/// Appends what a group of ids is: groups of devices.
void AppendDevices(GroupMode mode, const InterpreterOptions& options, llvm::ArrayRef<int64_t> ids,
                   std::vector<std::vector<int64_t>>& groups);

/// Whether there are devices of all these ids; false after an error that says how many there must
/// be.
bool CheckIds(GroupEvaluation& e, const IdSpace& space, llvm::ArrayRef<std::vector<int64_t>> ids);

/// The groups of devices that take part, as slots; every device here must be in one.
bool FindGroups(GroupEvaluation& e, std::vector<std::vector<size_t>>& groups);

}  // namespace hlo_indexing::hlo::evaluate

#endif  // HLO_INDEXING_HLO_INTERPRETER_COLLECTIVE_GROUPS_H_
