#include "hlo/shape_inference/verifier.h"

#include "hlo/shape_inference/shape_inference.h"

namespace hlo_indexing::hlo {

void Verify(Module& module, size_t max_errors, std::vector<support::Diagnostic>& diagnostics,
            const std::function<bool()>& keep_running) {
  constexpr size_t kInstructionsBetween = 256;
  const size_t limit = diagnostics.size() + max_errors;
  size_t num_instructions = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (keep_running && num_instructions++ % kInstructionsBetween == 0 && !keep_running()) {
        diagnostics.push_back(support::MakeDiagnostic(module.source(), instruction->offset(),
                                                      "verifying was stopped"));
        return;
      }
      const std::optional<ShapeError> error = CheckShape(*instruction, module.shapes());
      if (!error) continue;
      const Attribute* attribute = instruction->Find(error->attribute);
      const uint32_t offset =
          attribute == nullptr ? instruction->opcode_offset() : attribute->offset;
      std::string message = error->message;
      if (module.text().empty()) {
        message = "instruction '" + instruction->name().str() + "' of computation '" +
                  computation->name().str() + "': " + message;
      }
      diagnostics.push_back(support::MakeDiagnostic(module.source(), offset, std::move(message)));
      if (diagnostics.size() >= limit) return;
    }
  }
}

absl::Status Verify(Module& module) {
  constexpr size_t kMaxErrors = 20;
  std::vector<support::Diagnostic> diagnostics;
  Verify(module, kMaxErrors, diagnostics);
  return support::ToStatus(diagnostics);
}

}  // namespace hlo_indexing::hlo
