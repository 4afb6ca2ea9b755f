#include "tools/map_command.h"

#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "tools/input.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {

using indexing_analysis::IndexingMap;

ExitCode MapCommand::Run() {
  if (is_json()) WriteHeader(options_.maps.empty() ? "-" : "", out_);
  std::vector<Input> inputs;
  std::optional<std::string> text;
  if (options_.maps.empty()) {
    text = ReadInput("-", options_.limits.input_bytes);
    if (!text) return ExitCode::kBadInput;
    llvm::StringRef rest = *text;
    for (int64_t line = 1; !rest.empty(); ++line) {
      llvm::StringRef map;
      std::tie(map, rest) = rest.split('\n');
      if (!map.trim().empty()) inputs.push_back({map.trim(), "<stdin>", line});
    }
  }
  for (const std::string& map : options_.maps) inputs.push_back({map, "<argument>", 1});
  const size_t count = maps_per_question();
  const llvm::ArrayRef<Input> all = inputs;
  for (size_t i = 0; i < all.size(); i += count) {
    if (all.size() - i < count) {
      WriteError(all.back(), {all.back().text.size(), "expected another map: this needs " +
                                                          std::to_string(count) + " at a time"});
      break;
    }
    AnswerFor(all.slice(i, count));
  }
  return status_;
}

void MapCommand::Fail(size_t map, const std::string& message) {
  WriteError(question_[map], {0, message});
}

void MapCommand::AnswerFor(llvm::ArrayRef<Input> inputs) {
  question_ = inputs;
  std::vector<IndexingMap> maps;
  llvm::SmallVector<llvm::StringRef, 2> texts;
  for (const Input& input : inputs) {
    support::TextError error;
    std::optional<IndexingMap> map =
        indexing_analysis::ParseIndexingMap(input.text, &context_, error);
    if (!map) return WriteError(input, error);
    maps.push_back(std::move(*map));
    texts.push_back(input.text);
  }
  Answer(maps, texts);
}

void MapCommand::WriteObject(llvm::function_ref<void(llvm::json::OStream&)> attributes) {
  llvm::json::OStream json(out_);
  json.object([&] { attributes(json); });
  out_ << '\n';
}

std::string MapCommand::Joined(llvm::ArrayRef<llvm::StringRef> texts) {
  return llvm::json::fixUTF8(llvm::join(texts, " ; "));
}

void MapCommand::WriteError(const Input& input, const support::TextError& error) {
  status_ = ExitCode::kBadInput;
  support::Diagnostic diagnostic =
      support::MakeDiagnostic({input.source, input.text}, error.offset, error.message);
  diagnostic.line = input.line;
  if (!is_json()) {
    // Keeps the lines of the output in step with those of the input.
    out_ << "ERROR\n";
    out_.flush();
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
