#include "tests/property/random_variants.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "hlo/opcode.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/rules/rule_table.h"
#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;
using indexing_analysis::ReadRuleOf;

constexpr char kEntry[] = "ENTRY main {\n";
// Two reducers that use other parameters than those of the generators.
constexpr char kReducers[][16] = {"take_first", "take_second"};

std::string ReducerTexts() {
  const std::string parameters = " {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n";
  return kReducers[0] + parameters + "  ROOT r = f32[] negate(a)\n}\n" + kReducers[1] + parameters +
         "  ROOT r = f32[] negate(b)\n}\n";
}

bool IsValid(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  return module.ok() && hlo::Verify(**module).ok();
}

std::vector<std::smatch> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()};
}

// Replaces a random match; no match changes nothing.
void ReplaceOne(Random& random, std::string& text, const std::string& pattern,
                const std::string& replacement) {
  const std::string before = text;
  const std::vector<std::smatch> matches = Matches(before, pattern);
  if (matches.empty()) return;
  const std::smatch& match = random.Pick(matches);
  text = match.prefix().str() + match.format(replacement) + match.suffix().str();
}

// Another opcode with the same rule.
void ChangeOpcode(Random& random, std::string& root) {
  const std::vector<std::smatch> names = Matches(root, " ([a-z][-a-z0-9]*)\\(");
  if (names.empty()) return;
  const std::string name = names[0][1];
  const auto opcode = hlo::ParseOpcode(name);
  std::vector<std::string> others;
  for (int i = 0; opcode && i < hlo::kNumOpcodes; ++i) {
    const auto other = static_cast<Opcode>(i);
    if (other != *opcode && ReadRuleOf(other) == ReadRuleOf(*opcode)) {
      others.push_back(hlo::OpcodeName(other).str());
    }
  }
  if (others.empty()) return;
  root = std::string(names[0].prefix()) + " " + random.Pick(others) + "(" +
         std::string(names[0].suffix());
}

void ChangeCharacter(Random& random, std::string& attributes) {
  if (attributes.empty()) return;
  const auto last = static_cast<int64_t>(attributes.size()) - 1;
  char& character = attributes[static_cast<size_t>(random.Between(0, last))];
  if (random.OneIn(2)) {
    std::swap(character, attributes[static_cast<size_t>(random.Between(0, last))]);
  } else if (character >= '0' && character <= '9') {
    character = static_cast<char>('0' + random.Between(0, 3));
  }
}

// The body of a computation with one change.
std::string Changed(Random& random, const std::string& body) {
  const size_t root_begin = body.find("  ROOT ");
  std::string before = body.substr(0, root_begin);
  std::string root = body.substr(root_begin);
  const std::vector<std::smatch> attribute_starts = Matches(root, "\\), [a-z_]+=");
  const size_t end = root.find('\n');
  const size_t attributes_begin =
      attribute_starts.empty() ? end : static_cast<size_t>(attribute_starts[0].position()) + 1;
  std::string attributes = root.substr(attributes_begin, end - attributes_begin);
  const std::string rest = root.substr(end);
  root.resize(attributes_begin);
  switch (random.Between(0, 7)) {
    case 0:
    case 1:
      ChangeCharacter(random, attributes);
      break;
    case 2:
      ReplaceOne(random, attributes, ", [a-z_]+=(\\{[^ ]*\\}|[^ ,]*)", "");
      break;
    case 3:
      ReplaceOne(random, attributes, "to_apply=\\w+",
                 std::string("to_apply=") + kReducers[random.Between(0, 1)]);
      break;
    case 4:
      ReplaceOne(random, attributes, "true|false",
                 attributes.find("true") == std::string::npos ? "true" : "false");
      break;
    case 5:
      ChangeOpcode(random, root);
      break;
    case 6: {
      const std::string type = random.OneIn(2) ? "f16[" : "f64[";
      before = std::regex_replace(before, std::regex("f32\\["), type);
      root = std::regex_replace(root, std::regex("f32\\["), type);
      break;
    }
    default:
      ReplaceOne(random, random.OneIn(2) ? before : root, "(\\w\\[\\d+,\\d+\\])(\\{[^}]*\\})?",
                 random.OneIn(2) ? "$1{0,1}" : "$1{1,0}");
  }
  return before + root + attributes + rest;
}

}  // namespace

RandomVariants::RandomVariants(Random& random, const std::string& instance) {
  constexpr int kTries = 16;
  const size_t entry = instance.find(kEntry);
  std::string others = instance.substr(0, entry) + ReducerTexts();
  const std::string body = instance.substr(entry + sizeof(kEntry) - 1);
  for (int i = 0; i < kTries; ++i) {
    const std::string changed = Changed(random, body);
    if (changed == body || !IsValid(others + kEntry + changed)) continue;
    others += "variant_" + std::to_string(count_++) + " {\n" + changed;
  }
  module_text_ = others + kEntry + body;
}

}  // namespace hlo_indexing::testing
