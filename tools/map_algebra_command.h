// What the subcommands on maps without a module share: where maps come from, and how errors are
// told.
#ifndef HLO_INDEXING_TOOLS_MAP_ALGEBRA_COMMAND_H_
#define HLO_INDEXING_TOOLS_MAP_ALGEBRA_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/MLIRContext.h"
#include "support/diagnostics.h"
#include "tools/input.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// The arguments of subcommands that take maps one by one, or in pairs.
inline constexpr ArgumentsHelp kSingleMaps = {
    .usage = "[MAP]...",
    .help = "Maps; '-', or none at all, stands for the lines of standard input"};
inline constexpr ArgumentsHelp kPairsOfMaps = {
    .usage = "[MAP MAP]...",
    .help = "Pairs of maps; '-', or none at all, stands for the lines of standard input"};

inline constexpr ArgumentsHelp kSingleRelations = {
    .usage = "[MAPS]...",
    .help =
        "Relations, each one map or several with ';' between; '-', or none at all, stands for the "
        "lines of standard input"};
inline constexpr ArgumentsHelp kPairsOfRelations = {
    .usage = "[MAPS MAPS]...",
    .help =
        "Pairs of relations, each one map or several with ';' between; '-', or none at all, "
        "stands for the lines of standard input"};

/// A subcommand that answers one query after the other, each with one map or more.
class MapAlgebraCommand : public Subcommand {
 public:
  ExitCode Run(llvm::raw_ostream& out) override;

 protected:
  /// Variables, results and constraints of a map together: more take gigabytes where maps are
  /// inverted or counted.
  static constexpr size_t kMostParts = 1024;

  MapAlgebraCommand(const SubcommandHelp& help, size_t maps_per_query,
                    size_t most_parts = kMostParts)
      : Subcommand(help), maps_per_query_(maps_per_query), most_parts_(most_parts) {}

  /// Answers for the texts, parsed as `maps`: as many as a query has.
  virtual void Answer(llvm::ArrayRef<indexing_analysis::IndexingMap> /*maps*/,
                      llvm::ArrayRef<llvm::StringRef> /*texts*/) {}
  /// Parses the texts of a query and answers; of subcommands for single maps, by Answer.
  virtual void ParseAndAnswer(llvm::ArrayRef<InputLine> query);
  /// The maps of a text, parsed; with ';' between if there may be several. nullopt if one is wrong,
  /// which is reported.
  std::optional<std::vector<indexing_analysis::IndexingMap>> ParseMaps(const InputLine& input,
                                                                       bool may_be_several);

  /// Writes the map that a query has as its answer.
  void WriteMapAnswer(const indexing_analysis::IndexingMap& answer,
                      llvm::ArrayRef<llvm::StringRef> texts);
  /// Writes a line of JSON.
  void WriteObject(llvm::function_ref<void(llvm::json::OStream&)> attributes);
  /// The texts of a query, for the attribute `input`.
  static std::string Joined(llvm::ArrayRef<llvm::StringRef> texts);
  /// Reports what is wrong with a map of the present query.
  void Fail(size_t map, const std::string& message, ExitCode status = ExitCode::kBadInput);
  void Raise(ExitCode status) { status_ = Worst(status_, status); }

  bool is_json() const { return format_.is_json(); }
  llvm::raw_ostream& out() { return *out_; }

 private:
  void WriteError(const InputLine& input, const support::TextError& error, ExitCode status);

  FormatOption format_{table()};
  InputSizeOption max_input_bytes_{table()};

  size_t maps_per_query_;
  size_t most_parts_;
  // Those of the present query.
  llvm::ArrayRef<InputLine> query_;
  // From Run on.
  llvm::raw_ostream* out_ = nullptr;
  std::optional<mlir::MLIRContext> context_;
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAP_ALGEBRA_COMMAND_H_
