#include "tools/utilization_report.h"

#include <map>
#include <optional>
#include <utility>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "tools/instruction_head.h"
#include "tools/number_list.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Image;
using indexing_analysis::OperandArray;
using indexing_analysis::OperandUtilization;
using indexing_analysis::Progression;
using indexing_analysis::StridedBox;
using llvm::DynamicAPInt;
using llvm::raw_ostream;

// In text; JSON has all.
constexpr size_t kMostBoxes = 8;

std::string TextOf(const DynamicAPInt& number) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << number;
  return text;
}

std::string TextOf(const Image::Count& count) {
  return TextOf(count.lower) + (count.IsExact() ? "" : " to " + TextOf(count.upper));
}

// In percent with one decimal; a part that is not all is not called 100 %, nor one that is
// something 0 %. Counts may be beyond 64 bits.
std::string Percent(const DynamicAPInt& part, const DynamicAPInt& all) {
  const auto permille =
      static_cast<int64_t>((part * DynamicAPInt(2000) + all) / (DynamicAPInt(2) * all));
  if (permille == 1000 && part != all) return ">99.9";
  if (permille == 0 && part != 0) return "<0.1";
  return std::to_string(permille / 10) + "." + std::to_string(permille % 10);
}

std::string Line(const OperandUtilization& operand) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (operand.shape->HasUnboundedDimension()) {
    out << (operand.IsExact() ? "not read" : "unknown: " + operand.reason);
    return text;
  }
  const Image::Count& read = operand.elements_read;
  const DynamicAPInt all = operand.Elements();
  out << TextOf(read) << " of " << all << " elements";
  if (all > 0) {
    out << " (" << Percent(read.lower, all);
    if (!read.IsExact()) out << " to " << Percent(read.upper, all);
    out << " %)";
  }
  out << ", " << TextOf(operand.Bytes()) << " bytes";
  if (operand.reads.has_value()) out << ", " << TextOf(*operand.reads) << " reads";
  if (!operand.reason.empty()) out << "; " << operand.reason;
  if (operand.UnreadDependsOnRuntime()) out << "; which ones is known at run time";
  return text;
}

void WriteUnread(const OperandUtilization& operand, llvm::StringRef indent, raw_ostream& out) {
  // Where nothing is read, or an array has but one element, that is said already.
  const bool is_partly_read = operand.unread.has_value() && !operand.unread->empty() &&
                              operand.elements_read.upper > 0 && operand.shape->rank() > 0;
  if (!is_partly_read) return;
  const std::vector<StridedBox>& boxes = *operand.unread;
  out << indent << "not read:";
  for (size_t i = 0; i < std::min(boxes.size(), kMostBoxes); ++i) out << ' ' << boxes[i];
  if (boxes.size() > kMostBoxes) out << " and " << boxes.size() - kMostBoxes << " more";
  out << '\n';
}

void WriteNumber(llvm::json::OStream& json, llvm::StringRef name, const DynamicAPInt& number) {
  json.attributeBegin(name);
  json.rawValue(TextOf(number));
  json.attributeEnd();
}

// `name` if the count is exact, else `name`_lower and `name`_upper.
void WriteCount(llvm::json::OStream& json, const std::string& name, const Image::Count& count) {
  if (count.IsExact()) return WriteNumber(json, name, count.lower);
  WriteNumber(json, name + "_lower", count.lower);
  WriteNumber(json, name + "_upper", count.upper);
}

void WriteBoxes(llvm::json::OStream& json, llvm::ArrayRef<StridedBox> boxes) {
  const auto write = [&](llvm::StringRef name, const StridedBox& box, auto get) {
    json.attributeArray(name, [&] {
      for (const Progression& side : box.sides) json.value(get(side));
    });
  };
  for (const StridedBox& box : boxes) {
    json.object([&] {
      write("offset", box, [](const Progression& side) { return side.offset; });
      write("size", box, [](const Progression& side) { return side.size; });
      write("stride", box, [](const Progression& side) { return side.stride; });
    });
  }
}

