// `hlo-indexing simplify`: bare maps in simplest form.
#include "indexing_analysis/indexing_map.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;

// A map as it came: from the arguments, or from a line of standard input.
struct MapInput {
  llvm::StringRef text;
  std::string source;
  int64_t line;
};

class SimplifyCommand {
 public:
  SimplifyCommand(const SimplifyOptions& options, llvm::raw_ostream& out)
      : options_(options), out_(out) {}

  ExitCode Run() {
    if (options_.format == OutputFormat::kJson) WriteHeader(options_.maps.empty() ? "-" : "", out_);
    if (!options_.maps.empty()) {
      for (const std::string& map : options_.maps) RunMap({map, "<argument>", 1});
      return status_;
    }
    const std::optional<std::string> text = ReadInput("-", options_.limits.input_bytes);
    if (!text) return ExitCode::kBadInput;
    llvm::StringRef rest = *text;
    for (int64_t line = 1; !rest.empty(); ++line) {
      llvm::StringRef map;
      std::tie(map, rest) = rest.split('\n');
      map = map.trim();
      if (!map.empty()) RunMap({map, "<stdin>", line});
    }
    return status_;
  }

 private:
  void RunMap(const MapInput& input) {
    support::TextError error;
    const std::optional<IndexingMap> map =
        indexing_analysis::ParseIndexingMap(input.text, &context_, error);
    if (!map) {
      status_ = ExitCode::kBadInput;
      WriteError(input, error);
      return;
    }
    const IndexingMap simplified = Simplify(*map);
    if (options_.format == OutputFormat::kText) {
      out_ << simplified.ToString() << '\n';
      return;
    }
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "simplified");
      json.attribute("input", llvm::json::fixUTF8(input.text));
      json.attributeBegin("map");
      WriteMap(simplified, json);
      json.attributeEnd();
      json.attribute("empty", simplified.IsKnownEmpty());
    });
    out_ << '\n';
  }

  void WriteError(const MapInput& input, const support::TextError& error) {
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({input.source, input.text}, error.offset, error.message);
    diagnostic.line = input.line;
    if (options_.format == OutputFormat::kText) {
      // Keeps the lines of the output in step with those of the input.
      out_ << "ERROR\n";
      out_.flush();
      Report({diagnostic});
      return;
    }
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "error");
      json.attribute("input", llvm::json::fixUTF8(input.text));
      json.attribute("line", diagnostic.line);
      json.attribute("column", diagnostic.column);
      json.attribute("message", diagnostic.message);
    });
    out_ << '\n';
  }

  const SimplifyOptions& options_;
  llvm::raw_ostream& out_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace

ExitCode RunSimplify(const SimplifyOptions& options, llvm::raw_ostream& out) {
  return SimplifyCommand(options, out).Run();
}

}  // namespace hlo_indexing::tools
