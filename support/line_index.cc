#include "support/line_index.h"

#include <algorithm>
#include <cstdint>

namespace hlo_indexing::support {

SourcePosition LineIndex::Locate(size_t offset) const {
  std::call_once(is_made_, [this] {
    starts_.push_back(0);
    for (size_t end = text_.find('\n'); end != llvm::StringRef::npos;
         end = text_.find('\n', end + 1)) {
      starts_.push_back(end + 1);
    }
  });
  offset = std::min(offset, text_.size());
  // The last line that begins at the offset or before.
  const auto line = std::prev(std::upper_bound(starts_.begin(), starts_.end(), offset));
  SourcePosition position = support::Locate(text_.drop_front(*line), offset - *line);
  position.line = 1 + (line - starts_.begin());
  return position;
}

}  // namespace hlo_indexing::support
