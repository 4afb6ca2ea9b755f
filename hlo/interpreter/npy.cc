#include "hlo/interpreter/npy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {
namespace {

constexpr llvm::StringRef kMagic("\x93NUMPY", 6);

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

enum class ByteOrder : uint8_t { kLittle, kBig };

// `value` of `'key': value` in the header's dictionary: up to the next comma outside of
// parentheses.
std::optional<llvm::StringRef> FindValue(llvm::StringRef dictionary, llvm::StringRef key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + key.str() + quote;
    const size_t at = dictionary.find(quoted);
    if (at == llvm::StringRef::npos) continue;
    llvm::StringRef rest = dictionary.drop_front(at + quoted.size()).ltrim();
    if (!rest.consume_front(":")) return std::nullopt;
    int depth = 0;
    size_t end = 0;
    for (; end < rest.size(); ++end) {
      const char c = rest[end];
      depth += (c == '(' || c == '[') ? 1 : 0;
      depth -= (c == ')' || c == ']') ? 1 : 0;
      if (depth < 0 || c == '}' || (c == ',' && depth == 0)) break;
    }
    return rest.take_front(end).trim();
  }
  return std::nullopt;
}

absl::StatusOr<NpyHeader> ParseHeader(llvm::StringRef dictionary) {
  const auto type = FindValue(dictionary, "descr");
  const auto order = FindValue(dictionary, "fortran_order");
  const auto shape = FindValue(dictionary, "shape");
  if (!type || !order || !shape) return Bad("its header lacks descr, fortran_order or shape");
  NpyHeader header;
  if (type->size() < 2 || (type->front() != '\'' && type->front() != '"') ||
      type->back() != type->front()) {
    return Bad("its elements are structures: " + support::Quotable(*type));
  }
  header.type = type->drop_front().drop_back().str();
  if (*order != "True" && *order != "False") return Bad("fortran_order must be True or False");
  header.is_fortran_order = *order == "True";
  llvm::StringRef sizes = *shape;
  if (!sizes.consume_front("(") || !sizes.consume_back(")")) return Bad("its shape is no tuple");
  llvm::SmallVector<llvm::StringRef, 8> items;
  sizes.split(items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const llvm::StringRef item : items) {
    if (item.trim().empty()) continue;
    int64_t size = 0;
    if (item.trim().getAsInteger(10, size) || size < 0) {
      return Bad("its shape is no tuple of sizes: " + support::Quotable(*shape));
    }
    header.sizes.push_back(size);
  }
  return header;
}

std::string SizesText(llvm::ArrayRef<int64_t> sizes) {
  std::string text = "(";
  for (const int64_t size : sizes) absl::StrAppend(&text, size, sizes.size() == 1 ? "," : ", ");
  if (sizes.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

// The kind and width of a type such as `<f4`, and its byte order.
struct FileType {
  ByteOrder order = ByteOrder::kLittle;
  char kind = 'f';
  int64_t width = 0;
};

std::optional<FileType> ParseType(llvm::StringRef text) {
  FileType type;
  if (text.size() < 3) return std::nullopt;
  const char order = text[0];
  if (order != '<' && order != '>' && order != '|' && order != '=') return std::nullopt;
  type.order = order == '>' ? ByteOrder::kBig : ByteOrder::kLittle;
  type.kind = text[1];
  if (text.drop_front(2).getAsInteger(10, type.width)) return std::nullopt;
  return type;
}

// The integer that these bytes, least significant first, stand for.
int64_t IntegerOf(llvm::ArrayRef<uint8_t> bytes, bool is_signed) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  const int64_t unused = 64 - static_cast<int64_t>(bytes.size()) * 8;
  return is_signed ? static_cast<int64_t>(value << unused) >> unused : static_cast<int64_t>(value);
}

// Writes the integer of a file's element into one of a type that NumPy lacks, or a pred.
bool StoreChecked(ElementType type, int64_t value, uint8_t* out) {
  if (ClassOf(type) == ElementClass::kFloat) {
    const int64_t bits = ElementBits(type);
    if (value < 0 || value >> bits != 0) return false;
    for (int64_t i = 0; i < LiteralBytesPerElement(type); ++i) {
      out[i] = static_cast<uint8_t>(value >> (8 * i));
    }
    return true;
  }
  if (WrapInteger(type, value) != value) return false;
  StoreElement(type, IntegerElement(value), out);
  return true;
}

bool IsOwnType(ElementType type) {
  const int64_t bits = ElementBits(type);
  if (ClassOf(type) == ElementClass::kPredicate) return true;
  if (ClassOf(type) == ElementClass::kFloat) return bits >= 16 && type != ElementType::kBF16;
  return bits >= 8;
}

}  // namespace

std::string NumpyType(ElementType type) {
  const int64_t bytes = LiteralBytesPerElement(type);
  const char* const order = bytes == 1 ? "|" : "<";
  char kind = 'u';
  switch (ClassOf(type)) {
    case ElementClass::kPredicate:
      kind = 'b';
      break;
    case ElementClass::kSigned:
      kind = 'i';
      break;
    case ElementClass::kFloat:
      kind = IsOwnType(type) ? 'f' : 'u';
      break;
    case ElementClass::kComplex:
      kind = 'c';
      break;
    default:
      break;
  }
  return absl::StrCat(order, std::string(1, kind), bytes);
}

