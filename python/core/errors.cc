#include "python/core/errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace hlo_indexing::python {

namespace nb = nanobind;

void Raise(const absl::Status& status) {
  const nb::object error =
      nb::module_::import_("hlo_indexing._errors")
          .attr("from_status")(static_cast<int>(status.code()), std::string(status.message()));
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void RaiseAt(const support::SourceText& source, const support::TextError& error) {
  Raise(absl::InvalidArgumentError(
      support::MakeDiagnostic(source, error.offset, error.message).Render()));
}

}  // namespace hlo_indexing::python
