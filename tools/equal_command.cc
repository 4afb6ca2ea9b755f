// `hlo-indexing equal`: whether two maps are the same function.
#include <memory>
#include <string>

#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "support/answer.h"
#include "tools/map_algebra_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Equality;
using indexing_analysis::IndexingMap;
using support::AnswerName;

constexpr Example kExamples[] = {{"Two maps that are equal on their domain",
                                  "hlo-indexing equal '(d0) -> (d0 mod 2), domain: d0 in [0, 1]' "
                                  "'(d0) -> (d0), domain: d0 in [0, 1]'"},
                                 {"Two that are not: a point where they differ, and exit status 1",
                                  "hlo-indexing equal '(d0) -> (d0 mod 2), domain: d0 in [0, 2]' "
                                  "'(d0) -> (d0), domain: d0 in [0, 2]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "equal",
    .summary = "Whether two maps are the same function",
    .arguments = kPairsOfMaps,
    .details =
        "The answer is yes, no with a point where they differ, or unknown, and why. Maps are equal "
        "if they have the same domain and the same results on it, their variables taken in order.",
    .examples = kExamples};

class EqualCommand : public MapAlgebraCommand {
 public:
  EqualCommand() : MapAlgebraCommand(kHelp, /*maps_per_query=*/2) {}

 protected:
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const Equality equality = Equal(maps[0], maps[1]);
    if (equality.answer == support::Answer::kNo) Raise(ExitCode::kFinding);
    if (!is_json()) {
      out() << AnswerName(equality.answer) << ": " << equality.reason
            << PointText(maps[0], equality) << '\n';
      return;
    }
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "equal");
      json.attribute("input", Joined(texts));
      json.attribute("answer", AnswerName(equality.answer));
      if (HasPoint(equality)) {
        json.attributeObject("point", [&] {
          ForEachVariable(maps[0], equality, [&](const std::string& name, int64_t value) {
            json.attribute(name, value);
          });
        });
      }
      json.attribute("reason", equality.reason);
    });
  }

 private:
  static bool HasPoint(const Equality& equality) {
    return !equality.dimensions.empty() || !equality.symbols.empty();
  }

  static void ForEachVariable(const IndexingMap& map, const Equality& equality,
                              llvm::function_ref<void(const std::string&, int64_t)> visit) {
    for (size_t i = 0; i < equality.dimensions.size(); ++i) {
      visit(map.DimensionName(i), equality.dimensions[i]);
    }
    for (size_t i = 0; i < equality.symbols.size(); ++i) {
      visit(map.SymbolName(i), equality.symbols[i]);
    }
  }

  // " d0 = 3, s0 = 1"
  static std::string PointText(const IndexingMap& map, const Equality& equality) {
    std::string text;
    ForEachVariable(map, equality, [&](const std::string& name, int64_t value) {
      text += (text.empty() ? " " : ", ") + name + " = " + std::to_string(value);
    });
    return text;
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeEqualCommand() { return std::make_unique<EqualCommand>(); }

}  // namespace hlo_indexing::tools
