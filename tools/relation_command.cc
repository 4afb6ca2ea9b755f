#include "tools/relation_command.h"

#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {

using indexing_analysis::IndexingMap;

const IndexingMap* RelationCommand::FirstKnown(const Maps& maps) {
  const auto known = llvm::find_if(maps, [](const IndexingMap& map) { return !map.IsUnknown(); });
  return known == maps.end() ? nullptr : &*known;
}

void RelationCommand::ParseAndAnswer(llvm::ArrayRef<InputLine> query) {
  std::vector<Maps> relations;
  llvm::SmallVector<llvm::StringRef, 2> texts;
  for (const InputLine& input : query) {
    std::optional<Maps> maps = ParseMaps(input, /*may_be_several=*/true);
    if (!maps) return;
    relations.push_back(*std::move(maps));
    texts.push_back(input.text);
  }
  const absl::StatusOr<Maps> answer = Combine(relations);
  if (!answer.ok()) {
    const bool is_out_of_reach =
        absl::IsUnimplemented(answer.status()) || absl::IsResourceExhausted(answer.status());
    return Fail(query.size() - 1, std::string(answer.status().message()),
                is_out_of_reach ? ExitCode::kNotSupported : ExitCode::kBadInput);
  }
  if (!is_json()) {
    llvm::interleave(*answer, out(), [&](const IndexingMap& map) { map.Print(out()); }, "; ");
    out() << (answer->empty() ? "KNOWN EMPTY\n" : "\n");
    return;
  }
  WriteObject([&](llvm::json::OStream& json) {
    json.attribute("kind", name_);
    json.attribute("input", Joined(texts));
    json.attributeArray("maps", [&] {
      for (const IndexingMap& map : *answer) WriteMap(map, json);
    });
    json.attribute("empty", answer->empty());
  });
}

}  // namespace hlo_indexing::tools
