// `hlo-indexing layout`: where the elements of an array lie in memory.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/memory_layout.h"
#include "hlo/module.h"
#include "hlo/parser/parser.h"
#include "layout/cute_algebra/element_positions.h"
#include "layout/cute_algebra/syntax.h"
#include "layout/picture/picture.h"
#include "layout/tiled_picture.h"
#include "llvm/Support/JSON.h"
#include "support/checked_math.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/layout_report.h"
#include "tools/map_json.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/terminal.h"

namespace hlo_indexing::tools {
namespace {

using layout::TiledLayout;

// What --max-cells may ask for: pictures of more take gigabytes.
constexpr int64_t kMostCells = int64_t{1} << 22;

struct LayoutOptions {
  OptionTable& table;
  // A scalar has the index of no numbers.
  TextListOption indices{table,
                         "index",
                         {.name = "i,j,...", .may_be_empty = true},
                         "Only where the element of that index lies"};
  TextListOption positions{
      table, "position", {"n"}, "Only what lies at that position, in elements"};
  TextListOption bytes{table, "byte", {"n"}, "Only what lies at that byte"};
  TextOption relayout{table,
                      "relayout",
                      {"shape or layout"},
                      "Only what a copy to another layout, XLA's or CuTe's, moves"};
  FlagOption tpu{table, "tpu", "Only the formats of the array on a TPU, with the bytes they waste"};
  FlagOption offsets{table, "offsets", "With the position of every element"};
  PictureOptions picture{table};
  FormatOption format{table};
  NumberOption<int64_t> max_cells{table, "max-cells",
                                  "The most cells of a picture, and the most offsets", 1 << 16};
  InputSizeOption max_input_bytes{table};
};

// An option's text, which becomes integers.
struct OptionText {
  llvm::StringRef option;
  llvm::StringRef text;
};

// Answers the queries about one shape after the other.
class LayoutAnswers {
 public:
  LayoutAnswers(const LayoutOptions& options, llvm::raw_ostream& out)
      : options_(options),
        out_(out),
        report_({.format = options.format.value(),
                 .max_cells = options.max_cells.value(),
                 .columns = TerminalColumns(options.table.output())},
                out) {}

  ExitCode Run(llvm::ArrayRef<std::string> arguments) {
    if (!options_.picture.Check()) return ExitCode::kBadUsage;
    if (const std::string message = BadUsage(arguments); !message.empty()) {
      ReportError(message);
      return ExitCode::kBadUsage;
    }
    const std::optional<InputLines> input = ReadLines(arguments, options_.max_input_bytes.value());
    if (!input) return ExitCode::kBadInput;
    if (input->lines.size() > 1 && options_.picture.is_drawing()) {
      ReportError(kOnePicture);
      return ExitCode::kBadUsage;
    }
    if (options_.format.is_json()) WriteHeader(input->has_standard_input ? "-" : "", out_);
    const Interruption interruption;
    for (size_t i = 0; i < input->lines.size(); ++i) {
      if (Interruption::IsRequested()) return ReportInterruption(i, input->lines.size(), "shapes");
      const InputLine& line = input->lines[i];
      source_ = line;
      if (const auto shape = Parse(line.source, line.text)) AnswerFor(*shape);
    }
    return status_;
  }

 private:
  static constexpr char kOnePicture[] = "--svg and --tikz draw one shape at a time";

