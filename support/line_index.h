// Positions in a text of which many are asked for.
#ifndef HLO_INDEXING_SUPPORT_LINE_INDEX_H_
#define HLO_INDEXING_SUPPORT_LINE_INDEX_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "support/diagnostics.h"

namespace hlo_indexing::support {

/// Knows where the lines of a text begin, which must outlive it, once it has been asked. Threads
/// may share one.
class LineIndex {
 public:
  explicit LineIndex(llvm::StringRef text) : text_(text) {}
  /// What support::Locate says of the text, in logarithmic time.
  SourcePosition Locate(size_t offset) const;

 private:
  llvm::StringRef text_;
  mutable std::once_flag is_made_;
  mutable std::vector<size_t> starts_;
};

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_LINE_INDEX_H_
