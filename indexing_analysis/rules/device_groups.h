// The groups of devices that a collective works in.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_DEVICE_GROUPS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_DEVICE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module.h"
#include "hlo/replica_groups.h"
#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/rules/read_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// How many devices run the module: by its header, or, if that says less, by the numbers that its
/// collectives mention.
///
/// Example: num_partitions=4 -> {1, 4}
DeviceCounts CountDevices(const hlo::Module& module);

/// A device as a member of its group, in one case: for the devices of `access`.
struct GroupMember {
  Access access;
  /// In [0, DeviceGroups::size()).
  Sum position;
  /// Which group, if the groups are cases of their own.
  std::optional<size_t> group;
  /// The group's number in affine groups.
  Sum group_number;
  /// The executing device.
  Sum device;
};

/// Groups whose members are numbered by position. What a group's number stands for (replica,
/// partition or device) is a matter of the opcode and its attributes.
class DeviceGroups {
 public:
  /// The groups of a collective; nullopt if the text has them in a form that is not understood or
  /// with groups of different sizes.
  static std::optional<DeviceGroups> Of(const hlo::Instruction& instruction,
                                        const DeviceCounts& devices);

  /// The number of devices in a group.
  int64_t size() const { return members_ * partitions_per_member(); }
  /// How many cases ForEachCase and ForEachPeer may make.
  int64_t num_cases() const;

  /// Calls `visit` for every case of where the executing device stands. Devices that are in no
  /// group are in no case.
  void ForEachCase(ReadContext& context, const Access& access,
                   llvm::function_ref<void(GroupMember)> visit) const;
  /// Calls `visit` for every case of the device at `position` in the same group as `member`.
  void ForEachPeer(ReadContext& context, const GroupMember& member, const Access& access,
                   const Sum& position,
                   llvm::function_ref<void(Access, const Sum& device)> visit) const;

 private:
  bool ReadGroups(const hlo::ReplicaGroups& groups);
  void RecogniseStrides();
  int64_t partitions_per_member() const {
    return mode_ == hlo::GroupMode::kCrossReplicaAndPartition ? devices_.partitions : 1;
  }
  Sum NumberOf(DigitContext& digits, const Sum& device) const;
  Sum DeviceOf(DigitContext& digits, const Sum& number, const Sum& position,
               const Sum& device) const;

  DeviceCounts devices_;
  hlo::GroupMode mode_ = hlo::GroupMode::kCrossReplica;
  int64_t members_ = 0;
  int64_t groups_ = 0;
  /// Affine groups: the rows of iota(reshape) transposed by the permutation.
  llvm::SmallVector<int64_t, 4> reshape_;
  llvm::SmallVector<int64_t, 4> permutation_;
  /// Others, by number; empty for affine ones.
  std::vector<std::vector<int64_t>> lists_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_DEVICE_GROUPS_H_
