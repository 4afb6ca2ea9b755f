// hlo-indexing cute: CuTe's algebra as a calculator, and its pictures.
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "layout/cute_calculator.h"
#include "layout/cute_picture.h"
#include "layout/cute_syntax.h"
#include "layout/picture.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

using layout::CuteResult;
using layout::CuteTensor;
using layout::IntTuple;

// What --offsets lists at most.
constexpr int64_t kMostOffsets = 65536;

void WriteTuple(const IntTuple& tuple, llvm::json::OStream& json) {
  if (tuple.is_integer()) return json.value(tuple.integer().value);
  json.array([&] {
    for (const IntTuple& member : tuple.members()) WriteTuple(member, json);
  });
}

class CuteCommand {
 public:
  CuteCommand(const CuteOptions& options, llvm::raw_ostream& out) : options_(options), out_(out) {}

  ExitCode Run() {
    if (const std::optional<std::string> misuse = FindMisuse()) {
      ReportError(*misuse);
      return ExitCode::kBadUsage;
    }
    if (options_.list_functions) return ListFunctions();
    const bool reads_lines = options_.expressions.empty();
    if (is_json() && !options_.picture) WriteHeader(reads_lines ? "-" : "", out_);
    if (!reads_lines) {
      for (const std::string& expression : options_.expressions) {
        Answer({expression, "<argument>", 1});
      }
      return status_;
    }
    const std::optional<std::string> text = ReadInput("-", options_.limits.input_bytes);
    if (!text) return ExitCode::kBadInput;
    std::vector<Input> inputs;
    llvm::StringRef rest = *text;
    for (int64_t line = 1; !rest.empty(); ++line) {
      llvm::StringRef expression;
      std::tie(expression, rest) = rest.split('\n');
      // A comment, as in this project's other line formats.
      if (expression.trim().empty() || expression.trim().starts_with("//")) continue;
      inputs.push_back({expression.rtrim(), "<stdin>", line});
    }
    if (IsDrawing() && inputs.size() > 1) {
      ReportError(kOnePicture);
      return ExitCode::kBadUsage;
    }
    for (const Input& input : inputs) Answer(input);
    return status_;
  }

 private:
  struct Input {
    llvm::StringRef text;
    std::string source;
    int64_t line;
  };

  static constexpr char kOnePicture[] = "--svg and --tikz draw one expression at a time";

  bool IsDrawing() const {
    return options_.picture && *options_.picture != layout::PictureFormat::kText;
  }

  // Options that do not go together.
  std::optional<std::string> FindMisuse() const {
    if (options_.list_functions &&
        (options_.picture || is_json() || options_.offsets || !options_.expressions.empty())) {
      return "--functions goes with no expression and no other option";
    }
    if (options_.picture && is_json()) {
      return "--table, --svg and --tikz are no JSON: leave out --format=json";
    }
    if (options_.picture && options_.offsets) {
      return "--offsets goes with values, not with pictures";
    }
    if (IsDrawing() && options_.expressions.size() > 1) return kOnePicture;
    return std::nullopt;
  }

  bool is_json() const { return options_.format == OutputFormat::kJson; }

  ExitCode ListFunctions() {
    for (const layout::CuteFunctionHelp& function : layout::CuteFunctions()) {
      out_ << function.signature << '\n';
    }
    return ExitCode::kFine;
  }

  void Answer(const Input& input) {
    support::TextError error;
    const std::optional<layout::CuteExpression> expression =
        layout::ParseCuteExpression(input.text, error);
    if (!expression) return Fail(input, error, ExitCode::kBadInput);
    if (const auto unknown = layout::FindUnknownName(*expression)) {
      return Fail(input, *unknown, ExitCode::kBadInput);
    }
    const std::optional<CuteResult> result = layout::EvaluateCute(*expression, error);
    if (!result) return Fail(input, error, ExitCode::kNotSupported);
    Offsets offsets;
    if (options_.offsets) offsets = ListOffsets(input, *result);
    if (options_.picture) return Draw(input, *result);
    if (is_json()) {
      WriteJson(input, *result, offsets);
    } else {
      WriteText(*result, offsets);
    }
  }

  // Nothing of what is no layout, and where there is no list; the note says why.
  struct Offsets {
    std::optional<std::vector<IntTuple>> list;
    std::string note;
  };

