// The rules of custom calls, read from JSON.
#include <optional>
#include <utility>
#include <variant>

#include "indexing_analysis/rules/custom_calls.h"
#include "indexing_analysis/rules/json_scan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// Where a value is: keys and positions from the top.
using JsonPath = std::vector<std::variant<std::string, size_t>>;

// Finds places in a text that is known to be JSON; LLVM's values do not remember theirs.
class JsonLocator {
 public:
  explicit JsonLocator(llvm::StringRef text) : text_(text) {}

  // Where the value at `path` starts, or the innermost value around it that is there.
  size_t Find(const JsonPath& path) {
    SkipBlanks();
    for (const auto& step : path) {
      const size_t start = position_;
      if (!Enter(step)) return start;
    }
    return position_;
  }

 private:
  // Moves from the start of a value to the start of one inside.
  bool Enter(const std::variant<std::string, size_t>& step) {
    const bool is_object = std::holds_alternative<std::string>(step);
    ++position_;
    for (size_t i = 0;; ++i) {
      SkipBlanks();
      if (position_ >= text_.size() || text_[position_] == '}' || text_[position_] == ']') {
        return false;
      }
      if (is_object) {
        const size_t begin = position_ + 1;
        SkipValue();
        const llvm::StringRef key = text_.slice(begin, position_ - 1);
        SkipBlanks();
        ++position_;
        SkipBlanks();
        if (key == std::get<std::string>(step)) return true;
      } else if (i == std::get<size_t>(step)) {
        return true;
      }
      SkipValue();
      SkipBlanks();
      if (position_ < text_.size() && text_[position_] == ',') ++position_;
    }
  }

  void SkipBlanks() {
    while (position_ < text_.size() && llvm::isSpace(text_[position_])) ++position_;
  }

  void SkipValue() {
    int depth = 0;
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '"') {
        for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
          if (text_[position_] == '\\') ++position_;
        }
        if (depth == 0) {
          ++position_;
          return;
        }
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return;
        if (--depth == 0) {
          ++position_;
          return;
        }
      } else if (depth == 0 && (c == ',' || c == ':' || llvm::isSpace(c))) {
        return;
      }
    }
  }

  llvm::StringRef text_;
  size_t position_ = 0;
};

// One read and the output array that it belongs to.
struct RegisteredRead {
  int64_t output = 0;
  CustomCallRead read;
};

// Turns the values into rules, or stops at the first mistake.
class RuleReader {
 public:
  RuleReader(llvm::StringRef text, llvm::StringRef file_name, mlir::MLIRContext* context)
      : text_(text), file_name_(file_name), context_(context) {}

