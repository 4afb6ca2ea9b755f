#include "tools/check_option.h"

#include <string>

#include "llvm/ADT/SmallVector.h"
#include "support/diagnostics.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

std::optional<ptx::Checks> CheckOption::Parse() const {
  ptx::Checks checks = {.initcheck = false, .racecheck = false, .synccheck = false};
  llvm::SmallVector<llvm::StringRef, 4> items;
  llvm::StringRef(names_.value()).split(items, ',');
  for (const llvm::StringRef item : items) {
    const bool is_all = item == "all";
    if (is_all || item == "initcheck") checks.initcheck = true;
    if (is_all || item == "racecheck") checks.racecheck = true;
    if (is_all || item == "synccheck") checks.synccheck = true;
    if (!is_all && item != "initcheck" && item != "racecheck" && item != "synccheck" &&
        item != "memcheck") {
      const std::string list =
          items.size() > 1 ? " in '" + support::Quotable(names_.value()) + "'" : "";
      ReportError("--check must name memcheck, initcheck, racecheck, synccheck or all, not '" +
                  support::Quotable(item) + "'" + list);
      return std::nullopt;
    }
  }
  return checks;
}

}  // namespace hlo_indexing::tools