  // Which options do not go together; empty if all do.
  std::string BadUsage(llvm::ArrayRef<std::string> arguments) const {
    if (options_.format.is_json() && options_.picture.value()) {
      return "--table, --svg and --tikz are no JSON: leave out --format=json";
    }
    if (arguments.size() > 1 && options_.picture.is_drawing()) return kOnePicture;
    if (options_.offsets.value() && ReplacesOverview()) {
      return "--offsets adds to the overview: leave out the options that replace it";
    }
    if (options_.max_cells.value() < 0 || options_.max_cells.value() > kMostCells) {
      return "--max-cells can be from 0 to " + std::to_string(kMostCells) + ", not '" +
             std::to_string(options_.max_cells.value()) + "'";
    }
    return "";
  }
  bool ReplacesOverview() const {
    return options_.picture.value() || options_.tpu.value() || options_.relayout.is_given() ||
           !options_.indices.values().empty() || !options_.positions.values().empty() ||
           !options_.bytes.values().empty();
  }
  void Raise(ExitCode status) { status_ = Worst(status_, status); }
  void FailAt(llvm::StringRef source, llvm::StringRef text, size_t offset, std::string message) {
    support::Diagnostic diagnostic =
        support::MakeDiagnostic({source, text}, offset, std::move(message));
    if (source == source_.source) diagnostic.line += source_.line - 1;
    Fail(text, diagnostic);
  }
  // Tells of an error, as JSON on standard output. Those of options stand at `<--index>` and the
  // like.
  void Fail(llvm::StringRef text, const support::Diagnostic& diagnostic) {
    llvm::StringRef option = diagnostic.file;
    const bool is_of_option = option.consume_front("<--") && option.consume_back(">");
    Raise(is_of_option ? ExitCode::kBadUsage : ExitCode::kBadInput);
    if (!options_.format.is_json()) {
      out_.flush();
      return Report({diagnostic});
    }
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "error");
      json.attribute("input", llvm::json::fixUTF8(text));
      if (is_of_option) json.attribute("option", option);
      json.attribute("line", diagnostic.line);
      json.attribute("column", diagnostic.column);
      json.attribute("message", diagnostic.message);
    });
    out_ << '\n';
  }

  // The shape of a text; null, after a message, if it is not that of an array.
  const hlo::Shape* ParseArray(llvm::StringRef source, llvm::StringRef text) {
    hlo::ParseOptions options;
    options.file_name = source.str();
    std::vector<support::Diagnostic> diagnostics;
    const hlo::Shape* shape = hlo::ParseShapeText(text, module_, options, diagnostics);
    if (shape == nullptr) {
      for (support::Diagnostic& diagnostic : diagnostics) {
        if (source == source_.source) diagnostic.line += source_.line - 1;
        Fail(text, diagnostic);
      }
      return nullptr;
    }
    if (!shape->IsArray() || shape->HasUnboundedDimension()) {
      FailAt(source, text, 0,
             shape->IsArray() ? "an array of unbounded size has no place in memory"
                              : "only the shape of an array has a layout");
      return nullptr;
    }
    return shape;
  }

  std::optional<NamedLayout> Parse(llvm::StringRef source, llvm::StringRef given) {
    // XLA's documents write element types in capitals.
    const size_t type_length = std::min(given.find('['), given.size());
    const std::string text =
        given.take_front(type_length).lower() + given.substr(type_length).str();
    const hlo::Shape* shape = ParseArray(source, text);
    if (shape == nullptr) return std::nullopt;
    const hlo::ElementType type = shape->element_type();
    const layout::Layout xla_layout = hlo::LayoutOrDefault(*shape);
    absl::StatusOr<TiledLayout> tiled =
        TiledLayout::Create(shape->sizes(), hlo::DefaultStorageBits(type), xla_layout);
    if (!tiled.ok()) {
      FailAt(source, text, 0, std::string(tiled.status().message()));
      return std::nullopt;
    }
    shape_ = shape;
    return NamedLayout{TextWith(*shape, xla_layout), std::move(*tiled)};
  }

  // The shape with another layout.
  std::string TextWith(const hlo::Shape& shape, const layout::Layout& other) {
    const hlo::Shape* result = module_.shapes().Array(shape.element_type(), shape.sizes(), &other);
    return result->ToString();
  }

  void AnswerFor(const NamedLayout& shape) {
    const hlo::Shape& array = *shape_;
    if (!ReplacesOverview()) return Raise(report_.WriteOverview(shape, options_.offsets.value()));
    for (const std::string& text : options_.indices.values()) AnswerIndex(shape, text);
    for (const std::string& text : options_.positions.values()) AnswerPosition(shape, text);
    for (const std::string& text : options_.bytes.values()) AnswerByte(shape, text);
    if (options_.relayout.is_given()) AnswerRelayout(shape, options_.relayout.value(), array);
    if (options_.tpu.value()) AnswerTpu(shape, array);
    if (options_.picture.value()) Draw(shape);
  }

  // The integers of an option, separated by commas; nullopt after a message.
  std::optional<std::vector<int64_t>> Integers(const OptionText& option) {
    std::vector<int64_t> values;
    llvm::StringRef rest = option.text;
    while (!rest.trim().empty() || !values.empty()) {
      const size_t offset = option.text.size() - rest.size();
      const auto [word, more] = rest.split(',');
      int64_t value = 0;
      if (word.trim().getAsInteger(10, value)) {
        FailAt(option.option, option.text, offset, "expected an integer");
        return std::nullopt;
      }
      values.push_back(value);
      if (word.size() == rest.size()) break;
      rest = more;
    }
    return values;
  }

  // One integer.
  std::optional<int64_t> Integer(const OptionText& option) {
    const auto values = Integers(option);
    if (values && values->size() == 1) return values->front();
    if (values) FailAt(option.option, option.text, 0, "expected one integer");
    return std::nullopt;
  }

  void AnswerIndex(const NamedLayout& shape, llvm::StringRef text) {
    const auto index = Integers({"<--index>", text});
    if (!index) return;
    if (index->size() != shape.layout.dimensions().size()) {
      return FailAt("<--index>", text, 0,
                    "the index has " + std::to_string(index->size()) +
                        (index->size() == 1 ? " component, " : " components, ") + shape.text +
                        " has " + std::to_string(shape.layout.rank()) +
                        (shape.layout.rank() == 1 ? " dimension" : " dimensions"));
    }
    if (!shape.layout.ContainsIndex(*index)) {
      return FailAt("<--index>", text, 0, shape.text + " has no element of that index");
    }
    report_.WritePosition(shape, shape.layout.Position(*index));
  }

  void AnswerPosition(const NamedLayout& shape, llvm::StringRef text) {
    const auto position = Integer({"<--position>", text});
    if (!position) return;
    if (*position < 0 || *position >= shape.layout.num_positions()) {
      return FailAt(
          "<--position>", text, 0,
          shape.text + " has positions 0 to " + std::to_string(shape.layout.num_positions() - 1));
    }
    report_.WritePosition(shape, *position);
  }

  // All positions that the byte is a part of.
  void AnswerByte(const NamedLayout& shape, llvm::StringRef text) {
    const auto byte = Integer({"<--byte>", text});
    if (!byte) return;
    if (shape.layout.bytes() == 0) return FailAt("<--byte>", text, 0, shape.text + " has no bytes");
    if (*byte < 0 || *byte >= shape.layout.bytes()) {
      return FailAt("<--byte>", text, 0,
                    shape.text + " has bytes 0 to " + std::to_string(shape.layout.bytes() - 1));
    }
    const int64_t bits = shape.layout.element_bits();
    const int64_t last = std::min((*byte * 8 + 7) / bits, shape.layout.num_positions() - 1);
    for (int64_t position = *byte * 8 / bits; position <= last; ++position) {
      report_.WritePosition(shape, position);
    }
  }

  void AnswerRelayout(const NamedLayout& from, llvm::StringRef text, const hlo::Shape& array) {
    simplifier::DigitContext digits;
    const NamedPositions source = {from.text, PositionsOf(digits, from.layout)};
    const std::optional<NamedPositions> target = ParseTarget(digits, text, array, from.layout);
    if (target) Raise(report_.WriteRelayout(digits, array.sizes(), source, *target));
  }

  // What --relayout names: a shape, an XLA layout of this one, or a layout of CuTe.
  std::optional<NamedPositions> ParseTarget(simplifier::DigitContext& digits,
                                            llvm::StringRef wanted, const hlo::Shape& array,
                                            const TiledLayout& from) {
    constexpr llvm::StringLiteral kSource = "<--relayout>";
    const llvm::StringRef given = wanted.trim();
    if (!given.contains('[') && !given.starts_with("{")) {
      return ParseCute(digits, wanted, array, from);
    }
    const std::string plain =
        module_.shapes().Array(array.element_type(), array.sizes())->ToString();
    const std::string text = given.starts_with("{") ? plain + given.str() : given.str();
    const auto to = Parse(kSource, text);
    if (!to) return std::nullopt;
    if (shape_->element_type() != array.element_type() || shape_->sizes() != array.sizes()) {
      FailAt(kSource, text, 0,
             "a relayout is between two layouts of one shape: this is not one of " + plain);
      return std::nullopt;
    }
    return NamedPositions{to->text, PositionsOf(digits, to->layout)};
  }

  std::optional<NamedPositions> ParseCute(simplifier::DigitContext& digits, llvm::StringRef text,
                                          const hlo::Shape& array, const TiledLayout& from) {
    support::TextError error;
    if (!layout::ParseCuteExpression(text, error)) {
      FailAt("<--relayout>", text, error.offset, "neither a shape nor a layout: " + error.message);
      return std::nullopt;
    }
    const absl::StatusOr<layout::CuteLayout> cute = layout::ParseCuteLayout(text);
    if (!cute.ok()) {
      FailAt("<--relayout>", text, 0, "neither a shape nor a layout");
      return std::nullopt;
    }
    if (from.num_elements() == 0) {
      FailAt("<--relayout>", text, 0, "the array has no elements");
      return std::nullopt;
    }
    auto placement = PositionsOf(digits, array.sizes(), *cute, from.element_bits());
    if (!placement.ok()) {
      FailAt("<--relayout>", text, 0, std::string(placement.status().message()));
      return std::nullopt;
    }
    return NamedPositions{cute->ToString(), std::move(*placement)};
  }

  void AnswerTpu(const NamedLayout& shape, const hlo::Shape& array) {
    const auto content = array.element_type() == hlo::ElementType::kPred
                             ? layout::ElementContent::kBoolean
                             : layout::ElementContent::kNumber;
    const auto formats = TpuFormats(array.sizes(), hlo::DefaultStorageBits(array.element_type()),
                                    content, shape.layout.layout());
    if (!formats.ok()) {
      return FailAt(source_.source, shape.text, 0, std::string(formats.status().message()));
    }
    std::vector<std::string> texts;
    for (const layout::TpuFormat& format : *formats) {
      texts.push_back(TextWith(array, format.layout.layout()));
    }
    report_.WriteTpuFormats(shape, *formats, texts);
  }

  void Draw(const NamedLayout& shape) {
    const auto picture = PictureOf(shape.layout, {shape.text, options_.max_cells.value()});
    if (!picture.ok()) {
      ReportError(shape.text + ": " + std::string(picture.status().message()) + " (--max-cells)");
      return Raise(ExitCode::kNotSupported);
    }
    out_ << RenderFor(TerminalColumns(options_.table.output()), *picture,
                      *options_.picture.value());
  }

  const LayoutOptions& options_;
  llvm::raw_ostream& out_;
  LayoutReport report_;
  // Owns the shapes.
  hlo::Module module_;
  // That of the last Parse.
  const hlo::Shape* shape_ = nullptr;
  // Where the present shape stands.
  InputLine source_;
  ExitCode status_ = ExitCode::kFine;
};

