// `hlo-indexing inverse`: maps from results to dimensions.
#include <memory>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/inverse.h"
#include "tools/map_algebra_command.h"
#include "tools/map_json.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;

constexpr Example kExamples[] = {
    {"Which element is read where, from what each element reads",
     "hlo-indexing inverse '(d0) -> (d0 * 2 + 1), domain: d0 in [0, 9]'"}};

constexpr SubcommandHelp kHelp = {.name = "inverse",
                                  .summary = "Maps from results to dimensions",
                                  .arguments = kSingleMaps,
                                  .details =
                                      "If several dimensions lead to one result, range variables "
                                      "of the inverse take the values of them all.",
                                  .examples = kExamples};

class InverseCommand : public MapAlgebraCommand {
 public:
  InverseCommand() : MapAlgebraCommand(kHelp, /*maps_per_query=*/1) {}

 protected:
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const absl::StatusOr<IndexingMap> inverse = Inverse(maps[0]);
    if (!inverse.ok()) {
      const bool is_limit = absl::IsResourceExhausted(inverse.status());
      return Fail(0, std::string(inverse.status().message()),
                  is_limit ? ExitCode::kNotSupported : ExitCode::kBadInput);
    }
    const bool exists = !inverse->IsUnknown();
    if (!is_json()) {
      out() << inverse->ToString() << (exists ? "" : ": the map is unknown") << '\n';
      return;
    }
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "simplified");
      json.attribute("input", Joined(texts));
      json.attribute("exists", exists);
      json.attributeBegin("map");
      if (exists) {
        WriteMap(*inverse, json);
      } else {
        json.value(nullptr);
      }
      json.attributeEnd();
      json.attribute("empty", inverse->IsKnownEmpty());
      if (!exists) json.attribute("reason", "the map is unknown");
    });
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeInverseCommand() { return std::make_unique<InverseCommand>(); }

}  // namespace hlo_indexing::tools
