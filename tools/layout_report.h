// What `hlo-indexing layout` prints; the JSON is documented in docs/command_line.md.
#ifndef HLO_INDEXING_TOOLS_LAYOUT_REPORT_H_
#define HLO_INDEXING_TOOLS_LAYOUT_REPORT_H_

#include <string>
#include <vector>

#include "layout/relayout.h"
#include "layout/tiled_layout.h"
#include "layout/tpu_layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/exit_code.h"
#include "tools/shared_options.h"

namespace hlo_indexing::tools {

/// A shape with its layout as a value.
struct NamedLayout {
  /// With a layout, also if the text of the shape had none. Example: "f32[3,5]{1,0}"
  std::string text;
  layout::TiledLayout layout;
};

/// A side of a relayout with its text.
struct NamedPositions {
  std::string text;
  layout::ElementPositions placement;
};

/// How answers are written.
struct LayoutReportOptions {
  OutputFormat format = OutputFormat::kText;
  /// Tables of offsets of more cells are refused.
  int64_t max_cells = 0;
  /// Tables are cut to these; nullopt leaves them whole.
  std::optional<size_t> columns;
};

/// Writes answers as text for people or as lines of JSON.
class LayoutReport {
 public:
  LayoutReport(const LayoutReportOptions& options, llvm::raw_ostream& out)
      : options_(options), out_(out) {}

  /// Sizes, steps, maps, and the table if it is small; with `with_offsets` the position of each
  /// element. kNotSupported if there are too many for that.
  ExitCode WriteOverview(const NamedLayout& shape, bool with_offsets);
  /// One position with what is there.
  void WritePosition(const NamedLayout& shape, int64_t position);
  /// Of an array of these sizes; both placements are made in `digits`.
  ExitCode WriteRelayout(simplifier::DigitContext& digits, llvm::ArrayRef<int64_t> sizes,
                         const NamedPositions& from, const NamedPositions& to);
  void WriteTpuFormats(const NamedLayout& shape, llvm::ArrayRef<layout::TpuFormat> formats,
                       llvm::ArrayRef<std::string> texts);

 private:
  bool is_json() const { return options_.format == OutputFormat::kJson; }
  bool FitsOffsets(const NamedLayout& shape);
  void WriteOverviewText(const NamedLayout& shape, bool with_offsets);
  void WriteOverviewJson(const NamedLayout& shape, bool with_offsets);
  void WriteTable(const NamedLayout& shape);

  LayoutReportOptions options_;
  llvm::raw_ostream& out_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_LAYOUT_REPORT_H_
