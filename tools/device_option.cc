#include "tools/device_option.h"

#include <string>
#include <utility>

#include "llvm/Support/FileSystem.h"
#include "tools/environment.h"
#include "tools/input.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

DeviceOption::DeviceOption(OptionTable& table, llvm::StringRef help)
    : name_(table, "device", {"name|file"}, help, "h100") {}

std::optional<ptx::DeviceModel> DeviceOption::Read(uint64_t max_bytes) const {
  const std::string& name = name_.value();
  absl::StatusOr<ptx::DeviceModel> device = ptx::FindDeviceModel(name);
  if (device.ok()) return *std::move(device);
  if (!llvm::sys::fs::exists(name)) {
    ReportError("--device: " + std::string(device.status().message()));
    return std::nullopt;
  }
  const std::optional<std::string> text = ReadInput(name, max_bytes);
  if (!text) return std::nullopt;
  device = ptx::ParseDeviceModel(*text, name);
  if (device.ok()) return *std::move(device);
  // It has its place.
  Messages() << std::string(device.status().message()) << '\n';
  return std::nullopt;
}

}  // namespace hlo_indexing::tools
