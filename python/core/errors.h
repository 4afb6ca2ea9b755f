// From errors of the core to exceptions of Python: the module hlo_indexing._errors makes them.
#ifndef HLO_INDEXING_PYTHON_CORE_ERRORS_H_
#define HLO_INDEXING_PYTHON_CORE_ERRORS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/diagnostics.h"

namespace hlo_indexing::python {

/// Raises the exception for a status that is not OK. Needs the GIL.
[[noreturn]] void Raise(const absl::Status& status);

/// The value, or an exception. Needs the GIL.
template <typename T>
T ValueOrRaise(absl::StatusOr<T> value) {
  if (!value.ok()) Raise(value.status());
  return *std::move(value);
}

/// Raises the exception for an error in a text, with its place. Needs the GIL.
[[noreturn]] void RaiseAt(const support::SourceText& source, const support::TextError& error);

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_ERRORS_H_
