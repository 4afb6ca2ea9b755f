// `hlo-indexing simplify`: maps in simplest form.
#include <cstddef>
#include <limits>
#include <memory>

#include "indexing_analysis/maps/indexing_map.h"
#include "tools/map_algebra_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;

constexpr Example kExamples[] = {
    {"A map in simplest form",
     "hlo-indexing simplify '(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]'"},
    {"A file of maps, one a line", "hlo-indexing simplify - < maps.txt"},
    {"A range variable that takes every 42nd value, counted",
     "hlo-indexing simplify --rescale-ranges '()[s0] -> (s0), domain: s0 in [0, 1000], s0 mod 42 "
     "in [33, 33]'"}};

constexpr SubcommandHelp kHelp = {.name = "simplify",
                                  .summary = "Maps in simplest form",
                                  .arguments = kSingleMaps,
                                  .details =
                                      "A line of output for each map, ERROR for one that does not "
                                      "parse: the others are simplified all the same.",
                                  .examples = kExamples};

class SimplifyCommand : public MapAlgebraCommand {
 public:
  SimplifyCommand()
      : MapAlgebraCommand(kHelp, /*maps_per_query=*/1, std::numeric_limits<size_t>::max()) {}

 protected:
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    WriteMapAnswer(rescale_ranges_.value() ? RescaleRanges(maps[0]) : Simplify(maps[0]), texts);
  }

 private:
  FlagOption rescale_ranges_{table(), "rescale-ranges",
                             "Let range variables with a known remainder count its multiples"};
};

}  // namespace

std::unique_ptr<Subcommand> MakeSimplifyCommand() { return std::make_unique<SimplifyCommand>(); }

}  // namespace hlo_indexing::tools
