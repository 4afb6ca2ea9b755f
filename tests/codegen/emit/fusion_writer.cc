#include "tests/codegen/emit/fusion_writer.h"

#include <optional>

namespace hlo_indexing::testing {

hlo::ElementClass ClassOf(const std::string& type) {
  return hlo::ClassOf(hlo::ParseElementType(type).value_or(hlo::ElementType::kF32));
}

int64_t BitsOf(const std::string& type) {
  return hlo::ElementBits(hlo::ParseElementType(type).value_or(hlo::ElementType::kF32));
}

namespace {

// Of at least so many dimensions. Most are small, so that few positions are padding.
std::string RandomTiles(Random& random, size_t rank) {
  const std::vector<std::string> of_lines = {"T(4)", "T(5)", "T(8)(2)", "T(128)"};
  const std::vector<std::string> of_matrices = {
      "T(2,2)",     "T(4,8)",      "T(5,3)",        "T(2,8)(2,1)", "T(8,16)(4,1)", "T(4,4)(2,2)",
      "T(2,16)(4)", "T(1,8)(1,2)", "T(2,128)(2,1)", "T(*,8)",      "T(8,128)",     "T(8,128)(2,1)"};
  const std::vector<std::string> of_volumes = {"T(2,3,4)", "T(2,2,8)(2,1)", "T(3,1,4)", "T(*,*,6)"};
  if (rank == 1) return random.Pick(of_lines);
  if (rank >= 3 && random.OneIn(4)) return random.Pick(of_volumes);
  return random.OneIn(5) ? random.Pick(of_lines) : random.Pick(of_matrices);
}

std::string OrderText(const std::vector<int64_t>& minor_to_major) { return Join(minor_to_major); }

std::vector<int64_t> RandomOrder(Random& random, size_t rank, bool is_row_major) {
  if (!is_row_major && random.OneIn(2)) return random.Permutation(rank);
  std::vector<int64_t> row_major(rank);
  for (size_t i = 0; i < rank; ++i) row_major[i] = static_cast<int64_t>(rank - 1 - i);
  return row_major;
}

}  // namespace

std::string RandomLayout(Random& random, const std::string& type, const Sizes& sizes,
                         bool is_row_major) {
  const size_t rank = sizes.size();
  const bool is_packed = BitsOf(type) < 8 && random.OneIn(2);
  const bool is_tiled = rank > 0 && random.OneIn(2);
  const bool is_padded = rank > 0 && random.OneIn(12);
  if (!is_packed && !is_tiled && !is_padded && random.OneIn(2)) return "";
  std::string text = "{" + OrderText(RandomOrder(random, rank, is_row_major));
  if (is_packed || is_tiled || is_padded) text += ":";
  if (is_tiled) text += RandomTiles(random, rank);
  if (is_padded) text += "L(16)";
  if (is_packed) text += "E(" + std::to_string(BitsOf(type)) + ")";
  return text + "}";
}

std::string List(const std::vector<FusedValue>& values) {
  std::string text;
  for (const FusedValue& value : values) text += (text.empty() ? "" : ", ") + value.name;
  return text;
}

FusedValue FusionWriter::Parameter(const std::string& type, const Sizes& sizes) {
  const std::string shape = ShapeText(type, sizes) + LayoutOf(type, sizes);
  const std::string name = NewName();
  lines_.push_back({name, shape, "parameter(" + std::to_string(parameters_.size()) + ")", true});
  parameters_.push_back(shape);
  return {name, type, sizes};
}

FusedValue FusionWriter::Add(const std::string& type, const Sizes& sizes,
                             const std::string& expression) {
  const std::string name = NewName();
  std::string shape = ShapeText(type, sizes);
  if (!is_row_major_ && sizes.size() > 1 && random.OneIn(4)) {
    shape += "{" + OrderText(random.Permutation(sizes.size())) + "}";
  }
  lines_.push_back({name, shape, expression, false});
  return {name, type, sizes};
}

FusedValue FusionWriter::AddLike(const FusedValue& parameter, const std::string& expression) {
  const std::string name = NewName();
  lines_.push_back({name, LineOf(parameter).shape, expression, true});
  return {name, parameter.type, parameter.sizes};
}

FusedValue FusionWriter::Constant(const std::string& type, const std::string& value) {
  return Add(type, {}, "constant(" + value + ")");
}

FusedValue FusionWriter::Element(const FusedValue& tuple, int64_t number, const std::string& type,
                                 const Sizes& sizes) {
  const std::string name = NewName();
  lines_.push_back({name, ShapeText(type, sizes),
                    "get-tuple-element(" + tuple.name + "), index=" + std::to_string(number),
                    true});
  return {name, type, sizes};
}

FusedValue FusionWriter::AddTuple(const std::string& shape, const std::string& expression) {
  lines_.push_back({NewName(), shape, expression, true});
  return {lines_.back().name, "", {}};
}

std::string FusionWriter::Reducer(const std::string& type, const std::string& opcode) {
  return callees_.Add(opcode, "{\n  a = " + type + "[] parameter(0)\n  b = " + type +
                                  "[] parameter(1)\n  ROOT r = " + type + "[] " + opcode +
                                  "(a, b)\n}");
}

std::string FusionWriter::RunningSum(const std::string& type, const Sizes& sizes) {
  const std::string shape = ShapeText(type, sizes);
  return callees_.Add("step", "{\n  a = " + shape + " parameter(0)\n  b = " + shape +
                                  " parameter(1)\n  c = " + shape + " add(a, b)\n  ROOT t = (" +
                                  shape + ", " + shape + ") tuple(c, c)\n}");
}

std::string FusionWriter::KeyComparator(const std::string& type, const std::string& other) {
  return callees_.Add("compare", "{\n  a = " + type + "[] parameter(0)\n  b = " + type +
                                     "[] parameter(1)\n  c = " + other +
                                     "[] parameter(2)\n  d = " + other +
                                     "[] parameter(3)\n  ROOT r = pred[] compare(a, b), "
                                     "direction=LT\n}");
}

std::string FusionWriter::TupleShape(const std::vector<std::pair<std::string, Sizes>>& arrays) {
  std::string text;
  for (const auto& [type, sizes] : arrays) {
    text += (text.empty() ? "(" : ", ") + ShapeText(type, sizes) + LayoutOf(type, sizes);
  }
  return text + ")";
}

std::string FusionWriter::Comparator(const std::string& type, const std::string& direction) {
  return callees_.Add(
      "compare", "{\n  a = " + type + "[] parameter(0)\n  b = " + type +
                     "[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=" + direction +
                     "\n}");
}

std::string FusionWriter::ArgMax(const std::string& type) {
  const std::string value = "  x = " + type + "[] ";
  return callees_.Add("argmax", "{\n  v = " + type + "[] parameter(0)\n  i = s32[] parameter(1)\n" +
                                    "  w = " + type +
                                    "[] parameter(2)\n  j = s32[] parameter(3)\n" +
                                    "  gt = pred[] compare(v, w), direction=GT\n"
                                    "  eq = pred[] compare(v, w), direction=EQ\n"
                                    "  lt = pred[] compare(i, j), direction=LT\n"
                                    "  tie = pred[] and(eq, lt)\n  keep = pred[] or(gt, tie)\n" +
                                    value + "select(keep, v, w)\n" +
                                    "  y = s32[] select(keep, i, j)\n  ROOT r = (" + type +
                                    "[], s32[]) tuple(x, y)\n}");
}

FusionWriter::Line& FusionWriter::LineOf(const FusedValue& value) {
  for (Line& line : lines_) {
    if (line.name != value.name) continue;
    if (!line.has_layout) {
      line.shape = ShapeText(value.type, value.sizes) + LayoutOf(value.type, value.sizes);
    }
    return line;
  }
  return lines_.front();
}

std::string FusionWriter::Module(std::vector<FusedValue> outputs) {
  std::string result;
  std::string names;
  for (const FusedValue& output : outputs) {
    const Line& line = LineOf(output);
    result += (result.empty() ? "" : ", ") + line.shape;
    names += (names.empty() ? "" : ", ") + line.name;
  }
  const bool is_tuple = outputs.size() > 1;
  if (is_tuple) result = "(" + result + ")";
  std::string body;
  for (const Line& line : lines_) {
    const bool is_root = !is_tuple && line.name == outputs.front().name;
    body += std::string(is_root ? "  ROOT " : "  ") + line.name + " = " + line.shape + " " +
            line.expression + "\n";
  }
  if (is_tuple) body += "  ROOT outputs = " + result + " tuple(" + names + ")\n";
  const std::string head = "HloModule random\n" + callees_.Text();
  // The computation itself is the kernel.
  if (random.OneIn(4)) return head + "fused {\n" + body + "}\n";
  std::string entry;
  std::string operands;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::string number = std::to_string(i);
    entry += "  p" + number + " = " + parameters_[i] + " parameter(" + number + ")\n";
    operands += (operands.empty() ? "p" : ", p") + number;
  }
  return head + "fused {\n" + body + "}\nENTRY main {\n" + entry + "  ROOT f = " + result +
         " fusion(" + operands + "), kind=kLoop, calls=fused\n}\n";
}

}  // namespace hlo_indexing::testing
