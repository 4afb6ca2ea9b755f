// What the parts of the extension module share. Each BindX adds its part to the module.
#ifndef HLO_INDEXING_PYTHON_CORE_BINDINGS_H_
#define HLO_INDEXING_PYTHON_CORE_BINDINGS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::python {

using namespace nanobind::literals;  // NOLINT(google-build-using-namespace): the suffix _a

/// Expressions of maps live in a context, which belongs to one thread at a time: the lock is held
/// by whoever makes or looks at expressions. Who takes it has given the GIL back, so that waiting
/// for one never needs the other. Recursive: long work lets Python look at signals, and tells a
/// function of Python how far it is, which may look at maps.
struct Context {
  std::recursive_mutex mutex;
  mlir::MLIRContext mlir{mlir::MLIRContext::Threading::DISABLED};
};

/// Runs without the GIL, with the context to itself.
template <typename Function>
decltype(auto) InContext(Context& context, Function function) {
  const nanobind::gil_scoped_release release;
  const std::lock_guard<std::recursive_mutex> lock(context.mutex);
  return function();
}

/// An array of NumPy that takes a vector over.
template <typename T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> ArrayOf(std::unique_ptr<T[]> values,
                                                                 size_t size) {
  T* const data = values.release();
  const nanobind::capsule owner(data, [](void* held) noexcept { delete[] static_cast<T*>(held); });
  return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {size}, owner);
}

void BindCommands(nanobind::module_& module);
void BindMaps(nanobind::module_& module);
void BindModules(nanobind::module_& module);
void BindDlpack(nanobind::module_& module);
void BindEvaluation(nanobind::module_& module);
void BindKernels(nanobind::module_& module);

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_BINDINGS_H_
