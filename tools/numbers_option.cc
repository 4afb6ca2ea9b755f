#include "tools/numbers_option.h"

#include <numeric>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "support/diagnostics.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

bool NumbersOption::Parse() {
  llvm::SmallVector<llvm::StringRef, 4> items;
  if (!text_.value().empty()) llvm::StringRef(text_.value()).split(items, ',');
  for (const llvm::StringRef item : items) {
    const auto refuse = [&](const std::string& why) {
      ReportError("--" + name_.str() + "='" + support::Quotable(text_.value()) + "': " + why);
      return false;
    };
    size_t number = 0;
    if (item.trim().getAsInteger(10, number)) {
      return refuse("expected numbers with ',' between, from 0 on");
    }
    if (llvm::is_contained(numbers_, number)) {
      return refuse(std::to_string(number) + " is named twice");
    }
    numbers_.push_back(number);
  }
  return true;
}

std::vector<size_t> NumbersOption::Of(size_t count) const {
  if (text_.is_given()) return numbers_;
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace hlo_indexing::tools