constexpr Example kExamples[] = {
    {"Sizes, padding, maps, the table", "hlo-indexing layout 'f32[3,5]{1,0:T(2,2)}'"},
    {"Where one element lies, and what lies at a byte",
     "hlo-indexing layout 'f32[3,5]{1,0:T(2,2)}' --index=2,3 --byte=68"},
    {"What a copy to a tiled layout moves",
     "hlo-indexing layout 'f32[16,256]' --relayout='{1,0:T(8,128)}'"},
    {"The formats of an array on a TPU", "hlo-indexing layout 'bf16[100,200]' --tpu"},
    {"A picture", "hlo-indexing layout 'bf16[4,8]{1,0:T(2,4)(2,1)}' --svg > layout.svg"}};

constexpr SubcommandHelp kHelp = {
    .name = "layout",
    .summary = "Where the elements of an array lie in memory",
    .arguments = {.usage = "SHAPE...",
                  .help = "Shapes as XLA writes them, row-major without a layout; '-' stands for "
                          "the lines of standard input",
                  .is_required = true},
    .details =
        "An overview: sizes, padding, the maps from index to position and back, the table. "
        "Options that begin with \"Only\" replace it by answers in their order here; "
        "--index, --position and --byte may be given more than once.",
    .examples = kExamples};

class LayoutCommand : public Subcommand {
 public:
  LayoutCommand() : Subcommand(kHelp) {}
  ExitCode Run(llvm::raw_ostream& out) override {
    return LayoutAnswers(options_, out).Run(arguments());
  }

 private:
  LayoutOptions options_{table()};
};

}  // namespace

std::unique_ptr<Subcommand> MakeLayoutCommand() { return std::make_unique<LayoutCommand>(); }

}  // namespace hlo_indexing::tools
