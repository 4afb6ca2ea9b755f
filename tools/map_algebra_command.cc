#include "tools/map_algebra_command.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

using indexing_analysis::IndexingMap;

ExitCode MapAlgebraCommand::Run(llvm::raw_ostream& out) {
  out_ = &out;
  context_.emplace(mlir::MLIRContext::Threading::DISABLED);
  std::optional<InputLines> input = ReadLines(arguments(), max_input_bytes_.value());
  if (is_json()) WriteHeader(!input || input->has_standard_input ? "-" : "", out);
  if (!input) return ExitCode::kBadInput;
  // Columns are counted from the map on.
  for (InputLine& line : input->lines) {
    if (line.source == "<stdin>") line.text = line.text.ltrim();
  }
  const llvm::ArrayRef<InputLine> all = input->lines;
  const Interruption interruption;
  ProgressLine progress;
  for (size_t i = 0; i < all.size(); i += maps_per_query_) {
    if (Interruption::IsRequested()) return ReportInterruption(i, all.size(), "maps");
    progress.Update(
        [&] { return std::to_string(i) + " of " + std::to_string(all.size()) + " maps"; });
    if (all.size() - i < maps_per_query_) {
      WriteError(all.back(),
                 {all.back().text.size(), "expected another map: this needs " +
                                              std::to_string(maps_per_query_) + " at a time"},
                 ExitCode::kBadInput);
      break;
    }
    query_ = all.slice(i, maps_per_query_);
    ParseAndAnswer(query_);
  }
  return status_;
}

void MapAlgebraCommand::Fail(size_t map, const std::string& message, ExitCode status) {
  WriteError(query_[map], {0, message}, status);
}

std::optional<std::vector<IndexingMap>> MapAlgebraCommand::ParseMaps(const InputLine& input,
                                                                     bool may_be_several) {
  std::vector<IndexingMap> maps;
  const llvm::StringRef text = input.text;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = may_be_several ? std::min(text.find(';', begin), text.size()) : text.size();
    support::TextError error;
    std::optional<IndexingMap> map =
        indexing_analysis::ParseIndexingMap(text.slice(begin, end), &*context_, error);
    if (!map) {
      WriteError(input, {begin + error.offset, error.message}, ExitCode::kBadInput);
      return std::nullopt;
    }
    const size_t parts = map->num_dimensions() + map->num_ranges() + map->num_runtime() +
                         map->constraints().size() +
                         (map->IsUnknown() ? 0 : map->affine_map().getNumResults());
    if (parts > most_parts_) {
      WriteError(input,
                 {begin, "a map of " + std::to_string(parts) +
                             " variables, results and constraints is out of reach: the limit is " +
                             std::to_string(most_parts_)},
                 ExitCode::kNotSupported);
      return std::nullopt;
    }
    maps.push_back(std::move(*map));
    begin = end + 1;
  }
  return maps;
}

void MapAlgebraCommand::ParseAndAnswer(llvm::ArrayRef<InputLine> query) {
  std::vector<IndexingMap> maps;
  llvm::SmallVector<llvm::StringRef, 2> texts;
  for (const InputLine& input : query) {
    const auto parsed = ParseMaps(input, /*may_be_several=*/false);
    if (!parsed) return;
    maps.push_back(parsed->front());
    texts.push_back(input.text);
  }
  Answer(maps, texts);
}

void MapAlgebraCommand::WriteMapAnswer(const IndexingMap& answer,
                                       llvm::ArrayRef<llvm::StringRef> texts) {
  if (!is_json()) {
    out() << answer.ToString() << '\n';
    return;
  }
  WriteObject([&](llvm::json::OStream& json) {
    json.attribute("kind", "simplified");
    json.attribute("input", Joined(texts));
    json.attributeBegin("map");
    WriteMap(answer, json);
    json.attributeEnd();
    json.attribute("empty", answer.IsKnownEmpty());
  });
}

void MapAlgebraCommand::WriteObject(llvm::function_ref<void(llvm::json::OStream&)> attributes) {
  llvm::json::OStream json(out());
  json.object([&] { attributes(json); });
  out() << '\n';
}

std::string MapAlgebraCommand::Joined(llvm::ArrayRef<llvm::StringRef> texts) {
  return llvm::json::fixUTF8(llvm::join(texts, " ; "));
}

void MapAlgebraCommand::WriteError(const InputLine& input, const support::TextError& error,
                                   ExitCode status) {
  Raise(status);
  support::Diagnostic diagnostic =
      support::MakeDiagnostic({input.source, input.text}, error.offset, error.message);
  diagnostic.line = input.line;
  if (!is_json()) {
    // Keeps the lines of the output in step with those of the input.
    out() << "ERROR\n";
    out().flush();
    Report({diagnostic});
    return;
  }
  WriteObject([&](llvm::json::OStream& json) {
    json.attribute("kind", "error");
    json.attribute("input", llvm::json::fixUTF8(input.text));
    json.attribute("line", diagnostic.line);
    json.attribute("column", diagnostic.column);
    json.attribute("message", diagnostic.message);
  });
}

}  // namespace hlo_indexing::tools
