// From HLO text to modules.
#ifndef HLO_INDEXING_HLO_PARSER_PARSER_H_
#define HLO_INDEXING_HLO_PARSER_PARSER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

struct ParseOptions {
  /// The name of the text in diagnostics.
  std::string file_name = "<input>";
  /// Parsing stops after so many errors.
  size_t max_errors = 20;
  /// How deep shapes, literals, operands and inline computations may nest.
  int max_nesting = 200;
  /// Asked now and then whether to go on; a no is an error where parsing ended. Empty: always.
  std::function<bool()> keep_running = nullptr;
  /// Told as often how many bytes of the text have been parsed. Empty: nobody.
  std::function<void(size_t done, size_t total)> progress = nullptr;
};

/// Parses HLO text as XLA prints and accepts it: with or without `%`, a module header, computation
/// signatures, operand shapes, layouts and shapes of instructions; comments, inline operands and
/// computations, tables of source locations, async operations in either spelling. Lines that start
/// with `// -----` separate modules, and so does a further `HloModule` header.
///
/// Unknown attributes are kept as text. Shapes that the text leaves out are inferred; whether the
/// given ones fit is the verifier's business. Errors go to `diagnostics`, each with its place; a
/// module with errors is not returned.
std::vector<std::unique_ptr<Module>> ParseModules(const std::shared_ptr<const std::string>& text,
                                                  const ParseOptions& options,
                                                  std::vector<support::Diagnostic>& diagnostics);

/// Parses a text that holds one module. The status of a failure holds all diagnostics.
/// Example: "ENTRY e { ROOT p = f32[2] parameter(0) }"
absl::StatusOr<std::unique_ptr<Module>> ParseModule(llvm::StringRef text,
                                                    const ParseOptions& options = {});

/// Parses a text that is one shape, which belongs to `module`. Null after an error, which goes to
/// `diagnostics`.
/// Example: "f32[3,5]{1,0:T(2,2)}"
const Shape* ParseShapeText(llvm::StringRef text, Module& module, const ParseOptions& options,
                            std::vector<support::Diagnostic>& diagnostics);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_PARSER_H_
