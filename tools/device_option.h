// --device
#ifndef HLO_INDEXING_TOOLS_DEVICE_OPTION_H_
#define HLO_INDEXING_TOOLS_DEVICE_OPTION_H_

#include <cstdint>
#include <optional>

#include "codegen/ptx/device_model.h"
#include "llvm/ADT/StringRef.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

/// A device by its name, or by a file that describes it; an H100 unless told.
class DeviceOption {
 public:
  /// `help`, a literal, says what it is for and names the devices.
  DeviceOption(OptionTable& table, llvm::StringRef help);
  /// nullopt, after a message on standard error, if there is no such device, or the file
  /// cannot be read or has more than `max_bytes`.
  std::optional<ptx::DeviceModel> Read(uint64_t max_bytes) const;

  bool is_given() const { return name_.is_given(); }

 private:
  TextOption name_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_DEVICE_OPTION_H_
