// `hlo-indexing count`: how many elements relations reach, as functions of parameters.
#include <memory>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/count.h"
#include "tools/numbers_option.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Counting;
using indexing_analysis::IndexingMap;

constexpr Example kExamples[] = {
    {"How many elements of its operand each element of a padded window reads",
     "hlo-indexing count '(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 7], s0 in [0, 2], d0 + s0 "
     "in [1, 8]'"},
    {"How many different elements each row of the result reads",
     "hlo-indexing count --parameters=0 '(d0, d1)[s0] -> (d1 * 2 + s0), domain: d0 in [0, 9], d1 "
     "in [0, 9], s0 in [0, 2], d0 - d1 in [0, 9]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "count",
    .summary = "How many elements sets of maps reach, as functions of parameters",
    .arguments = kSingleRelations,
    .details =
        "For each value of the parameters, the number of different results, for all values of the "
        "other dimensions and of the ranges. The answer is maps from the parameters to the number, "
        "which is 0 outside of their domains; it is exact, or there is none and status 4.",
    .examples = kExamples};

class CountCommand : public RelationCommand {
 public:
  CountCommand() : RelationCommand(kHelp, /*relations_per_query=*/1) {}

 protected:
  ExitCode Run(llvm::raw_ostream& out) override {
    if (!parameters_.Parse()) return ExitCode::kBadUsage;
    return RelationCommand::Run(out);
  }

  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    const Maps& maps = relations.front();
    const IndexingMap* known = FirstKnown(maps);
    return indexing_analysis::Count(
        maps, {.of = points_.value() ? Counting::Of::kPoints : Counting::Of::kResults,
               .parameters = parameters_.Of(known == nullptr ? 0 : known->num_dimensions())});
  }

 private:
  NumbersOption parameters_{table(), "parameters",
                            "Numbers of the dimensions that the answer depends on, in their new "
                            "order; all by default, none if empty. Runtime variables are always"};
  FlagOption points_{table(), "points",
                     "Count the values of the other dimensions and of the ranges, instead of "
                     "different results"};
};

}  // namespace

std::unique_ptr<Subcommand> MakeCountCommand() { return std::make_unique<CountCommand>(); }

}  // namespace hlo_indexing::tools
