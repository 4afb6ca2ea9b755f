// The extension module hlo_indexing._core.
#include "python/core/bindings.h"

NB_MODULE(_core, module) {
  hlo_indexing::python::BindCommands(module);
  hlo_indexing::python::BindMaps(module);
  hlo_indexing::python::BindModules(module);
  hlo_indexing::python::BindDlpack(module);
  hlo_indexing::python::BindEvaluation(module);
  hlo_indexing::python::BindKernels(module);
}
