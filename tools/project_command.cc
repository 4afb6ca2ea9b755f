// `hlo-indexing project`: what relations say of some of their dimensions and results.
#include <memory>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/projection.h"
#include "tools/numbers_option.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;

constexpr Example kExamples[] = {
    {"Which rows of the result read something",
     "hlo-indexing project --dimensions=0 --results= "
     "'(d0, d1)[s0] -> (d1 + s0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 2], "
     "d0 - s0 in [5, 9]'"},
    {"What is read by any element",
     "hlo-indexing project --dimensions= '(d0, d1) -> (d0 * 2), domain: d0 in [0, 9], d1 in [0, "
     "9]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "project",
    .summary = "What sets of maps say of some of their dimensions and results",
    .arguments = kSingleRelations,
    .details =
        "The pairs of the dimensions and results that are kept for which some pair of the "
        "relation has them. Dimensions that go become ranges; ranges that no result mentions go "
        "where that is possible.",
    .examples = kExamples};

class ProjectCommand : public RelationCommand {
 public:
  ProjectCommand() : RelationCommand(kHelp, /*relations_per_query=*/1) {}

 protected:
  ExitCode Run(llvm::raw_ostream& out) override {
    if (!dimensions_.Parse() || !results_.Parse()) return ExitCode::kBadUsage;
    return RelationCommand::Run(out);
  }

  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    const Maps& maps = relations.front();
    const IndexingMap* known = FirstKnown(maps);
    const size_t num_dimensions = known == nullptr ? 0 : known->num_dimensions();
    const size_t num_results = known == nullptr ? 0 : known->affine_map().getNumResults();
    return indexing_analysis::Project(
        llvm::ArrayRef(maps),
        {.dimensions = dimensions_.Of(num_dimensions), .results = results_.Of(num_results)});
  }

 private:
  NumbersOption dimensions_{table(), "dimensions",
                            "Numbers of the dimensions that are kept, in their new order; all by "
                            "default, none if empty"};
  NumbersOption results_{
      table(), "results",
      "Numbers of the results that are kept, in their new order; all by default, "
      "none if empty"};
};

}  // namespace

std::unique_ptr<Subcommand> MakeProjectCommand() { return std::make_unique<ProjectCommand>(); }

}  // namespace hlo_indexing::tools
