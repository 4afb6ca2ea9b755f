// What the subcommands on bare maps share: where maps come from, and how errors are told.
#ifndef HLO_INDEXING_TOOLS_MAP_COMMAND_H_
#define HLO_INDEXING_TOOLS_MAP_COMMAND_H_

#include <string>

#include "indexing_analysis/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/MLIRContext.h"
#include "support/diagnostics.h"
#include "tools/command.h"

namespace hlo_indexing::tools {

/// Reads maps, as many at a time as one question needs, from the arguments or from the lines of
/// standard input. Blank lines are skipped.
class MapCommand {
 public:
  MapCommand(const BareMapsOptions& options, llvm::raw_ostream& out)
      : options_(options), out_(out) {}
  virtual ~MapCommand() = default;

  ExitCode Run();

 protected:
  /// Answers for `texts`, parsed as `maps`. *simplify: one of each; equal: two*
  virtual void Answer(llvm::ArrayRef<indexing_analysis::IndexingMap> maps,
                      llvm::ArrayRef<llvm::StringRef> texts) = 0;
  virtual size_t maps_per_question() const = 0;

  /// Writes a line of JSON.
  void WriteObject(llvm::function_ref<void(llvm::json::OStream&)> attributes);
  /// The texts of a question, for the attribute `input`.
  static std::string Joined(llvm::ArrayRef<llvm::StringRef> texts);
  /// Reports an error in the map of that number.
  void Fail(size_t map, const std::string& message);
  void Raise(ExitCode status) { status_ = Worst(status_, status); }

  const BareMapsOptions& options() const { return options_; }
  bool is_json() const { return options_.format == OutputFormat::kJson; }
  llvm::raw_ostream& out() { return out_; }

 private:
  // A map as it came.
  struct Input {
    llvm::StringRef text;
    std::string source;
    int64_t line;
  };

  void AnswerFor(llvm::ArrayRef<Input> inputs);
  void WriteError(const Input& input, const support::TextError& error);

  const BareMapsOptions& options_;
  // The maps of the present question.
  llvm::ArrayRef<Input> question_;
  llvm::raw_ostream& out_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAP_COMMAND_H_
