#include "codegen/ptx/device_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/syntax/parser.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kKibibyte = 1024;
// A load/store unit takes one request of a warp in a cycle, L1 gives 128 bytes.
constexpr double kL1SectorsPerCycle = 4;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// A field of a device as a file names it: a whole number from 1 on, or any from a thousandth on.
struct Field {
  std::string_view name;
  void (*set)(DeviceModel& device, double value);
  bool is_whole = true;
  double largest = 1e12;

  double Least() const { return is_whole ? 1 : 1e-3; }
};

constexpr double kMostUnits = 1e6;

constexpr std::array<Field, 13> kFields = {{
    {"multiprocessors", [](DeviceModel& d, double v) { d.multiprocessors = static_cast<int>(v); },
     true, kMostUnits},
    {"clock_ghz", [](DeviceModel& d, double v) { d.clock_ghz = v; }, false},
    {"dram_gb_per_second", [](DeviceModel& d, double v) { d.dram_gb_per_second = v; }, false},
    {"l2_bytes_per_cycle", [](DeviceModel& d, double v) { d.l2_bytes_per_cycle = v; }, false},
    {"shared_bytes", [](DeviceModel& d, double v) { d.shared_bytes = static_cast<uint64_t>(v); }},
    {"shared_bytes_per_block",
     [](DeviceModel& d, double v) { d.shared_bytes_per_block = static_cast<uint64_t>(v); }},
    {"reserved_shared_bytes",
     [](DeviceModel& d, double v) { d.reserved_shared_bytes = static_cast<uint64_t>(v); }},
    {"registers", [](DeviceModel& d, double v) { d.registers = static_cast<uint64_t>(v); }},
    {"max_threads", [](DeviceModel& d, double v) { d.max_threads = static_cast<int>(v); }, true,
     kMostUnits},
    {"max_blocks", [](DeviceModel& d, double v) { d.max_blocks = static_cast<int>(v); }, true,
     kMostUnits},
    {"schedulers", [](DeviceModel& d, double v) { d.schedulers = static_cast<int>(v); }, true,
     kMostUnits},
    {"fp32_lanes", [](DeviceModel& d, double v) { d.fp32_lanes = static_cast<int>(v); }, true,
     kMostUnits},
    {"fp64_lanes", [](DeviceModel& d, double v) { d.fp64_lanes = static_cast<int>(v); }, true,
     kMostUnits},
}};

}  // namespace

const std::vector<DeviceModel>& DeviceModels() {
  static const std::vector<DeviceModel> kModels = {
      {.name = "h100",
       .multiprocessors = 132,
       .clock_ghz = 1.98,
       .dram_gb_per_second = 3350,
       .l2_bytes_per_cycle = 5120,
       .shared_bytes = 228 * kKibibyte,
       .shared_bytes_per_block = 227 * kKibibyte},
      {.name = "h200",
       .multiprocessors = 132,
       .clock_ghz = 1.98,
       .dram_gb_per_second = 4800,
       .l2_bytes_per_cycle = 5120,
       .shared_bytes = 228 * kKibibyte,
       .shared_bytes_per_block = 227 * kKibibyte},
      {.name = "a100",
       .multiprocessors = 108,
       .clock_ghz = 1.41,
       .dram_gb_per_second = 2039,
       .l2_bytes_per_cycle = 5120,
       .shared_bytes = 164 * kKibibyte,
       .shared_bytes_per_block = 163 * kKibibyte,
       .fp32_lanes = 64,
       .fp64_lanes = 32},
      {.name = "rtx-a6000",
       .multiprocessors = 84,
       .clock_ghz = 1.8,
       .dram_gb_per_second = 768,
       .l2_bytes_per_cycle = 3072,
       .shared_bytes = 100 * kKibibyte,
       .shared_bytes_per_block = 99 * kKibibyte,
       .max_threads = 1536,
       .max_blocks = 16,
       .fp64_lanes = 2},
      {.name = "l4",
       .multiprocessors = 58,
       .clock_ghz = 2.04,
       .dram_gb_per_second = 300,
       .l2_bytes_per_cycle = 1536,
       .shared_bytes = 100 * kKibibyte,
       .shared_bytes_per_block = 99 * kKibibyte,
       .max_threads = 1536,
       .max_blocks = 24,
       .fp64_lanes = 2},
      {.name = "b200",
       .multiprocessors = 148,
       .clock_ghz = 1.965,
       .dram_gb_per_second = 8000,
       .l2_bytes_per_cycle = 8192,
       .shared_bytes = 228 * kKibibyte,
       .shared_bytes_per_block = 227 * kKibibyte},
  };
  return kModels;
}

absl::StatusOr<DeviceModel> FindDeviceModel(std::string_view name) {
  std::string names;
  for (const DeviceModel& device : DeviceModels()) {
    if (device.name == name) return device;
    absl::StrAppend(&names, names.empty() ? "" : ", ", device.name);
  }
  return absl::NotFoundError(
      absl::StrCat("there is no device '", std::string(name), "'; known are ", names));
}

