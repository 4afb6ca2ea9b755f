// What a device has: enough of it to say how many blocks it holds at a time, and how long a launch
// takes at least. Figures are of NVIDIA's data sheets and of the tables of compute capabilities in
// the CUDA C++ Programming Guide; clocks are the largest that the data sheet names.
#ifndef HLO_INDEXING_CODEGEN_PTX_DEVICE_MODEL_H_
#define HLO_INDEXING_CODEGEN_PTX_DEVICE_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ptx/machine/profile.h"

namespace hlo_indexing::ptx {

struct DeviceModel {
  std::string name;
  int multiprocessors = 0;
  double clock_ghz = 0;
  /// Bytes per second, from the data sheet.
  double dram_gb_per_second = 0;
  /// Bytes that L2 gives all multiprocessors together in a cycle.
  double l2_bytes_per_cycle = 0;
  /// Of one multiprocessor.
  uint64_t shared_bytes = 0;
  /// The most that one block may have.
  uint64_t shared_bytes_per_block = 0;
  /// What the system keeps of a block's shared memory.
  uint64_t reserved_shared_bytes = 1024;
  uint64_t registers = 65536;
  int max_threads = 2048;
  int max_blocks = 32;
  /// Warp instructions that one multiprocessor issues in a cycle; lanes of FP32 and of FP64.
  int schedulers = 4;
  int fp32_lanes = 128;
  int fp64_lanes = 64;
};

/// h100, h200, a100, rtx-a6000, l4, b200.
const std::vector<DeviceModel>& DeviceModels();

/// The device of this name; kNotFound lists the names.
absl::StatusOr<DeviceModel> FindDeviceModel(std::string_view name);

/// A device from text, a line `key = value` for each field that differs from those of the device
/// that `base` names (default h100). `#` begins a comment. Errors have their place.
/// Example: "base = a100\nmultiprocessors = 54\n"
absl::StatusOr<DeviceModel> ParseDeviceModel(std::string_view text, std::string_view file);

/// How many blocks a multiprocessor holds, and what limits that.
struct Occupancy {
  int blocks = 0;
  int warps = 0;
  int max_warps = 0;
  /// "threads", "blocks", "shared memory" or "registers".
  std::string_view limit;
};
/// Registers are rounded up to 8 a thread and 256 a warp (compute capability 7.0 and later).
Occupancy ComputeOccupancy(const DeviceModel& device, uint64_t threads_per_block,
                           uint64_t registers_per_thread, uint64_t shared_bytes_per_block);

/// The least time that each part of the device needs for what a launch does, in microseconds; none
/// of it is overlap, latency, or the start of the launch. An estimate.
struct TimeEstimate {
  double dram_us = 0;
  double l2_us = 0;
  double lsu_us = 0;
  double shared_us = 0;
  double issue_us = 0;

  double us() const;
  /// The part that needs longest: "DRAM", "L2", "LSU", "shared memory" or "issue".
  std::string_view bound() const;
};
/// `dram_sectors`: distinct sectors of all allocations, read and written. `blocks` that are fewer
/// than multiprocessors leave some of these idle.
TimeEstimate EstimateTime(const DeviceModel& device, const OperationCounts& counts,
                          uint64_t dram_sectors, uint64_t blocks);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_DEVICE_MODEL_H_
