// From the bytes of a file to UTF-8 text, and what files that are no HLO text are.
#ifndef HLO_INDEXING_TOOLS_TEXT_ENCODING_H_
#define HLO_INDEXING_TOOLS_TEXT_ENCODING_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// The text without a byte order mark; UTF-16, which shells of Windows write, becomes UTF-8.
/// kInvalidArgument for UTF-32 and for UTF-16 that is cut off. Other bytes stay as they are.
absl::StatusOr<std::string> ToUtf8(std::string bytes);

/// What a file is that a user may take for HLO text, with what to do about it: a binary HLO proto,
/// a proto as text, MLIR. Nullopt for anything else.
/// Example: ("m.hlo.pb", "\x0a\x01m...") -> "it is a binary HLO proto; ..."
std::optional<std::string> OtherFormat(llvm::StringRef file, llvm::StringRef bytes);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_TEXT_ENCODING_H_
