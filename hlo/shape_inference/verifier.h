// Checks that a module makes sense: shapes and attributes fit the operands.
#ifndef HLO_INDEXING_HLO_SHAPE_INFERENCE_VERIFIER_H_
#define HLO_INDEXING_HLO_SHAPE_INFERENCE_VERIFIER_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "hlo/module.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

/// Appends what is wrong with the module, at most `max_errors` findings, each at its place in the
/// module's text. Shapes are inferred from operands and attributes and compared with the ones
/// given; layouts and the precision of floats are left to the program. `keep_running`, unless it is
/// empty, is asked now and then whether to go on; a no is an error where verifying ended.
void Verify(Module& module, size_t max_errors, std::vector<support::Diagnostic>& diagnostics,
            const std::function<bool()>& keep_running = nullptr);

/// The same as a status that holds up to 20 findings.
absl::Status Verify(Module& module);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_VERIFIER_H_
