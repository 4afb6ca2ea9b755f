#include "support/printing.h"

#include <ostream>

#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::support::internal {

std::string TextOf(PrintFunction print) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out);
  return text;
}

void PrintToStream(PrintFunction print, std::ostream& out) { out << TextOf(print); }

}  // namespace hlo_indexing::support::internal