  absl::Status Read(const llvm::json::Value& top,
                    std::vector<std::pair<std::string, CustomCallRule>>& rules) {
    const llvm::json::Object* object = top.getAsObject();
    const llvm::json::Array* calls = object == nullptr ? nullptr : object->getArray("custom_calls");
    if (calls == nullptr) return Error({}, R"(expected {"custom_calls": [...]})");
    if (absl::Status status = CheckFields(*object, {}, "the rules", {"custom_calls"});
        !status.ok()) {
      return status;
    }
    for (size_t i = 0; i < calls->size(); ++i) {
      const JsonPath path = {"custom_calls", i};
      const llvm::json::Object* call = (*calls)[i].getAsObject();
      if (call == nullptr) return Error(path, "expected an object");
      const auto target = call->getString("target");
      if (!target) return Error(path, "expected a string 'target'");
      if (absl::Status status = CheckFields(*call, path, "a rule", {"target", "reads"});
          !status.ok()) {
        return status;
      }
      if (llvm::is_contained(llvm::make_first_range(rules), *target)) {
        JsonPath here = path;
        here.emplace_back("target");
        return Error(here, "the target '" + target->str() + "' has a rule already");
      }
      CustomCallRule rule;
      if (absl::Status status = ReadRule(*call, path, rule); !status.ok()) return status;
      rules.emplace_back(target->str(), std::move(rule));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Error(const JsonPath& path, const std::string& message) const {
    return ErrorAt(JsonLocator(text_).Find(path), message);
  }
  absl::Status ErrorAt(size_t offset, const std::string& message) const {
    return support::ToStatus({support::MakeDiagnostic({file_name_, text_}, offset, message)});
  }

  // Those that mean nothing would be forgotten.
  absl::Status CheckFields(const llvm::json::Object& object, const JsonPath& path, const char* of,
                           llvm::ArrayRef<llvm::StringRef> names) const {
    for (const auto& [key, value] : object) {
      const llvm::StringRef name = key;
      if (llvm::is_contained(names, name)) continue;
      JsonPath here = path;
      here.emplace_back(name.str());
      return Error(here, "there is no field '" + name.str() + "' of " + of);
    }
    return absl::OkStatus();
  }

  absl::Status ReadRule(const llvm::json::Object& call, JsonPath path, CustomCallRule& rule) const {
    path.emplace_back("reads");
    const llvm::json::Value* reads = call.get("reads");
    if (reads == nullptr) return Error(path, "expected 'reads'");
    if (const auto name = reads->getAsString()) {
      if (*name == "same_index") {
        rule = ReadSameIndex;
      } else if (*name == "everything") {
        rule = ReadEverything;
      } else {
        return Error(path, "'reads' must be \"same_index\", \"everything\" or a list of reads");
      }
      return absl::OkStatus();
    }
    const llvm::json::Array* list = reads->getAsArray();
    if (list == nullptr) {
      return Error(path, "'reads' must be \"same_index\", \"everything\" or a list of reads");
    }
    std::vector<RegisteredRead> registered;
    for (size_t i = 0; i < list->size(); ++i) {
      JsonPath here = path;
      here.emplace_back(i);
      const llvm::json::Object* read = (*list)[i].getAsObject();
      if (read == nullptr) return Error(here, "expected an object");
      if (absl::Status status = ReadOne(*read, here, registered.emplace_back()); !status.ok()) {
        return status;
      }
    }
    rule = [registered = std::move(registered)](
               const hlo::Instruction& instruction, int64_t output_leaf,
               mlir::MLIRContext*) -> std::optional<CustomCallReads> {
      CustomCallReads found;
      for (const RegisteredRead& one : registered) {
        if (one.output == output_leaf) found.push_back(one.read);
        // As wrong as an operand that is not there; what is known of the others is in doubt.
        if (one.output >= instruction.shape().num_array_leaves()) {
          found.emplace_back().operand = instruction.operands().size();
        }
      }
      return found;
    };
    return absl::OkStatus();
  }

  absl::Status ReadOne(const llvm::json::Object& object, const JsonPath& path,
                       RegisteredRead& read) const {
    int64_t operand = -1;
    const std::pair<const char*, int64_t*> numbers[] = {
        {"output", &read.output}, {"operand", &operand}, {"leaf", &read.read.leaf}};
    for (const auto& [name, target] : numbers) {
      const llvm::json::Value* value = object.get(name);
      if (value == nullptr) continue;
      const auto number = value->getAsInteger();
      JsonPath here = path;
      here.emplace_back(name);
      if (!number || *number < 0) {
        return Error(here, std::string(name) + " must be a number from 0");
      }
      *target = *number;
    }
    if (operand < 0) return Error(path, "expected a number 'operand'");
    read.read.operand = static_cast<size_t>(operand);
    if (absl::Status status =
            CheckFields(object, path, "a read", {"output", "operand", "leaf", "map", "superset"});
        !status.ok()) {
      return status;
    }
    if (const llvm::json::Value* superset = object.get("superset")) {
      const auto reason = superset->getAsString();
      JsonPath here = path;
      here.emplace_back("superset");
      if (!reason || reason->empty()) return Error(here, "'superset' must say why");
      if (!llvm::all_of(*reason, [](char c) { return !llvm::isASCII(c) || llvm::isPrint(c); })) {
        return Error(here, "'superset' must be one line of text without control characters");
      }
      read.read.superset_reason = reason->str();
    }
    return ReadMap(object, path, read.read);
  }

  absl::Status ReadMap(const llvm::json::Object& object, JsonPath path,
                       CustomCallRead& read) const {
    const llvm::json::Value* value = object.get("map");
    if (value == nullptr) return absl::OkStatus();
    path.emplace_back("map");
    const auto text = value->getAsString();
    if (!text) return Error(path, "'map' must be a string");
    support::TextError error;
    std::optional<IndexingMap> map = ParseIndexingMap(*text, context_, error);
    if (!map) {
      // Behind the quote; escapes inside a map are not to be expected.
      return ErrorAt(JsonLocator(text_).Find(path) + 1 + error.offset, error.message);
    }
    if (map->IsUnknown() || map->num_runtime() != 0) {
      return Error(path, "a registered map must be known and have no runtime variables");
    }
    read.map = std::move(map);
    return absl::OkStatus();
  }

  llvm::StringRef text_;
  llvm::StringRef file_name_;
  mlir::MLIRContext* context_;
};

// The place that LLVM's parser puts in front of its message: "[3:14, byte=40]: ..."
size_t OffsetOf(llvm::StringRef message) {
  size_t offset = 0;
  const llvm::StringRef rest = message.split("byte=").second;
  rest.take_while(llvm::isDigit).getAsInteger(10, offset);
  return offset;
}

}  // namespace

absl::Status CustomCallRegistry::AddJson(llvm::StringRef text, llvm::StringRef file_name,
                                         mlir::MLIRContext* context) {
  if (const std::optional<size_t> too_deep = JsonTooDeepAt(text)) {
    return support::ToStatus({support::MakeDiagnostic({file_name, text}, *too_deep,
                                                      "brackets nest deeper than 100 levels")});
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    const std::string message = llvm::toString(value.takeError());
    const llvm::StringRef what = llvm::StringRef(message).split("]: ").second;
    return support::ToStatus({support::MakeDiagnostic({file_name, text}, OffsetOf(message),
                                                      what.empty() ? message : what.str())});
  }
  if (const std::optional<size_t> again = JsonKeyTwiceAt(text)) {
    return support::ToStatus(
        {support::MakeDiagnostic({file_name, text}, *again, "this field is there already")});
  }
  std::vector<std::pair<std::string, CustomCallRule>> rules;
  RuleReader reader(text, file_name, context);
  if (absl::Status status = reader.Read(*value, rules); !status.ok()) return status;
  for (auto& [target, rule] : rules) Register(target, std::move(rule));
  return absl::OkStatus();
}

}  // namespace hlo_indexing::indexing_analysis
