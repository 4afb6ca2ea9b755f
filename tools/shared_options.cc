#include "tools/shared_options.h"

#include "tools/report.h"

namespace hlo_indexing::tools {

FormatOption::FormatOption(OptionTable& table)
    : format_(table, "format", "format", "Output format",
              {{OutputFormat::kText, "text", "for people"},
               {OutputFormat::kJson, "json", "one JSON object per line"}}) {}

InputSizeOption::InputSizeOption(OptionTable& table)
    : bytes_(table, "max-input-bytes", "The largest input", InputLimits().bytes) {}

InputLimitOptions::InputLimitOptions(OptionTable& table)
    : bytes_(table),
      errors_(table, "max-errors", "Stop after so many errors; 0: never", InputLimits().errors) {}

CustomCallsOption::CustomCallsOption(OptionTable& table)
    : file_(table, "custom-calls", {"file", ValueKind::kFile},
            "What custom calls read: rules as JSON") {}

PictureOptions::PictureOptions(OptionTable& table)
    : table_(table, "table", "Only a picture, as a table of text"),
      svg_(table, "svg", "Only a picture, as SVG"),
      tikz_(table, "tikz", "Only a picture, as a LaTeX document") {}

bool PictureOptions::Check() const {
  if (int{table_.value()} + int{svg_.value()} + int{tikz_.value()} <= 1) return true;
  ReportError("--table, --svg and --tikz: only one at a time");
  return false;
}

std::optional<layout::PictureFormat> PictureOptions::value() const {
  if (table_.value()) return layout::PictureFormat::kText;
  if (svg_.value()) return layout::PictureFormat::kSvg;
  if (tikz_.value()) return layout::PictureFormat::kTikz;
  return std::nullopt;
}

}  // namespace hlo_indexing::tools
