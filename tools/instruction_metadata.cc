#include "tools/instruction_metadata.h"

#include <cstdint>
#include <optional>

#include "hlo/attribute.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::tools {
namespace {

// The value of a field of `{op_name="a" source_line=3}`, without quotes; empty if it is missing.
llvm::StringRef Field(llvm::StringRef fields, llvm::StringRef name) {
  const std::string begin = name.str() + "=";
  size_t at = fields.find(begin);
  while (at != llvm::StringRef::npos && at != 0 &&
         !llvm::StringRef(" ,{").contains(fields[at - 1])) {
    at = fields.find(begin, at + 1);
  }
  if (at == llvm::StringRef::npos) return "";
  const llvm::StringRef value = fields.drop_front(at + begin.size());
  if (value.starts_with("\"")) {
    return value.drop_front(1).take_until([](char c) { return c == '"'; });
  }
  return value.take_until([](char c) { return c == ' ' || c == '}'; });
}

// 0, which no row has, if it is no number.
int64_t Number(llvm::StringRef text) {
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number < 0) return 0;
  return number;
}

llvm::StringRef MetadataOf(const hlo::Instruction& instruction) {
  const auto metadata = instruction.Get<hlo::RawText>(hlo::AttributeName::kMetadata);
  return metadata.has_value() ? metadata->text : llvm::StringRef();
}

std::string Place(llvm::StringRef file, llvm::StringRef line) {
  if (file.empty() || line.empty() || line == "0") return file.str();
  return (file + ":" + line).str();
}

}  // namespace

InstructionMetadata::InstructionMetadata(const hlo::Module& module) {
  llvm::SmallVector<llvm::StringRef, 16> lines;
  module.stack_tables().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::StringRef table;
  for (const llvm::StringRef line : lines) {
    const auto [first, rest] = line.trim().split(' ');
    const int64_t row = Number(first);
    if (row == 0) {
      table = first;
    } else if (table == "FileNames") {
      files_[row] = rest.trim().trim('"');
    } else if (table == "FileLocations") {
      locations_[row] = {Number(Field(rest, "file_name_id")), Field(rest, "line")};
    } else if (table == "StackFrames") {
      frames_[row] = Number(Field(rest, "file_location_id"));
    }
  }
}

std::string InstructionMetadata::OpName(const hlo::Instruction& instruction) {
  return Field(MetadataOf(instruction), "op_name").str();
}

std::string InstructionMetadata::Source(const hlo::Instruction& instruction) const {
  const llvm::StringRef metadata = MetadataOf(instruction);
  const llvm::StringRef file = Field(metadata, "source_file");
  if (!file.empty()) return Place(file, Field(metadata, "source_line"));
  const int64_t location = frames_.lookup(Number(Field(metadata, "stack_frame_id")));
  const auto [file_number, line] = locations_.lookup(location);
  return Place(files_.lookup(file_number), line);
}

}  // namespace hlo_indexing::tools
