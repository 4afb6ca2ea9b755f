// `hlo-indexing union`: what two relations relate together.
#include <memory>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

constexpr Example kExamples[] = {{"Two slices that touch",
                                  "hlo-indexing union '(d0) -> (d0), domain: d0 in [0, 3]' '(d0) "
                                  "-> (d0), domain: d0 in [4, 9]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "union",
    .summary = "What two sets of maps relate together, in few maps",
    .arguments = kPairsOfRelations,
    .details =
        "Maps that another one subsumes are left out, and two that touch become one. A map relates "
        "each "
        "point of its dimensions to its results, for all values of its ranges. The answer has ';' "
        "between its maps, as the arguments may.",
    .examples = kExamples};

class UnionCommand : public RelationCommand {
 public:
  UnionCommand() : RelationCommand(kHelp, /*relations_per_query=*/2) {}

 protected:
  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    return indexing_analysis::Unite(relations[0], relations[1]);
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeUnionCommand() { return std::make_unique<UnionCommand>(); }

}  // namespace hlo_indexing::tools
