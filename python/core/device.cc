#include "python/core/device.h"

#include "llvm/Support/MemoryBuffer.h"
#include "python/core/errors.h"

namespace hlo_indexing::python {

ptx::DeviceModel DeviceNamed(const std::string& name) {
  const absl::StatusOr<ptx::DeviceModel> device = ptx::FindDeviceModel(name);
  if (device.ok()) return *device;
  const auto text = llvm::MemoryBuffer::getFile(name);
  if (!text) Raise(device.status());
  return ValueOrRaise(ptx::ParseDeviceModel((*text)->getBuffer().str(), name));
}

}  // namespace hlo_indexing::python
