// `hlo-indexing compose`: one map after another.
#include <memory>
#include <string>

#include "indexing_analysis/maps/indexing_map.h"
#include "tools/map_algebra_command.h"
#include "tools/quantity.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;

constexpr Example kExamples[] = {
    {"A transpose, then a reshape to one dimension",
     "hlo-indexing compose '(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]' '(x, y) -> "
     "(x * 4 + y), domain: x in [0, 7], y in [0, 3]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "compose",
    .summary = "The second map after the first, in simplest form",
    .arguments = kPairsOfMaps,
    .details =
        "The results of the first map are the dimensions of the second: there are as many of both.",
    .examples = kExamples};

class ComposeCommand : public MapAlgebraCommand {
 public:
  ComposeCommand() : MapAlgebraCommand(kHelp, /*maps_per_query=*/2) {}

 protected:
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const bool fits = maps[0].IsUnknown() || maps[1].IsUnknown() ||
                      maps[0].affine_map().getNumResults() == maps[1].num_dimensions();
    if (!fits) {
      return Fail(
          1, "the first map has " + Counted(maps[0].affine_map().getNumResults(), "result") +
                 ", the second " +
                 Counted(static_cast<int64_t>(maps[1].num_dimensions()), "dimension variable"));
    }
    const IndexingMap composed = Compose(maps[0], maps[1]);
    if (composed.IsUnknown() && !maps[0].IsUnknown() && !maps[1].IsUnknown()) {
      return Fail(1,
                  "an expression of the composition overflows 64 bits, divides by zero or is too "
                  "long to be written");
    }
    WriteMapAnswer(composed, texts);
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeComposeCommand() { return std::make_unique<ComposeCommand>(); }

}  // namespace hlo_indexing::tools
