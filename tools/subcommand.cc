#include "tools/subcommand.h"

#include "tools/report.h"

namespace hlo_indexing::tools {

bool Subcommand::Parse(llvm::ArrayRef<const char*> command_line) {
  if (!table_.Parse(command_line)) return false;
  if (!help_.arguments.is_required || !arguments().empty()) return true;
  ReportError(help_.arguments.usage.str() + " is missing: " + help_.arguments.help.str() +
              "; see 'hlo-indexing " + help_.name.str() + " --help'");
  return false;
}

#define X(Name) std::unique_ptr<Subcommand> Make##Name##Command();
#include "tools/subcommands.inc"
#undef X

Subcommands MakeSubcommands() {
  Subcommands subcommands;
#define X(Name) subcommands.push_back(Make##Name##Command());
#include "tools/subcommands.inc"
#undef X
  return subcommands;
}

}  // namespace hlo_indexing::tools
