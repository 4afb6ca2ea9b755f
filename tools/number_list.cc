#include "tools/number_list.h"

#include <cstddef>

namespace hlo_indexing::tools {

std::string NumbersText(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (i != 0) text += ", ";
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += (end - i > 2 ? " to " : ", ") + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string Numbered(llvm::StringRef what, llvm::ArrayRef<int64_t> numbers) {
  return what.str() + (numbers.size() == 1 ? " " : "s ") + NumbersText(numbers);
}

}  // namespace hlo_indexing::tools
