// Leaving a function with the error of a step.
#ifndef HLO_INDEXING_SUPPORT_STATUS_MACROS_H_
#define HLO_INDEXING_SUPPORT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Returns the status of the expression from the enclosing function unless it is OK.
#define HLO_INDEXING_RETURN_IF_ERROR(expression)                                                 \
  do {                                                                                           \
    if (absl::Status status_of_step = (expression); !status_of_step.ok()) return status_of_step; \
  } while (false)

#define HLO_INDEXING_CONCATENATE_(a, b) a##b
#define HLO_INDEXING_CONCATENATE(a, b) HLO_INDEXING_CONCATENATE_(a, b)
#define HLO_INDEXING_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                           \
  if (!result.ok()) return std::move(result).status();                  \
  declaration = *std::move(result)

/// Declares or assigns the value of a StatusOr, or returns its status from the enclosing function.
/// Example: HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout inverse, LeftInverse(layout));
#define HLO_INDEXING_ASSIGN_OR_RETURN(declaration, ...)                                       \
  HLO_INDEXING_ASSIGN_OR_RETURN_(HLO_INDEXING_CONCATENATE(status_or_, __LINE__), declaration, \
                                 (__VA_ARGS__))

#endif  // HLO_INDEXING_SUPPORT_STATUS_MACROS_H_