void WriteRecord(const std::string& file, const InstructionUtilization& utilization,
                 const OperandUtilization& operand, int64_t number, std::optional<int64_t> output,
                 raw_ostream& out) {
  llvm::json::OStream json(out);
  const hlo::Instruction& instruction = *utilization.instruction;
  const hlo::Computation& computation = instruction.parent();
  const bool has_size = !operand.shape->HasUnboundedDimension();
  json.object([&] {
    json.attribute("kind", "utilization");
    json.attribute("file", llvm::json::fixUTF8(file));
    json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
    json.attribute("computation", llvm::json::fixUTF8(computation.name()));
    json.attribute("instruction", llvm::json::fixUTF8(instruction.name()));
    json.attribute("opcode", hlo::OpcodeName(instruction.opcode()));
    json.attribute("operand", number);
    json.attribute("operand_name",
                   llvm::json::fixUTF8(utilization.Inputs()[operand.array.operand]->name()));
    if (output.has_value()) json.attribute("output", *output);
    if (has_size) json.attribute("elements", operand.shape->num_elements());
    if (operand.IsExact()) {
      WriteNumber(json, "elements_read", operand.elements_read.lower);
    } else {
      WriteNumber(json, "lower", operand.elements_read.lower);
      if (has_size) WriteNumber(json, "upper", operand.elements_read.upper);
    }
    if (operand.reads.has_value()) WriteCount(json, "reads", *operand.reads);
    if (has_size) WriteCount(json, "bytes", operand.Bytes());
    if (operand.IsExact() && has_size) {
      json.attribute("utilization",
                     TextOf(operand.elements_read.lower) + "/" + TextOf(operand.Elements()));
    }
    json.attribute("exact", operand.IsExact());
    if (!operand.reason.empty()) json.attribute("reason", llvm::json::fixUTF8(operand.reason));
    if (!operand.unread.has_value()) {
      json.attribute("unread", nullptr);
      return;
    }
    json.attributeArray("unread", [&] { WriteBoxes(json, *operand.unread); });
    if (operand.UnreadDependsOnRuntime()) json.attribute("unread_depends_on_runtime", true);
  });
  out << '\n';
}

}  // namespace

void WriteUtilizationText(const InstructionUtilization& utilization, raw_ostream& out) {
  const hlo::Instruction& instruction = *utilization.instruction;
  out << "  ";
  WriteInstructionHead(instruction, out);
  out << '\n';
  // What outputs read, where that is not the same as all together.
  struct Answer {
    const OperandUtilization* operand = nullptr;
    std::vector<int64_t> outputs;
  };
  struct Answers {
    std::map<std::string, Answer> by_text;
    std::vector<std::string> order;
  };
  std::map<OperandArray, Answers> answers;
  for (size_t output = 0; output < utilization.by_output.size(); ++output) {
    for (const OperandUtilization& operand : utilization.by_output[output]) {
      Answers& of_array = answers[operand.array];
      std::string key = operand.ToString();
      Answer& answer = of_array.by_text[key];
      if (answer.outputs.empty()) of_array.order.push_back(std::move(key));
      answer.operand = &operand;
      answer.outputs.push_back(static_cast<int64_t>(output));
    }
  }
  const std::vector<int64_t> first_numbers = FirstArrayNumbers(utilization.Inputs());
  for (const OperandUtilization& operand : utilization.together) {
    const OperandArray& array = operand.array;
    Answers& of_array = answers[array];
    out << "    operand " << first_numbers[array.operand] + array.leaf << " ("
        << utilization.Inputs()[array.operand]->name() << "): " << Line(operand);
    const bool is_of_one = of_array.order.size() == 1 &&
                           of_array.by_text.at(of_array.order.front()).outputs.size() == 1;
    if (is_of_one && utilization.by_output.size() > 1) {
      out << ", all for output " << of_array.by_text.at(of_array.order.front()).outputs.front();
    }
    out << '\n';
    WriteUnread(operand, "      ", out);
    if (is_of_one) continue;
    for (const std::string& key : of_array.order) {
      const Answer& answer = of_array.by_text.at(key);
      out << "      " << Numbered("output", answer.outputs)
          << (answer.outputs.size() > 1 ? ", each: " : ": ") << Line(*answer.operand) << '\n';
      WriteUnread(*answer.operand, "        ", out);
    }
  }
}

void WriteUtilizationJson(const std::string& file, const InstructionUtilization& utilization,
                          raw_ostream& out) {
  const std::vector<int64_t> first_numbers = FirstArrayNumbers(utilization.Inputs());
  const auto number_of = [&](const OperandUtilization& operand) {
    return first_numbers[operand.array.operand] + operand.array.leaf;
  };
  for (const OperandUtilization& operand : utilization.together) {
    WriteRecord(file, utilization, operand, number_of(operand), std::nullopt, out);
  }
  for (size_t output = 0; output < utilization.by_output.size(); ++output) {
    for (const OperandUtilization& operand : utilization.by_output[output]) {
      WriteRecord(file, utilization, operand, number_of(operand), static_cast<int64_t>(output),
                  out);
    }
  }
}

}  // namespace hlo_indexing::tools
