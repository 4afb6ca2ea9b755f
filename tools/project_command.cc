// `hlo-indexing project`: what relations say of some of their dimensions and results.
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/projection.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/relation_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;
using Numbers = std::vector<size_t>;

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
  absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) override {
    const Maps& maps = relations.front();
    const IndexingMap* known = nullptr;
    for (const IndexingMap& map : maps) {
      if (!map.IsUnknown()) known = &map;
    }
    const size_t num_dimensions = known == nullptr ? 0 : known->num_dimensions();
    const size_t num_results = known == nullptr ? 0 : known->affine_map().getNumResults();
    const absl::StatusOr<Numbers> dimensions = NumbersOf(dimensions_, num_dimensions);
    if (!dimensions.ok()) return dimensions.status();
    const absl::StatusOr<Numbers> results = NumbersOf(results_, num_results);
    if (!results.ok()) return results.status();
    return indexing_analysis::Project(llvm::ArrayRef(maps),
                                      {.dimensions = *dimensions, .results = *results});
  }

 private:
  // All of `count` if the option is not given.
  static absl::StatusOr<Numbers> NumbersOf(const TextOption& option, size_t count) {
    Numbers numbers;
    if (!option.is_given()) {
      numbers.resize(count);
      std::iota(numbers.begin(), numbers.end(), size_t{0});
      return numbers;
    }
    llvm::SmallVector<llvm::StringRef, 4> items;
    if (!option.value().empty()) llvm::StringRef(option.value()).split(items, ',');
    for (const llvm::StringRef item : items) {
      if (item.trim().getAsInteger(10, numbers.emplace_back())) {
        return absl::InvalidArgumentError("expected numbers with ',' between, not '" + item.str() +
                                          "'");
      }
    }
    return numbers;
  }

  TextOption dimensions_{table(),
                         "dimensions",
                         {"list"},
                         "Numbers of the dimensions that are kept, in their new order; all by "
                         "default, none if empty"};
  TextOption results_{table(),
                      "results",
                      {"list"},
                      "Numbers of the results that are kept, in their new order; all by default, "
                      "none if empty"};
};

}  // namespace

std::unique_ptr<Subcommand> MakeProjectCommand() { return std::make_unique<ProjectCommand>(); }

}  // namespace hlo_indexing::tools
