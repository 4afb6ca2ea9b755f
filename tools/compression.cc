#include "tools/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "llvm/Support/ErrorHandling.h"

namespace hlo_indexing::tools {
namespace {

constexpr llvm::StringRef kGzipMagic("\x1f\x8b", 2);
constexpr llvm::StringRef kZstdMagic("\x28\xb5\x2f\xfd", 4);

absl::Status CutOff() { return absl::InvalidArgumentError("it ends within its compressed data"); }

absl::Status TooLarge(uint64_t max_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat("decompressed, it is larger than the limit of ",
                                                   max_bytes, " bytes (--max-input-bytes)"));
}

// The end of a growing text where the next bytes go: never more than one byte above the limit.
class Output {
 public:
  Output(std::string& text, uint64_t max_bytes, const std::function<bool()>& keep_running)
      : text_(text), used_(text.size()), max_bytes_(max_bytes), keep_running_(keep_running) {}
  ~Output() { text_.resize(static_cast<size_t>(std::min<uint64_t>(used_, max_bytes_))); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Whether there may be more.
  absl::Status Check() const {
    if (used_ > max_bytes_) return TooLarge(max_bytes_);
    if (keep_running_ && !keep_running_()) return absl::CancelledError("decompressing was stopped");
    return absl::OkStatus();
  }
  /// Room for at least one byte.
  char* MakeRoom() {
    constexpr uint64_t kSmallest = uint64_t{1} << 16;
    if (used_ == text_.size()) {
      const uint64_t grown = used_ + std::max<uint64_t>(used_, kSmallest);
      text_.resize(static_cast<size_t>(std::min(grown, max_bytes_ + 1)));
    }
    return text_.data() + used_;
  }
  /// No more than is made in some hundredths of a second.
  size_t room() const {
    constexpr size_t kMostAtOnce = size_t{1} << 24;
    return std::min(text_.size() - used_, kMostAtOnce);
  }
  void Use(size_t bytes) { used_ += bytes; }

 private:
  std::string& text_;
  size_t used_;
  uint64_t max_bytes_;
  const std::function<bool()>& keep_running_;
};

// One member; `bytes` becomes what stands behind it.
absl::Status DecompressGzipMember(llvm::StringRef& bytes, Output& output) {
  z_stream stream = {};
  // Windows of any size, with the header of gzip.
  constexpr int kGzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzip) != Z_OK) {
    return absl::ResourceExhaustedError("there is no memory to decompress it");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  // The library counts in 32 bits.
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (absl::Status may_go_on = output.Check(); !may_go_on.ok()) return may_go_on;
    stream.next_out = reinterpret_cast<Bytef*>(output.MakeRoom());
    const auto room = static_cast<uInt>(output.room());
    stream.avail_out = room;
    // The library does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    const auto given = static_cast<uInt>(std::min(bytes.size(), kMostAtOnce));
    stream.avail_in = given;
    status = inflate(&stream, Z_NO_FLUSH);
    output.Use(room - stream.avail_out);
    bytes = bytes.drop_front(given - stream.avail_in);
    if (status == Z_BUF_ERROR || (status == Z_OK && bytes.empty() && stream.avail_out > 0)) {
      return CutOff();
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its gzip data is damaged: ", stream.msg == nullptr ? "no reason known" : stream.msg));
    }
  }
  return output.Check();
}

absl::Status DecompressGzip(llvm::StringRef bytes, Output& output) {
  // Some programs fill the last block with zeros.
  while (!bytes.trim('\0').empty()) {
    if (!bytes.starts_with(kGzipMagic)) {
      return absl::InvalidArgumentError("there are other bytes behind its gzip data");
    }
    absl::Status status = DecompressGzipMember(bytes, output);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A frame, or one that is to be skipped (RFC 8878, 3.1.2), with which pzstd begins.
bool IsZstd(llvm::StringRef bytes) {
  constexpr unsigned kSkippable = 0x50;
  const bool is_skippable = bytes.size() > 3 && bytes.substr(1).starts_with("\x2A\x4D\x18") &&
                            (static_cast<unsigned char>(bytes[0]) & 0xF0U) == kSkippable;
  return bytes.starts_with(kZstdMagic) || is_skippable;
}

absl::Status DecompressZstd(llvm::StringRef bytes, Output& output) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (stream == nullptr) return absl::ResourceExhaustedError("there is no memory to decompress it");
  ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
  // What is left of the frame: 0 between frames.
  size_t expected = 1;
  bool is_drained = false;
  while (input.pos < input.size || !is_drained) {
    if (absl::Status may_go_on = output.Check(); !may_go_on.ok()) return may_go_on;
    char* const room = output.MakeRoom();
    ZSTD_outBuffer next = {room, output.room(), 0};
    expected = ZSTD_decompressStream(stream.get(), &next, &input);
    if (ZSTD_isError(expected) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("its zstd data is damaged: ", ZSTD_getErrorName(expected)));
    }
    output.Use(next.pos);
    // A full buffer may have to be called for again.
    is_drained = next.pos < next.size || expected == 0;
  }
  if (absl::Status fits = output.Check(); !fits.ok()) return fits;
  return expected == 0 ? absl::OkStatus() : CutOff();
}

}  // namespace

bool IsCompressed(llvm::StringRef bytes) { return bytes.starts_with(kGzipMagic) || IsZstd(bytes); }

absl::Status Decompress(llvm::StringRef bytes, uint64_t max_bytes, std::string& result,
                        const std::function<bool()>& keep_running) {
  // Room for one byte above the limit.
  max_bytes = std::min(max_bytes, UINT64_MAX / 4);
  Output output(result, max_bytes, keep_running);
  return IsZstd(bytes) ? DecompressZstd(bytes, output) : DecompressGzip(bytes, output);
}

std::string Deflate(llvm::StringRef bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  // There is room for whatever comes, so that only a lack of memory makes it fail.
  const int status =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) llvm::report_bad_alloc_error("compressing");
  result.resize(size);
  return result;
}

}  // namespace hlo_indexing::tools
