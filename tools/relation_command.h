// What the subcommands on relations share: each takes two, and answers with one.
#ifndef HLO_INDEXING_TOOLS_RELATION_COMMAND_H_
#define HLO_INDEXING_TOOLS_RELATION_COMMAND_H_

#include <vector>

#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "tools/map_algebra_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// Writes an answer as maps with ';' between, as it takes them; `KNOWN EMPTY` if there are none.
class RelationCommand : public MapAlgebraCommand {
 protected:
  explicit RelationCommand(const SubcommandHelp& help)
      : MapAlgebraCommand(help, /*maps_per_query=*/2), name_(help.name) {}

  using Maps = std::vector<indexing_analysis::IndexingMap>;
  virtual absl::StatusOr<Maps> Combine(const Maps& a, const Maps& b) = 0;

  void ParseAndAnswer(llvm::ArrayRef<InputLine> query) final;

 private:
  llvm::StringRef name_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_RELATION_COMMAND_H_
