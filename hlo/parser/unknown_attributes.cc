#include "hlo/parser/unknown_attributes.h"

#include <string>

#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace hlo_indexing::hlo {
namespace {

// What XLA's printer and parser of modules have.
constexpr llvm::StringLiteral kHeaderNames[] = {
    "alias_passthrough_params",
    "allow_spmd_sharding_propagation_to_output",
    "allow_spmd_sharding_propagation_to_parameters",
    "buffer_donor",
    "entry_computation_layout",
    "frontend_attributes",
    "input_output_alias",
    "is_scheduled",
    "num_partitions",
    "replica_count",
    "use_auto_spmd_partitioning",
};

}  // namespace

std::vector<support::Diagnostic> UnknownAttributes(const Module& module) {
  std::vector<support::Diagnostic> result;
  if (module.text().empty()) return result;
  llvm::StringSet<> seen;
  const auto add = [&](const Attribute& attribute, llvm::StringRef what) {
    if (!seen.insert(attribute.text).second) return;
    result.push_back(support::MakeDiagnostic(
        {module.file_name(), module.text()}, attribute.offset,
        ("unknown " + what + " '" + support::Quotable(attribute.text) + "' is ignored").str()));
  };
  for (const Attribute& attribute : module.attributes()) {
    if (!llvm::is_contained(kHeaderNames, attribute.text)) {
      add(attribute, "attribute of the module");
    }
  }
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Attribute& attribute : instruction->attributes()) {
        if (attribute.name == AttributeName::kOther) add(attribute, "attribute");
      }
    }
    // These stand behind the instructions.
    for (const Attribute& attribute : computation->attributes()) {
      if (attribute.text != "execution_thread" &&
          ParseAttributeName(attribute.text) == AttributeName::kOther) {
        add(attribute, "attribute of a computation");
      }
    }
  }
  return result;
}

}  // namespace hlo_indexing::hlo