absl::StatusOr<DeviceModel> ParseDeviceModel(std::string_view text, std::string_view file) {
  DeviceModel device = DeviceModels().front();
  device.name = file;
  bool is_first = true;
  // `part` is of the text.
  const auto error_at = [&](std::string_view part, std::string_view message) {
    const auto offset = static_cast<uint32_t>(part.data() - text.data());
    return syntax::ErrorAt(text, file, {offset}, message);
  };
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole_line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view line = Trimmed(whole_line.substr(0, whole_line.find('#')));
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return error_at(line, "a line is `key = value`");
    const std::string_view key = Trimmed(line.substr(0, equals));
    const std::string_view value = Trimmed(line.substr(equals + 1));
    const bool was_first = std::exchange(is_first, false);
    if (key == "base") {
      if (!was_first) return error_at(key, "'base' must stand before all else");
      absl::StatusOr<DeviceModel> base = FindDeviceModel(value);
      if (!base.ok()) return error_at(value, std::string(base.status().message()));
      device = *base;
      device.name = file;
      continue;
    }
    if (key == "name") {
      if (value.empty()) return error_at(key, "'name' is empty");
      device.name = value;
      continue;
    }
    const auto* const field = std::ranges::find(kFields, key, &Field::name);
    if (field == kFields.end()) {
      std::string names = "base, name";
      for (const Field& known : kFields) absl::StrAppend(&names, ", ", std::string(known.name));
      return error_at(key,
                      absl::StrCat("there is no key '", std::string(key), "'; known are ", names));
    }
    double number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && rest == value.data() + value.size();
    if (!is_number || !(number >= field->Least()) || number > field->largest ||
        (field->is_whole && number != std::floor(number))) {
      return error_at(value, absl::StrCat("'", std::string(key), "' is a ",
                                          field->is_whole ? "whole number" : "number", " from ",
                                          field->Least(), " to ", field->largest));
    }
    field->set(device, number);
  }
  return device;
}

Occupancy ComputeOccupancy(const DeviceModel& device, uint64_t threads_per_block,
                           uint64_t registers_per_thread, uint64_t shared_bytes_per_block) {
  const auto round_up = [](uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  const uint64_t warps = (std::max<uint64_t>(threads_per_block, 1) + 31) / 32;
  Occupancy occupancy;
  occupancy.max_warps = device.max_threads / 32;
  // What is more than all of the multiprocessor has does not fit, however much it is.
  const uint64_t of_thread = std::clamp<uint64_t>(registers_per_thread, 1, device.registers);
  const uint64_t registers = warps * round_up(round_up(of_thread, 8) * 32, 256);
  const uint64_t of_block = std::min(shared_bytes_per_block, device.shared_bytes);
  const uint64_t shared = round_up(of_block + device.reserved_shared_bytes, 128);
  const std::pair<uint64_t, std::string_view> limits[] = {
      {static_cast<uint64_t>(occupancy.max_warps) / warps, "threads"},
      {static_cast<uint64_t>(device.max_blocks), "blocks"},
      {device.shared_bytes / shared, "shared memory"},
      {device.registers / registers, "registers"}};
  const auto& [blocks, limit] =
      *std::ranges::min_element(limits, {}, [](const auto& candidate) { return candidate.first; });
  occupancy.blocks = static_cast<int>(blocks);
  occupancy.limit = limit;
  occupancy.warps = occupancy.blocks * static_cast<int>(warps);
  return occupancy;
}

double TimeEstimate::us() const { return std::max({dram_us, l2_us, lsu_us, shared_us, issue_us}); }

std::string_view TimeEstimate::bound() const {
  const double longest = us();
  if (longest == dram_us) return "DRAM";
  if (longest == l2_us) return "L2";
  if (longest == lsu_us) return "LSU";
  if (longest == shared_us) return "shared memory";
  return "issue";
}

TimeEstimate EstimateTime(const DeviceModel& device, const OperationCounts& counts,
                          uint64_t dram_sectors, uint64_t blocks) {
  TimeEstimate estimate;
  const double cycles_per_us = device.clock_ghz * 1e3;
  const double busy = static_cast<double>(
      std::clamp<uint64_t>(blocks, 1, static_cast<uint64_t>(device.multiprocessors)));
  const auto bytes = [](uint64_t sectors) {
    return static_cast<double>(sectors) * static_cast<double>(kSectorBytes);
  };
  estimate.dram_us = bytes(dram_sectors) / (device.dram_gb_per_second * 1e3);
  // L1 keeps nothing here: every sector of a request comes from L2.
  estimate.l2_us = bytes(counts.global_sectors) / (device.l2_bytes_per_cycle * cycles_per_us);
  const double lsu_cycles = std::max(
      static_cast<double>(counts.global_requests + counts.shared_requests + counts.local_requests),
      static_cast<double>(counts.global_sectors + counts.local_sectors) / kL1SectorsPerCycle);
  estimate.lsu_us = lsu_cycles / (busy * cycles_per_us);
  estimate.shared_us = static_cast<double>(counts.shared_wavefronts) / (busy * cycles_per_us);
  estimate.issue_us =
      static_cast<double>(counts.executions) / (device.schedulers * busy * cycles_per_us);
  return estimate;
}

}  // namespace hlo_indexing::ptx
