// `hlo-indexing subtract`: what one relation relates and another does not.
#include <memory>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

constexpr Example kExamples[] = {{"What a slice reads beyond another",
                                  "hlo-indexing subtract '(d0) -> (d0), domain: d0 in [0, 9]' "
                                  "'(d0) -> (d0), domain: d0 in [3, 4]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "subtract",
    .summary = "What the first of two sets of maps relates and the second does not",
    .arguments = kPairsOfRelations,
    .details =
        "The pairs of dimensions and results that a map of the first argument relates and no map "
        "of the second. Where that depends on values of ranges that cannot be eliminated, there is "
        "no answer (status 4).",
    .examples = kExamples};

class SubtractCommand : public RelationCommand {
 public:
  SubtractCommand() : RelationCommand(kHelp, /*relations_per_query=*/2) {}

 protected:
  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    return indexing_analysis::Subtract(llvm::ArrayRef(relations[0]), llvm::ArrayRef(relations[1]));
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeSubtractCommand() { return std::make_unique<SubtractCommand>(); }

}  // namespace hlo_indexing::tools
