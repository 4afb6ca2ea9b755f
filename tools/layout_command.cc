// `hlo-indexing layout`: where the elements of an array lie in memory.
#include <algorithm>

#include "hlo/module.h"
#include "hlo/parser.h"
#include "layout/cute_placement.h"
#include "layout/cute_syntax.h"
#include "layout/picture.h"
#include "layout/tiled_picture.h"
#include "llvm/Support/JSON.h"
#include "support/checked_math.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/layout_report.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

using layout::TiledLayout;

// An option's text, which becomes integers.
struct OptionText {
  llvm::StringRef option;
  llvm::StringRef text;
};

// Answers the questions about one shape after the other.
class LayoutCommand {
 public:
  LayoutCommand(const LayoutOptions& options, llvm::raw_ostream& out)
      : options_(options), out_(out), report_(options.format, options.max_cells, out) {}

  ExitCode Run() {
    if (const std::string message = BadUsage(); !message.empty()) {
      ReportError(message);
      return ExitCode::kBadUsage;
    }
    if (options_.format == OutputFormat::kJson) WriteHeader("", out_);
    for (const std::string& text : options_.shapes) {
      if (const auto shape = Parse("<argument>", text)) AnswerFor(*shape);
    }
    return status_;
  }

 private:
  // Which options do not go together; empty where all do.
  std::string BadUsage() const {
    if (options_.format == OutputFormat::kJson && options_.picture) {
      return "--table, --svg and --tikz are no JSON: leave out --format=json";
    }
    if (options_.shapes.size() > 1 && IsDrawing()) {
      return "--svg and --tikz draw one shape at a time";
    }
    if (options_.relayout && llvm::StringRef(*options_.relayout).trim().empty()) {
      return "--relayout= names neither a shape nor a layout";
    }
    if (options_.offsets && AsksInsteadOfOverview()) {
      return "--offsets adds to the overview: leave out the options that ask something else";
    }
    if (options_.max_cells < 0 || options_.max_cells > kMostCells) {
      return "--max-cells can be from 0 to " + std::to_string(kMostCells);
    }
    return "";
  }
  bool AsksInsteadOfOverview() const {
    return options_.picture || options_.tpu || options_.relayout || !options_.indices.empty() ||
           !options_.positions.empty() || !options_.bytes.empty();
  }
  bool IsDrawing() const {
    return options_.picture && *options_.picture != layout::PictureFormat::kText;
  }
  void Raise(ExitCode status) { status_ = Worst(status_, status); }
  void FailAt(llvm::StringRef source, llvm::StringRef text, size_t offset, std::string message) {
    Fail(text, support::MakeDiagnostic({source, text}, offset, std::move(message)));
  }
  // Tells of an error, as JSON on standard output.
  void Fail(llvm::StringRef text, const support::Diagnostic& diagnostic) {
    Raise(ExitCode::kBadInput);
    if (options_.format != OutputFormat::kJson) {
      out_.flush();
      return Report({diagnostic});
    }
    llvm::json::OStream json(out_);
    json.object([&] {
      json.attribute("kind", "error");
      json.attribute("input", llvm::json::fixUTF8(text));
      json.attribute("line", diagnostic.line);
      json.attribute("column", diagnostic.column);
      json.attribute("message", diagnostic.message);
    });
    out_ << '\n';
  }

  // The shape of a text, where it is that of an array; nothing after a message.
  const hlo::Shape* ParseArray(llvm::StringRef source, llvm::StringRef text) {
    hlo::ParseOptions options;
    options.file_name = source.str();
    std::vector<support::Diagnostic> diagnostics;
    const hlo::Shape* shape = hlo::ParseShapeText(text, module_, options, diagnostics);
    if (shape == nullptr) {
      for (const support::Diagnostic& diagnostic : diagnostics) Fail(text, diagnostic);
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
    if (shape->StorageBits() < hlo::ElementBits(type)) {
      FailAt(source, text, 0,
             hlo::ElementTypeName(type).str() + " does not fit in " +
                 std::to_string(shape->StorageBits()) + " bits");
      return std::nullopt;
    }
    const layout::Layout xla_layout =
        shape->layout() == nullptr ? layout::DefaultLayout(shape->rank()) : *shape->layout();
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
    if (!AsksInsteadOfOverview()) return Raise(report_.WriteOverview(shape, options_.offsets));
    for (const std::string& text : options_.indices) AnswerIndex(shape, text);
    for (const std::string& text : options_.positions) AnswerPosition(shape, text);
    for (const std::string& text : options_.bytes) AnswerByte(shape, text);
    if (options_.relayout) AnswerRelayout(shape, *options_.relayout, array);
    if (options_.tpu) AnswerTpu(shape, array);
    if (options_.picture) Draw(shape);
  }

  // The integers of an option, separated by commas; nothing after a message.
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
                        " has " + std::to_string(shape.layout.rank()) + " dimensions");
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
    const NamedPlacement source = {from.text, PlacementOf(digits, from.layout)};
    const std::optional<NamedPlacement> target = ParseTarget(digits, text, array, from.layout);
    if (target) Raise(report_.WriteRelayout(digits, array.sizes(), source, *target));
  }

  // What --relayout names: a shape, an XLA layout of this one, or a layout of CuTe.
  std::optional<NamedPlacement> ParseTarget(simplifier::DigitContext& digits,
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
    return NamedPlacement{to->text, PlacementOf(digits, to->layout)};
  }

  std::optional<NamedPlacement> ParseCute(simplifier::DigitContext& digits, llvm::StringRef text,
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
    auto placement = PlacementOf(digits, array.sizes(), *cute, from.element_bits());
    if (!placement.ok()) {
      FailAt("<--relayout>", text, 0, std::string(placement.status().message()));
      return std::nullopt;
    }
    return NamedPlacement{cute->ToString(), std::move(*placement)};
  }

  void AnswerTpu(const NamedLayout& shape, const hlo::Shape& array) {
    const auto content = array.element_type() == hlo::ElementType::kPred
                             ? layout::ElementContent::kBoolean
                             : layout::ElementContent::kNumber;
    const auto formats = TpuFormats(array.sizes(), hlo::DefaultStorageBits(array.element_type()),
                                    content, shape.layout.layout());
    if (!formats.ok()) {
      return FailAt("<argument>", shape.text, 0, std::string(formats.status().message()));
    }
    std::vector<std::string> texts;
    for (const layout::TpuFormat& format : *formats) {
      texts.push_back(TextWith(array, format.layout.layout()));
    }
    report_.WriteTpuFormats(shape, *formats, texts);
  }

  void Draw(const NamedLayout& shape) {
    const auto picture = DrawTiledLayout(shape.layout, {shape.text, options_.max_cells});
    if (!picture.ok()) {
      ReportError(shape.text + ": " + std::string(picture.status().message()) + " (--max-cells)");
      return Raise(ExitCode::kNotSupported);
    }
    out_ << Render(*picture, *options_.picture);
  }

  const LayoutOptions& options_;
  llvm::raw_ostream& out_;
  LayoutReport report_;
  // Owns the shapes.
  hlo::Module module_;
  // That of the last Parse.
  const hlo::Shape* shape_ = nullptr;
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace

ExitCode RunLayout(const LayoutOptions& options, llvm::raw_ostream& out) {
  return LayoutCommand(options, out).Run();
}

}  // namespace hlo_indexing::tools
