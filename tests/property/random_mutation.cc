#include "tests/property/random_mutation.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hlo_indexing::testing {
namespace {

// Part of a text.
struct Span {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Where the attributes of an instruction's line begin: at the comma behind its operands.
size_t AttributesOf(const std::string& line) {
  const size_t equals = line.find(" = ");
  if (equals == std::string::npos) return std::string::npos;
  size_t begin = line.find("), ", equals);
  return begin == std::string::npos ? begin : begin + 1;
}

// The attributes of a line: `, name=value` each.
std::vector<Span> SplitAttributes(const std::string& line) {
  std::vector<Span> attributes;
  const size_t begin = AttributesOf(line);
  if (begin == std::string::npos) return attributes;
  int depth = 0;
  for (size_t i = begin; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    if (!attributes.empty()) attributes.back().end = i;
    attributes.push_back({i, line.size()});
  }
  return attributes;
}

// The numbers in the attributes of a line, with their signs.
std::vector<Span> NumbersOf(const std::string& line) {
  std::vector<Span> numbers;
  const size_t begin = AttributesOf(line);
  for (size_t i = begin; i < line.size(); ++i) {
    const bool is_part_of_word =
        i > 0 && (std::isalpha(static_cast<unsigned char>(line[i - 1])) != 0) && line[i - 1] != 'x';
    if (!IsDigit(line[i]) || is_part_of_word) continue;
    Span number = {i, i};
    while (number.end < line.size() && IsDigit(line[number.end])) ++number.end;
    if (number.begin > 0 && line[number.begin - 1] == '-') --number.begin;
    numbers.push_back(number);
    i = number.end;
  }
  return numbers;
}

void Replace(std::string& line, Span span, const std::string& text) {
  line.replace(span.begin, span.size(), text);
}

std::string HostileNumber(Random& random, const std::string& before) {
  // Nine digits are none to overflow.
  const int64_t value = before.size() < 9 ? std::stoll(before) : 0;
  const std::vector<int64_t> numbers = {-1,
                                        0,
                                        1,
                                        2,
                                        3,
                                        value + 1,
                                        value - 1,
                                        2 * value,
                                        -value,
                                        100,
                                        int64_t{1} << 31,
                                        int64_t{1} << 62,
                                        -(int64_t{1} << 62),
                                        INT64_MAX,
                                        INT64_MIN};
  return std::to_string(random.Pick(numbers));
}

// Attributes that some opcode indexes with; most have no business at another.
std::string AnyAttribute(Random& random) {
  const std::vector<std::string> attributes = {"dimensions={0}",
                                               "dimensions={1,0}",
                                               "dimensions={-1}",
                                               "index_vector_dim=0",
                                               "index_vector_dim=7",
                                               "collapsed_slice_dims={0}",
                                               "operand_batching_dims={0}",
                                               "start_indices_batching_dims={0}",
                                               "offset_dims={1}",
                                               "start_index_map={0}",
                                               "slice_sizes={1,1}",
                                               "num_carries=2",
                                               "is_reverse=true",
                                               "lhs_batch_dims={0}",
                                               "rhs_batch_dims={0}",
                                               "lhs_contracting_dims={0}",
                                               "rhs_contracting_dims={0}",
                                               "lhs_ragged_dims={0}",
                                               "rhs_group_dims={0}",
                                               "feature_group_count=2",
                                               "batch_group_count=2",
                                               "window={size=2 pad=1_1}",
                                               "window={size=1x2 stride=2x1 rhs_dilate=3x1}",
                                               "window={size=2x2x2}",
                                               "padding=1_1",
                                               "dim_labels=b0f_0io->b0f",
                                               "replica_groups={{0,1},{2,3}}",
                                               "replica_groups={{0},{0,9}}",
                                               "replica_groups=[2,2]<=[4]",
                                               "replica_groups=[2,2]<=[2,2]T(1,0)",
                                               "replica_groups={}",
                                               "source_target_pairs={{0,1},{1,0}}",
                                               "source_target_pairs={0,1}",
                                               "use_global_device_ids=true",
                                               "channel_id=1",
                                               "has_dynamic_root=true",
                                               "sparsity=L.0@2:4",
                                               "unique_indices=true",
                                               "index=1",
                                               "iota_dimension=1",
                                               "k=1",
                                               "feature_index=1"};
  return ", " + random.Pick(attributes);
}

// A list in braces that loses everything, some, or has it doubled, nested or longer.
void MutateList(Random& random, std::string& line, Span attribute) {
  const size_t open = line.find('{', attribute.begin);
  const size_t close = line.rfind('}', attribute.end - 1);
  if (open == std::string::npos || close == std::string::npos || close < open ||
      open >= attribute.end) {
    return;
  }
  const Span inside = {open + 1, close};
  const std::string list = line.substr(inside.begin, inside.size());
  switch (random.Between(0, 5)) {
    case 0:
      return Replace(line, inside, "");
    case 1:
      return Replace(line, inside, list + "," + list);
    case 2:
      return Replace(line, inside, "{" + list + "}");
    case 3:
      return Replace(line, inside, list.substr(0, list.rfind(',')));
    case 4:
      return Replace(line, inside, list.substr(std::min(list.find(','), list.size() - 1) + 1));
    default:
      return Replace(line, inside, list + (list.empty() ? "" : ",") + HostileNumber(random, "1"));
  }
}

void SwapSpans(std::string& line, Span a, Span b) {
  if (a.begin > b.begin) std::swap(a, b);
  if (a.end > b.begin) return;
  const std::string first = line.substr(a.begin, a.size());
  const std::string second = line.substr(b.begin, b.size());
  Replace(line, b, first);
  Replace(line, a, second);
}

// The value of an attribute, without `, name=`.
Span ValueOf(const std::string& line, Span attribute) {
  const size_t equals = line.find('=', attribute.begin);
  return {equals == std::string::npos ? attribute.end : equals + 1, attribute.end};
}

void MutateNumber(Random& random, std::string& line) {
  const std::vector<Span> numbers = NumbersOf(line);
  if (numbers.empty()) return;
  const Span number = random.Pick(numbers);
  if (random.OneIn(4)) return SwapSpans(line, number, random.Pick(numbers));
  Replace(line, number, HostileNumber(random, line.substr(number.begin, number.size())));
}

void MutateOnce(Random& random, std::string& line) {
  const std::vector<Span> attributes = SplitAttributes(line);
  if (attributes.empty()) {
    line += AnyAttribute(random);
    return;
  }
  const Span attribute = random.Pick(attributes);
  switch (random.Between(0, 9)) {
    case 0:
      return Replace(line, attribute, "");
    case 1:
      line += AnyAttribute(random);
      return;
    case 2:
      return SwapSpans(line, ValueOf(line, attribute), ValueOf(line, random.Pick(attributes)));
    case 3:
    case 4:
    case 5:
      return MutateList(random, line, attribute);
    default:
      return MutateNumber(random, line);
  }
}

// `r = f32[2] op(` becomes `r = op(`.
void DropShape(std::string& line) {
  const size_t equals = line.find(" = ");
  const size_t operands = line.rfind('(', line.find("), "));
  if (equals == std::string::npos || operands == std::string::npos) return;
  const size_t opcode = line.rfind(' ', operands);
  if (opcode == std::string::npos || opcode < equals + 3) return;
  Replace(line, {equals + 3, opcode + 1}, "");
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Computations that hardly any instruction can call: without parameters, with some, and with
// results that are no numbers.
constexpr const char* kOddComputations =
    "odd_none {\n  ROOT r = f32[] constant(1)\n}\n"
    "odd_one {\n  p = s32[] parameter(0)\n  ROOT r = s32[] negate(p)\n}\n"
    "odd_two {\n  p = f32[2] parameter(0)\n  q = s32[] parameter(1)\n"
    "  ROOT r = (f32[2], s32[]) tuple(p, q)\n}\n"
    "odd_empty {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = () tuple()\n}\n"
    "odd_token {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
    "  ROOT r = token[] after-all()\n}\n";

// The names of the computations of a module but for the entry, whose lines end with a brace.
std::vector<std::string> ComputationsOf(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) {
    const size_t end = line.find(" {");
    if (end == std::string::npos || end + 2 != line.size() || line[0] == ' ') continue;
    if (line.rfind("ENTRY", 0) != 0) names.push_back(line.substr(0, end));
  }
  return names;
}

// One of the computations that the attributes of a line name becomes another one, perhaps that
// which the line stands in.
void MutateCallee(Random& random, std::string& line, const std::vector<std::string>& names) {
  std::vector<Span> called;
  const size_t begin = AttributesOf(line);
  for (const std::string& name : names) {
    const size_t place = line.find(name, begin);
    if (place == std::string::npos) continue;
    const bool is_whole =
        (line[place - 1] == '=' || line[place - 1] == '{' || line[place - 1] == ' ' ||
         line[place - 1] == ',') &&
        (place + name.size() == line.size() ||
         std::isalnum(static_cast<unsigned char>(line[place + name.size()])) == 0);
    if (is_whole) called.push_back({place, place + name.size()});
  }
  if (!called.empty()) Replace(line, random.Pick(called), random.Pick(names));
}

}  // namespace

std::string WithMutatedAttributes(Random& random, const std::string& module_text) {
  std::vector<std::string> lines = LinesOf(module_text);
  const size_t header = !lines.empty() && lines.front().rfind("HloModule", 0) == 0 ? 1 : 0;
  const std::vector<std::string> odd = LinesOf(kOddComputations);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(header), odd.begin(), odd.end());
  const std::vector<std::string> computations = ComputationsOf(lines);
  std::vector<size_t> with_attributes;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (AttributesOf(lines[i]) != std::string::npos) with_attributes.push_back(i);
  }
  if (with_attributes.empty()) return module_text;
  std::string& line = lines[random.Pick(with_attributes)];
  const int64_t changes = random.Between(1, 3);
  for (int64_t i = 0; i < changes; ++i) {
    if (random.OneIn(6)) {
      MutateCallee(random, line, computations);
    } else {
      MutateOnce(random, line);
    }
  }
  if (random.OneIn(2)) DropShape(line);
  std::string text;
  for (const std::string& one : lines) text += one + "\n";
  return text;
}

}  // namespace hlo_indexing::testing
