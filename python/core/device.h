// Devices by name or file.
#ifndef HLO_INDEXING_PYTHON_CORE_DEVICE_H_
#define HLO_INDEXING_PYTHON_CORE_DEVICE_H_

#include <string>

#include "codegen/ptx/device_model.h"

namespace hlo_indexing::python {

/// The device of that name, or that the file describes; an exception if there is neither. Needs the
/// GIL.
ptx::DeviceModel DeviceNamed(const std::string& name);

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_DEVICE_H_
