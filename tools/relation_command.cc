#include "tools/relation_command.h"

#include <optional>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {

using indexing_analysis::IndexingMap;

void RelationCommand::ParseAndAnswer(llvm::ArrayRef<InputLine> query) {
  const std::optional<Maps> a = ParseMaps(query[0], /*may_be_several=*/true);
  const std::optional<Maps> b = a ? ParseMaps(query[1], /*may_be_several=*/true) : std::nullopt;
  if (!b) return;
  const absl::StatusOr<Maps> answer = Combine(*a, *b);
  if (!answer.ok()) {
    return Fail(
        1, std::string(answer.status().message()),
        absl::IsUnimplemented(answer.status()) ? ExitCode::kNotSupported : ExitCode::kBadInput);
  }
  if (!is_json()) {
    llvm::interleave(*answer, out(), [&](const IndexingMap& map) { map.Print(out()); }, "; ");
    out() << (answer->empty() ? "KNOWN EMPTY\n" : "\n");
    return;
  }
  WriteObject([&](llvm::json::OStream& json) {
    json.attribute("kind", name_);
    json.attribute("input", Joined({query[0].text, query[1].text}));
    json.attributeArray("maps", [&] {
      for (const IndexingMap& map : *answer) WriteMap(map, json);
    });
    json.attribute("empty", answer->empty());
  });
}

}  // namespace hlo_indexing::tools
