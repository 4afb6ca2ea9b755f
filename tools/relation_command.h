// What the subcommands on relations share: each takes one or two, and answers with one.
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
  RelationCommand(const SubcommandHelp& help, size_t relations_per_query)
      : MapAlgebraCommand(help, relations_per_query), name_(help.name) {}

  using Maps = std::vector<indexing_analysis::IndexingMap>;
  /// The first map that is not unknown, or null: it says how many dimensions and results there are.
  static const indexing_analysis::IndexingMap* FirstKnown(const Maps& maps);
  virtual absl::StatusOr<Maps> Combine(llvm::ArrayRef<Maps> relations) = 0;

  void ParseAndAnswer(llvm::ArrayRef<InputLine> query) final;

 private:
  llvm::StringRef name_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_RELATION_COMMAND_H_
