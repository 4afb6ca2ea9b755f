#include "tools/ptx_arguments.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"
#include "support/real_number.h"
#include "support/status_macros.h"
#include "tools/input.h"

namespace hlo_indexing::tools {
namespace {

absl::Status Wrong(const std::string& argument, const std::string& message) {
  return absl::InvalidArgumentError("--arg=" + support::Quotable(argument, 200) + ": " + message);
}

// What is wrong with a file, not with the argument.
absl::Status WrongFile(const std::string& argument, const std::string& message) {
  return absl::DataLossError("--arg=" + support::Quotable(argument, 200) + ": " + message);
}

// A type of PTX and how NumPy writes it.
struct TypeRow {
  llvm::StringRef name;
  llvm::StringRef numpy;
  int bytes;
};

constexpr TypeRow kTypes[] = {
    {"u8", "|u1", 1},  {"s8", "|i1", 1},  {"b8", "|u1", 1},  {"pred", "|b1", 1}, {"u16", "<u2", 2},
    {"s16", "<i2", 2}, {"b16", "<u2", 2}, {"f16", "<f2", 2}, {"bf16", "<u2", 2}, {"u32", "<u4", 4},
    {"s32", "<i4", 4}, {"b32", "<u4", 4}, {"f32", "<f4", 4}, {"u64", "<u8", 8},  {"s64", "<i8", 8},
    {"b64", "<u8", 8}, {"f64", "<f8", 8},
};

const TypeRow* FindType(llvm::StringRef name) {
  const auto* const row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                       [&](const TypeRow& type) { return type.name == name; });
  return row == std::end(kTypes) ? nullptr : row;
}

std::string TypeNames() {
  return llvm::join(
      llvm::map_range(kTypes, [](const TypeRow& type) -> llvm::StringRef { return type.name; }),
      ", ");
}

ptx::Argument ArgumentOf(uint64_t bits, int bytes) {
  ptx::Argument argument;
  argument.bytes.resize(static_cast<size_t>(bytes));
  std::memcpy(argument.bytes.data(), &bits, argument.bytes.size());
  return argument;
}

const llvm::fltSemantics* FloatSemantics(llvm::StringRef type) {
  if (type == "f16") return &llvm::APFloat::IEEEhalf();
  if (type == "bf16") return &llvm::APFloat::BFloat();
  if (type == "f32") return &llvm::APFloat::IEEEsingle();
  if (type == "f64") return &llvm::APFloat::IEEEdouble();
  return nullptr;
}

absl::StatusOr<ptx::Argument> Number(const std::string& argument, const TypeRow& type,
                                     llvm::StringRef text) {
  if (const llvm::fltSemantics* semantics = FloatSemantics(type.name)) {
    const bool is_special = text.equals_insensitive("inf") || text.equals_insensitive("-inf") ||
                            text.equals_insensitive("nan");
    const auto number = support::ParseReal(text, *semantics);
    if (!number || (!is_special && (number->status & llvm::APFloat::opInvalidOp) != 0)) {
      return Wrong(argument, "'" + support::Quotable(text) + "' is no number");
    }
    return ArgumentOf(number->value.bitcastToAPInt().getZExtValue(), type.bytes);
  }
  const int bits = 8 * type.bytes;
  const bool is_signed = type.name.starts_with("s");
  if (is_signed || text.starts_with("-")) {
    int64_t value = 0;
    const int64_t limit = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
    if (text.getAsInteger(0, value) || value > limit || value < -limit - 1 || !is_signed) {
      return Wrong(argument, "'" + text.str() + "' is no value of type " + type.name.str());
    }
    return ArgumentOf(static_cast<uint64_t>(value), type.bytes);
  }
  uint64_t value = 0;
  if (text.getAsInteger(0, value) || (bits < 64 && value >> bits != 0)) {
    return Wrong(argument, "'" + text.str() + "' is no value of type " + type.name.str());
  }
  return ArgumentOf(value, type.bytes);
}

// `f32[4,8]` as the header of an array, and its bytes.
absl::StatusOr<std::pair<hlo::NpyHeader, uint64_t>> ArrayShape(const std::string& argument,
                                                               llvm::StringRef text) {
  const auto [name, rest] = text.split('[');
  const TypeRow* type = FindType(name);
  llvm::StringRef sizes = rest;
  if (!sizes.consume_back("]")) {
    return Wrong(argument, "a shape is a type and sizes, such as f32[4,8]");
  }
  if (type == nullptr) {
    return Wrong(argument, "'" + support::Quotable(name) + "' is none of the types " + TypeNames() +
                               "; for others, the bytes are u8[...]");
  }
  hlo::NpyHeader header;
  header.type = type->numpy.str();
  int64_t bytes = type->bytes;
  llvm::SmallVector<llvm::StringRef, 8> items;
  sizes.split(items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const llvm::StringRef item : items) {
    int64_t size = 0;
    if (item.trim().getAsInteger(10, size) || size < 0) {
      return Wrong(argument, "'" + item.str() + "' is no size");
    }
    const std::optional<int64_t> product = support::CheckedMul(bytes, size);
    if (!product) return Wrong(argument, "an array of more than 2^63 bytes");
    bytes = *product;
    header.sizes.push_back(size);
  }
  return std::pair(std::move(header), static_cast<uint64_t>(bytes));
}

absl::Status AddArray(KernelArguments& arguments, KernelArray array, const std::string& name,
                      ptx::Device& device) {
  array.argument = static_cast<int>(arguments.values.size());
  HLO_INDEXING_ASSIGN_OR_RETURN(array.address, device.Allocate(array.bytes, name));
  arguments.values.push_back(ptx::Argument::Of(array.address));
  arguments.arrays.push_back(std::move(array));
  return absl::OkStatus();
}

absl::Status AddArgument(KernelArguments& arguments, const std::string& argument,
                         uint64_t max_input_bytes, ptx::Device& device) {
  if (argument == "null") {
    arguments.values.push_back(ptx::Argument::Of(uint64_t{0}));
    return absl::OkStatus();
  }
  const auto [kind, rest] = llvm::StringRef(argument).split(':');
  const std::string name = absl::StrCat("arg", arguments.values.size());
  if (kind == "in" || kind == "inout") {
    const std::optional<std::string> contents = ReadInput(rest.str(), max_input_bytes);
    if (!contents) return WrongFile(argument, "the file cannot be read");
    llvm::StringRef elements = *contents;
    absl::StatusOr<hlo::NpyHeader> header = hlo::SplitNpyHeader(elements);
    if (!header.ok()) return WrongFile(argument, std::string(header.status().message()));
    if (llvm::StringRef(header->type).starts_with(">")) {
      return WrongFile(argument, "its elements are big-endian");
    }
    if (const absl::Status status = hlo::CheckNpyElements(*header, elements); !status.ok()) {
      return WrongFile(argument, std::string(status.message()));
    }
    KernelArray array;
    array.bytes = elements.size();
    array.header = *std::move(header);
    array.is_result = kind == "inout";
    HLO_INDEXING_RETURN_IF_ERROR(AddArray(arguments, std::move(array), name, device));
    return device.Write(arguments.arrays.back().address, elements.data(), elements.size());
  }
  if (kind == "out" || kind == "zeros") {
    HLO_INDEXING_ASSIGN_OR_RETURN(auto shape, ArrayShape(argument, rest));
    KernelArray array;
    array.bytes = shape.second;
    array.header = std::move(shape.first);
    array.is_result = true;
    HLO_INDEXING_RETURN_IF_ERROR(AddArray(arguments, std::move(array), name, device));
    if (kind == "out") return absl::OkStatus();
    return device.Fill(arguments.arrays.back().address, 0, arguments.arrays.back().bytes);
  }
  if (kind == "bytes") {
    const std::optional<std::string> contents = ReadInput(rest.str(), max_input_bytes);
    if (!contents) return WrongFile(argument, "the file cannot be read");
    ptx::Argument value;
    const auto* const first = reinterpret_cast<const std::byte*>(contents->data());
    value.bytes.assign(first, first + contents->size());
    arguments.values.push_back(std::move(value));
    return absl::OkStatus();
  }
  const TypeRow* type = FindType(kind);
  if (type == nullptr || !llvm::StringRef(argument).contains(':')) {
    return Wrong(argument,
                 "an argument is in:FILE.npy, inout:FILE.npy, out:f32[8], zeros:f32[8], a type and "
                 "a number such as u32:7 or f32:2.5, null, or bytes:FILE");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(ptx::Argument value, Number(argument, *type, rest));
  arguments.values.push_back(std::move(value));
  return absl::OkStatus();
}

std::string ElementText(llvm::StringRef type, const char* bytes) {
  const char kind = type.size() > 1 ? type[1] : 'u';
  int width = 1;
  type.drop_front(2).getAsInteger(10, width);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(std::min(width, 8)));
  if (kind == 'f' && (width == 2 || width == 4 || width == 8)) {
    double value = 0;
    if (width == 8) {
      value = std::bit_cast<double>(bits);
    } else if (width == 4) {
      value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    } else {
      llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
      bool loses = false;
      half.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
      value = half.convertToDouble();
    }
    llvm::SmallString<32> text;
    // The shortest text that reads back as the same value of its type.
    const llvm::fltSemantics& semantics =
        width == 8 ? llvm::APFloat::IEEEdouble() : llvm::APFloat::IEEEsingle();
    llvm::APFloat shown(value);
    bool loses = false;
    shown.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    shown.toString(text);
    return text.str().str();
  }
  if (kind == 'i' && width <= 8) {
    const int unused = 64 - 8 * width;
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  if (width <= 8) return std::to_string(bits);
  return "?";
}

}  // namespace

absl::StatusOr<KernelArguments> MakeKernelArguments(llvm::ArrayRef<std::string> arguments,
                                                    uint64_t max_input_bytes, ptx::Device& device) {
  KernelArguments made;
  for (const std::string& argument : arguments) {
    HLO_INDEXING_RETURN_IF_ERROR(AddArgument(made, argument, max_input_bytes, device));
  }
  return made;
}

std::string FirstElements(const hlo::NpyHeader& header, llvm::StringRef bytes, size_t limit) {
  int width = 0;
  const llvm::StringRef type = header.type;
  if (type.size() < 3 || type.drop_front(2).getAsInteger(10, width) || width <= 0) return "?";
  const size_t count = bytes.size() / static_cast<size_t>(width);
  std::string text;
  for (size_t i = 0; i < std::min(count, limit); ++i) {
    if (i != 0) text += " ";
    text += ElementText(type, bytes.data() + i * static_cast<size_t>(width));
  }
  if (count > limit) absl::StrAppend(&text, " ... (", count - limit, " more)");
  return text;
}

}  // namespace hlo_indexing::tools
