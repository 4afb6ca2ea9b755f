// `hlo-indexing cute`: CuTe's algebra as a calculator, and its pictures.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/cute_algebra/calculator.h"
#include "layout/cute_algebra/picture.h"
#include "layout/cute_algebra/syntax.h"
#include "layout/picture/picture.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/terminal.h"

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

struct CuteOptions {
  OptionTable& table;
  PictureOptions picture{table};
  FlagOption offsets{table, "offsets", "With all offsets, the first coordinate fastest"};
  FlagOption functions{table, "functions", "List the functions"};
  FormatOption format{table};
  InputSizeOption max_input_bytes{table};
};

// Evaluates one expression after the other and writes what it is.
class Calculator {
 public:
  Calculator(const CuteOptions& options, llvm::raw_ostream& out) : options_(options), out_(out) {}

  ExitCode Run(llvm::ArrayRef<std::string> arguments) {
    if (!options_.picture.Check()) return ExitCode::kBadUsage;
    if (const std::optional<std::string> misuse = FindMisuse(arguments)) {
      ReportError(*misuse);
      return ExitCode::kBadUsage;
    }
    if (options_.functions.value()) return ListFunctions();
    const std::optional<InputLines> input = ReadLines(arguments, options_.max_input_bytes.value());
    if (is_json() && !options_.picture.value()) {
      WriteHeader(!input || input->has_standard_input ? "-" : "", out_);
    }
    if (!input) return ExitCode::kBadInput;
    if (options_.picture.is_drawing() && input->lines.size() > 1) {
      ReportError(kOnePicture);
      return ExitCode::kBadUsage;
    }
    const Interruption interruption;
    for (size_t i = 0; i < input->lines.size(); ++i) {
      if (Interruption::IsRequested()) {
        return ReportInterruption(i, input->lines.size(), "expressions");
      }
      Answer(input->lines[i]);
    }
    return status_;
  }

 private:
  static constexpr char kOnePicture[] = "--svg and --tikz draw one expression at a time";

  // Options that do not go together.
  std::optional<std::string> FindMisuse(llvm::ArrayRef<std::string> arguments) const {
    const bool has_picture = options_.picture.value().has_value();
    if (options_.functions.value() &&
        (has_picture || is_json() || options_.offsets.value() || !arguments.empty())) {
      return "--functions goes with no expression and no other option";
    }
    if (has_picture && is_json()) {
      return "--table, --svg and --tikz are no JSON: leave out --format=json";
    }
    if (has_picture && options_.offsets.value()) {
      return "--offsets goes with values, not with pictures";
    }
    if (options_.picture.is_drawing() && arguments.size() > 1) return kOnePicture;
    return std::nullopt;
  }

  bool is_json() const { return options_.format.is_json(); }

  ExitCode ListFunctions() {
    for (const layout::CuteFunctionHelp& function : layout::CuteFunctions()) {
      out_ << function.signature << '\n';
    }
    return ExitCode::kFine;
  }

  void Answer(const InputLine& input) {
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
    if (options_.offsets.value()) offsets = ListOffsets(input, *result);
    if (options_.picture.value()) return Draw(input, *result);
    if (is_json()) {
      WriteJson(input, *result, offsets);
    } else {
      WriteText(*result, offsets);
    }
  }

  // The offsets of a layout; nullopt if the value is no layout, or for the reason of the note.
  struct Offsets {
    std::optional<std::vector<IntTuple>> list;
    std::string note;
  };

  Offsets ListOffsets(const InputLine& input, const CuteResult& result) {
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
  std::string Note(const InputLine& input, const std::string& message) {
    status_ = Worst(status_, ExitCode::kNotSupported);
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({input.source, input.text}, 0, message);
    diagnostic.line = input.line;
    if (!is_json()) Report({diagnostic});
    return message;
  }

  void Draw(const InputLine& input, const CuteResult& result) {
    const absl::StatusOr<layout::Picture> picture = layout::PictureOf(result.value);
    if (!picture.ok()) {
      return Fail(input, {0, std::string(picture.status().message())}, ExitCode::kNotSupported);
    }
    out_ << RenderFor(TerminalColumns(options_.table.output()), *picture,
                      *options_.picture.value());
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

  void WriteJson(const InputLine& input, const CuteResult& result, const Offsets& offsets) {
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

  void Fail(const InputLine& input, const support::TextError& error, ExitCode status) {
    status_ = Worst(status_, status);
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({input.source, input.text}, error.offset, error.message);
    diagnostic.line = input.line;
    if (!is_json()) {
      // Keeps the lines of the output in step with those of the input; pictures have no such lines.
      if (!options_.picture.value()) out_ << "ERROR\n";
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

constexpr Example kExamples[] = {
    {"A composition", "hlo-indexing cute 'composition((_4,_8):(_8,_1), _2:_4)'"},
    {"A layout as a picture", "hlo-indexing cute --svg '(_8,_8):(_8,_1)' > layout.svg"},
    {"The offsets of each layout on standard input",
     "echo '(4,(2,3)):(1,(4,8))' | hlo-indexing cute --offsets -"},
    {"What there is to call", "hlo-indexing cute --functions"}};

constexpr SubcommandHelp kHelp = {
    .name = "cute",
    .summary = "CuTe's layout algebra as a calculator, with pictures",
    .arguments = {.usage = "[EXPR]...",
                  .help = "Expressions; '-', or none at all, stands for the lines of standard "
                          "input"},
    .details =
        "Evaluates expressions of layouts, shapes and functions of CuTe: a layout if there "
        "is one, otherwise the reason why there is none.",
    .examples = kExamples};

class CuteCommand : public Subcommand {
 public:
  CuteCommand() : Subcommand(kHelp) {}
  ExitCode Run(llvm::raw_ostream& out) override {
    return Calculator(options_, out).Run(arguments());
  }

 private:
  CuteOptions options_{table()};
};

}  // namespace

std::unique_ptr<Subcommand> MakeCuteCommand() { return std::make_unique<CuteCommand>(); }

}  // namespace hlo_indexing::tools
