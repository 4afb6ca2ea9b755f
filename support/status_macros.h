// Early returns on a failed absl::Status; the packaged Abseil has none of its own.
#ifndef HLO_INDEXING_SUPPORT_STATUS_MACROS_H_
#define HLO_INDEXING_SUPPORT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define HI_CONCAT_INNER(a, b) a##b
#define HI_CONCAT(a, b) HI_CONCAT_INNER(a, b)

/// Returns from the enclosing function with the status of `expression` unless it is OK.
#define HI_RETURN_IF_ERROR(expression)                            \
  do {                                                            \
    if (absl::Status hi_status = (expression); !hi_status.ok()) { \
      return hi_status;                                           \
    }                                                             \
  } while (false)

/// Declares or assigns `lhs` from a StatusOr, or returns its status.
/// *HI_ASSIGN_OR_RETURN(auto module, ParseModule(text));*
#define HI_ASSIGN_OR_RETURN(lhs, expression) \
  HI_ASSIGN_OR_RETURN_IMPL(HI_CONCAT(hi_status_or_, __LINE__), lhs, expression)

#define HI_ASSIGN_OR_RETURN_IMPL(variable, lhs, expression) \
  auto variable = (expression);                             \
  if (!variable.ok()) return variable.status();             \
  lhs = std::move(variable).value()

#endif  // HLO_INDEXING_SUPPORT_STATUS_MACROS_H_
