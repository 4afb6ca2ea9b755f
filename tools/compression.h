// Compressed input, gzip and zstd, recognised by how they begin; and compressed output.
#ifndef HLO_INDEXING_TOOLS_COMPRESSION_H_
#define HLO_INDEXING_TOOLS_COMPRESSION_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// Whether the bytes begin as gzip (RFC 1952) or zstd (RFC 8878) do.
bool IsCompressed(llvm::StringRef bytes);

/// Appends what was compressed, of all gzip members or zstd frames in a row, to `result`.
/// kResourceExhausted as soon as `result` would have more than `max_bytes`, which keeps a few bytes
/// from becoming many; kInvalidArgument for what is cut off or damaged. In both cases `result` has
/// a part that is as it was. So it has where `keep_running`, unless it is empty, does not want to
/// go on: kCancelled.
absl::Status Decompress(llvm::StringRef bytes, uint64_t max_bytes, std::string& result,
                        const std::function<bool()>& keep_running = nullptr);

/// The bytes in the format of zlib (RFC 1950), as small as it makes them.
std::string Deflate(llvm::StringRef bytes);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_COMPRESSION_H_