absl::StatusOr<NpyHeader> SplitNpyHeader(llvm::StringRef& contents) {
  if (!contents.consume_front(kMagic)) return Bad("it does not begin as a .npy file does");
  if (contents.size() < 2) return Bad("it ends within its header");
  const uint8_t version = static_cast<uint8_t>(contents[0]);
  if (version < 1 || version > 3) {
    return Bad(absl::StrCat("its format has version ", int{version}, "; 1 to 3 are known"));
  }
  contents = contents.drop_front(2);
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (contents.size() < length_bytes) return Bad("it ends within its header");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>(contents[i])) << (8 * i);
  }
  contents = contents.drop_front(length_bytes);
  if (contents.size() < length) return Bad("it ends within its header");
  absl::StatusOr<NpyHeader> header = ParseHeader(contents.take_front(length));
  contents = contents.drop_front(length);
  return header;
}

absl::Status CheckNpyElements(const NpyHeader& header, llvm::StringRef elements) {
  const std::optional<FileType> type = ParseType(header.type);
  if (!type || type->width <= 0) {
    return Bad("its elements are " + support::Quotable(header.type) + ", which have no width");
  }
  std::optional<int64_t> needed = type->width;
  for (const int64_t size : header.sizes) {
    if (needed) needed = support::CheckedMul(*needed, size);
  }
  if (needed && static_cast<int64_t>(elements.size()) == *needed) return absl::OkStatus();
  return Bad(absl::StrCat("its elements take ", elements.size(), " bytes, ",
                          SizesText(header.sizes), " of ", header.type, " take ",
                          needed ? absl::StrCat(*needed) : "more than 2^63"));
}

absl::StatusOr<std::vector<uint8_t>> ReadNpy(llvm::StringRef contents, const Shape& shape) {
  absl::StatusOr<NpyHeader> header = SplitNpyHeader(contents);
  if (!header.ok()) return header.status();
  if (llvm::ArrayRef<int64_t>(header->sizes) != shape.sizes()) {
    return Bad(absl::StrCat("it has shape ", SizesText(header->sizes), ", ", shape.ToString(),
                            " needs ", SizesText(shape.sizes())));
  }
  const ElementType type = shape.element_type();
  const std::string wanted = NumpyType(type);
  const std::optional<FileType> file_type = ParseType(header->type);
  const std::optional<FileType> own = ParseType(wanted);
  const bool is_same = file_type && file_type->kind == own->kind && file_type->width == own->width;
  const bool is_integer = file_type && (file_type->kind == 'i' || file_type->kind == 'u') &&
                          (file_type->width == 1 || file_type->width == 2 ||
                           file_type->width == 4 || file_type->width == 8);
  if (!is_same && (IsOwnType(type) || !is_integer)) {
    return Bad(absl::StrCat("its elements are ", support::Quotable(header->type), ", ",
                            shape.ToString(), " needs ", wanted));
  }
  const std::optional<int64_t> needed = support::CheckedMul(shape.num_elements(), file_type->width);
  if (!needed || static_cast<int64_t>(contents.size()) != *needed) {
    return Bad(absl::StrCat("its elements take ", contents.size(), " bytes, ",
                            SizesText(header->sizes), " of ", header->type, " take ",
                            needed.value_or(-1)));
  }
  const int64_t width = LiteralBytesPerElement(type);
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.num_elements() * width));
  // In Fortran order the first dimension is the fastest.
  Index strides = RowMajorStrides(shape.sizes());
  if (header->is_fortran_order) {
    int64_t stride = 1;
    for (size_t i = 0; i < strides.size(); ++i) {
      strides[i] = stride;
      stride *= shape.sizes()[i];
    }
  }
  // Complex numbers are turned part by part.
  const int64_t part = file_type->kind == 'c' ? file_type->width / 2 : file_type->width;
  bool fits = true;
  ForEachStrided(shape.sizes(), strides, 0, [&](int64_t to, int64_t from) {
    llvm::SmallVector<uint8_t, 16> element;
    for (int64_t i = 0; i < file_type->width; ++i) {
      element.push_back(static_cast<uint8_t>(contents[from * file_type->width + i]));
    }
    if (file_type->order == ByteOrder::kBig) {
      for (auto* at = element.begin(); at != element.end(); at += part) std::reverse(at, at + part);
    }
    uint8_t* const out = bytes.data() + to * width;
    if (IsOwnType(type) && type != ElementType::kPred) {
      std::copy(element.begin(), element.end(), out);
    } else {
      fits = fits && StoreChecked(type, IntegerOf(element, file_type->kind == 'i'), out);
    }
  });
  if (!fits) {
    return Bad("an element does not fit into " + ElementTypeName(type).str());
  }
  return bytes;
}

std::string WriteNpy(const ArrayValue& array) {
  const llvm::ArrayRef<int64_t> sizes = array.shape().sizes();
  return WriteNpy(
      {NumpyType(array.type()), false, {sizes.begin(), sizes.end()}},
      llvm::StringRef(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size()));
}

std::string WriteNpy(const NpyHeader& described, llvm::StringRef elements) {
  std::string header =
      absl::StrCat("{'descr': '", described.type,
                   "', 'fortran_order': ", described.is_fortran_order ? "True" : "False",
                   ", 'shape': ", SizesText(described.sizes), ", }");
  // The elements begin at a multiple of 64 bytes.
  constexpr size_t kAlignment = 64;
  const size_t prefix = kMagic.size() + 4;
  header.resize((prefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - prefix,
                ' ');
  header.back() = '\n';
  std::string file = kMagic.str();
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file += elements;
  return file;
}

}  // namespace hlo_indexing::hlo
