#include "tools/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"

namespace hlo_indexing::tools {
namespace {

constexpr llvm::StringRef kUtf8Mark("\xef\xbb\xbf", 3);
constexpr llvm::StringRef kUtf16LittleMark("\xff\xfe", 2);
constexpr llvm::StringRef kUtf16BigMark("\xfe\xff", 2);
constexpr llvm::StringRef kUtf32LittleMark("\xff\xfe\0\0", 4);
constexpr llvm::StringRef kUtf32BigMark("\0\0\xfe\xff", 4);

// The mark that UTF-16 without one should have: its first two characters are ASCII. Empty if it is
// no UTF-16.
llvm::StringRef MissingMark(llvm::StringRef bytes) {
  if (bytes.size() < 4) return "";
  const auto is_zero = [&](size_t i) { return bytes[i] == '\0'; };
  if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3)) return kUtf16LittleMark;
  if (is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3)) return kUtf16BigMark;
  return "";
}

// Reads a field of a proto: its tag, a length of at most five bytes, the contents. Nullopt if the
// bytes do not begin with that. The contents end where the bytes do.
std::optional<llvm::StringRef> TakeField(llvm::StringRef& bytes, char tag) {
  if (!bytes.consume_front(llvm::StringRef(&tag, 1))) return std::nullopt;
  uint64_t length = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    length |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) != 0) continue;
    const llvm::StringRef contents = bytes.take_front(static_cast<size_t>(length));
    bytes = bytes.drop_front(contents.size());
    return contents;
  }
  return std::nullopt;
}

// HloModuleProto begins with its name, field 1, and the name of the entry computation, field 2.
bool BeginsAsModuleProto(llvm::StringRef bytes) {
  constexpr char kField1 = 0x0A;
  constexpr char kField2 = 0x12;
  for (const char tag : {kField1, kField2}) {
    const std::optional<llvm::StringRef> name = TakeField(bytes, tag);
    if (!name || name->empty() || !llvm::all_of(*name, llvm::isPrint)) return false;
  }
  return true;
}

// HloProto has the HloModuleProto as its field 1.
bool BeginsAsProto(llvm::StringRef bytes) {
  constexpr char kField1 = 0x0A;
  if (BeginsAsModuleProto(bytes)) return true;
  const std::optional<llvm::StringRef> module = TakeField(bytes, kField1);
  return module && BeginsAsModuleProto(*module);
}

// UTF-16 behind its mark. Piece by piece, as the largest result is three times as long.
absl::StatusOr<std::string> FromUtf16(llvm::StringRef bytes, bool is_big_endian) {
  constexpr size_t kUnitsOfPiece = size_t{1} << 20;
  constexpr size_t kMostBytesOfUnit = 3;
  constexpr size_t kMarkBytes = 2;
  std::vector<llvm::UTF16> units(kUnitsOfPiece);
  std::vector<llvm::UTF8> piece(kMostBytesOfUnit * kUnitsOfPiece);
  std::string text;
  size_t offset = kMarkBytes;
  while (offset < bytes.size()) {
    const size_t count = std::min(kUnitsOfPiece, (bytes.size() - offset) / 2);
    for (size_t i = 0; i < count; ++i) {
      units[i] = llvm::support::endian::read<llvm::UTF16>(
          bytes.data() + offset + 2 * i,
          is_big_endian ? llvm::endianness::big : llvm::endianness::little);
    }
    const llvm::UTF16* source = units.data();
    llvm::UTF8* target = piece.data();
    const llvm::ConversionResult result =
        llvm::ConvertUTF16toUTF8(&source, units.data() + count, &target,
                                 piece.data() + piece.size(), llvm::strictConversion);
    text.append(reinterpret_cast<const char*>(piece.data()),
                static_cast<size_t>(target - piece.data()));
    // The second unit of a pair may be in the next piece.
    const auto converted = static_cast<size_t>(source - units.data());
    offset += 2 * converted;
    if (result == llvm::sourceIllegal || converted == 0) {
      return absl::InvalidArgumentError("it is UTF-16 that is cut off or damaged at byte " +
                                        std::to_string(offset));
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ToUtf8(std::string bytes) {
  const llvm::StringRef view(bytes);
  if (view.starts_with(kUtf8Mark)) return bytes.substr(kUtf8Mark.size());
  if (view.starts_with(kUtf32LittleMark) || view.starts_with(kUtf32BigMark)) {
    return absl::InvalidArgumentError("it is UTF-32; UTF-8 and UTF-16 are read");
  }
  const llvm::StringRef missing = MissingMark(view);
  if (!missing.empty()) bytes.insert(0, missing.data(), missing.size());
  const llvm::StringRef marked(bytes);
  if (!marked.starts_with(kUtf16LittleMark) && !marked.starts_with(kUtf16BigMark)) return bytes;
  return FromUtf16(marked, marked.starts_with(kUtf16BigMark));
}

std::optional<std::string> OtherFormat(llvm::StringRef file, llvm::StringRef bytes) {
  static constexpr llvm::StringLiteral kHowToGetText =
      "XLA writes HLO text with XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_text'";
  if (file.ends_with(".pbtxt")) {
    return ("it is a proto as text, and only HLO text is read; " + kHowToGetText).str();
  }
  if (file.ends_with(".pb") || BeginsAsProto(bytes)) {
    return ("it is a binary HLO proto, and only HLO text is read; " + kHowToGetText).str();
  }
  if (bytes.ltrim().starts_with("module @") || bytes.ltrim().starts_with("#loc")) {
    return ("it is MLIR, and only HLO text is read; " + kHowToGetText).str();
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::tools
