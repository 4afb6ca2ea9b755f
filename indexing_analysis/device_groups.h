// The groups of devices that a collective works in.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_DEVICE_GROUPS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_DEVICE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module.h"
#include "hlo/replica_groups.h"
#include "indexing_analysis/access.h"
#include "indexing_analysis/read_rules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// How many devices run the module: by its header, or, where that says less, by the numbers that
/// its collectives mention. *num_partitions=4 -> {1, 4}*
DeviceCounts CountDevices(const hlo::Module& module);

/// One case of a device's place: the devices of `access`, and how their group looks to them.
struct DevicePlace {
  Access access;
  /// Where the device stands in its group, in [0, DeviceGroups::size()).
  Sum position;
  /// Which group, where groups are told apart by case.
  std::optional<size_t> group;
  /// The group's number in affine groups.
  Sum group_number;
  /// The device that asks.
  Sum device;
};

/// Groups whose members are numbered by position. What a group's number stands for (replica,
/// partition or device) is a matter of the opcode and its attributes.
class DeviceGroups {
 public:
  /// The groups of a collective; nothing where the text has them in a form that is not understood
  /// or with groups of different sizes.
  static std::optional<DeviceGroups> Of(const hlo::Instruction& instruction,
                                        const DeviceCounts& devices);

  /// The number of devices in a group.
  int64_t size() const { return members_ * partitions_per_member(); }
  /// How many cases ForEachPlace and ForEachMember may make.
  int64_t num_cases() const;

  /// Calls `visit` for every case of what device `access` belongs to. Devices that are in no group
  /// belong to none.
  void ForEachPlace(ReadContext& context, const Access& access,
                    llvm::function_ref<void(DevicePlace)> visit) const;
  /// Calls `visit` for every case of the device at `position` in the group of `place`.
  void ForEachMember(ReadContext& context, const DevicePlace& place, const Access& access,
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

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_DEVICE_GROUPS_H_
