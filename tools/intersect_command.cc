// `hlo-indexing intersect`: what both of two relations relate.
#include <memory>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

constexpr Example kExamples[] = {
    {"Even elements of a slice",
     "hlo-indexing intersect '(d0) -> (d0), domain: d0 in [3, 8]' '(d0)[s0] -> (s0 * 2), domain: "
     "d0 in [0, 9], s0 in [0, 4]'"}};

constexpr SubcommandHelp kHelp = {.name = "intersect",
                                  .summary = "What both of two sets of maps relate",
                                  .arguments = kPairsOfRelations,
                                  .details =
                                      "The pairs of dimensions and results that a map of the first "
                                      "and a map of the second argument "
                                      "relate, in simplest form.",
                                  .examples = kExamples};

class IntersectCommand : public RelationCommand {
 public:
  IntersectCommand() : RelationCommand(kHelp, /*relations_per_query=*/2) {}

 protected:
  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    return indexing_analysis::Intersect(llvm::ArrayRef(relations[0]), llvm::ArrayRef(relations[1]));
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeIntersectCommand() { return std::make_unique<IntersectCommand>(); }

}  // namespace hlo_indexing::tools
