#include "tools/array_inputs.h"

#include "llvm/ADT/StringRef.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

bool ParseInputs(llvm::ArrayRef<std::string> inputs, InputFiles& files) {
  for (const std::string& input : inputs) {
    const auto [place, file] = llvm::StringRef(input).split('=');
    const auto [leaf, device] = place.split('@');
    InputKey key;
    const bool is_for_device = place.contains('@');
    if (file.empty() || leaf.getAsInteger(10, key.leaf) || key.leaf < 0 ||
        (is_for_device && (device.getAsInteger(10, key.device) || key.device < 0))) {
      ReportError("--input must be K=FILE or K@DEVICE=FILE, not '" + input + "'");
      return false;
    }
    if (!files.emplace(key, file.str()).second) {
      ReportError("--input=" + place.str() + " is given twice");
      return false;
    }
  }
  return true;
}

}  // namespace hlo_indexing::tools