  Offsets ListOffsets(const Input& input, const CuteResult& result) {
    const auto* tensor = std::get_if<CuteTensor>(&result.value);
    if (tensor == nullptr) return {};
    if (tensor->size() > kMostOffsets) {
      return {std::nullopt,
              Note(input, "--offsets: " + std::to_string(tensor->size()) +
                              " offsets are more than " + std::to_string(kMostOffsets))};
    }
    std::vector<IntTuple> list;
    for (int64_t i = 0; i < tensor->size(); ++i) {
      absl::StatusOr<IntTuple> offset = tensor->At(i);
      if (!offset.ok()) {
        return {std::nullopt, Note(input, "--offsets: " + std::string(offset.status().message()))};
      }
      list.push_back(*std::move(offset));
    }
    return {std::move(list), ""};
  }

  // What could not be done beside the result, which is printed all the same.
  std::string Note(const Input& input, const std::string& message) {
    status_ = Worst(status_, ExitCode::kNotSupported);
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({input.source, input.text}, 0, message);
    diagnostic.line = input.line;
    if (!is_json()) Report({diagnostic});
    return message;
  }

  void Draw(const Input& input, const CuteResult& result) {
    const absl::StatusOr<layout::Picture> picture = layout::PictureOf(result.value);
    if (!picture.ok()) {
      return Fail(input, {0, std::string(picture.status().message())}, ExitCode::kNotSupported);
    }
    out_ << layout::Render(*picture, *options_.picture);
  }

  void WriteText(const CuteResult& result, const Offsets& offsets) {
    const std::string text = layout::CuteValueText(result.value);
    out_ << text;
    if (!llvm::StringRef(text).ends_with("\n")) out_ << '\n';
    if (result.bound) {
      out_ << "  inside where " << layout::CuteValueText(result.bound->coordinates) << " < "
           << result.bound->extents.ToString() << '\n';
    }
    if (!offsets.list) return;
    out_ << "  offsets:";
    for (const IntTuple& offset : *offsets.list) {
      out_ << ' ';
      if (offset.is_integer()) {
        out_ << offset.integer().value;
      } else {
        out_ << offset.ToString();
      }
    }
    out_ << '\n';
  }

  void WriteJson(const Input& input, const CuteResult& result, const Offsets& offsets) {
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "cute");
      json.attribute("expr", llvm::json::fixUTF8(input.text.trim()));
      const auto* tensor = std::get_if<CuteTensor>(&result.value);
      json.attribute("result",
                     llvm::json::fixUTF8(tensor != nullptr ? tensor->LayoutText()
                                                           : layout::CuteValueText(result.value)));
      json.attributeBegin("offset");
      if (tensor != nullptr) {
        WriteTuple(tensor->offset, json);
      } else {
        json.value(0);
      }
      json.attributeEnd();
      if (result.bound) {
        json.attributeObject("bound", [&] {
          json.attribute("coordinates", layout::CuteValueText(result.bound->coordinates));
          json.attribute("extents", result.bound->extents.ToString());
        });
      }
      if (!offsets.note.empty()) json.attribute("note", llvm::json::fixUTF8(offsets.note));
      if (!offsets.list) return;
      json.attributeArray("offsets", [&] {
        for (const IntTuple& offset : *offsets.list) WriteTuple(offset, json);
      });
    });
    out_ << '\n';
  }

  void Fail(const Input& input, const support::TextError& error, ExitCode status) {
    status_ = Worst(status_, status);
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({input.source, input.text}, error.offset, error.message);
    diagnostic.line = input.line;
    if (!is_json()) {
      // Keeps the lines of the output in step with those of the input; pictures have no such lines.
      if (!options_.picture) out_ << "ERROR\n";
      out_.flush();
      Report({diagnostic});
      return;
    }
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "cute");
      json.attribute("expr", llvm::json::fixUTF8(input.text.trim()));
      json.attribute("error", llvm::json::fixUTF8(error.message));
      json.attribute("line", diagnostic.line);
      json.attribute("column", diagnostic.column);
    });
    out_ << '\n';
  }

  const CuteOptions& options_;
  llvm::raw_ostream& out_;
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace

ExitCode RunCute(const CuteOptions& options, llvm::raw_ostream& out) {
  return CuteCommand(options, out).Run();
}

}  // namespace hlo_indexing::tools
