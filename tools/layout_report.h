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
#include "tools/command.h"

namespace hlo_indexing::tools {

/// A shape with its layout as a value.
struct NamedLayout {
  /// With a layout, also where the text of the shape had none. *"f32[3,5]{1,0}"*
  std::string text;
  layout::TiledLayout layout;
};

/// A side of a relayout with its text.
struct NamedPlacement {
  std::string text;
  layout::ElementPlacement placement;
};

/// Writes answers as text for people or as lines of JSON.
class LayoutReport {
 public:
  LayoutReport(OutputFormat format, int64_t max_cells, llvm::raw_ostream& out)
      : format_(format), max_cells_(max_cells), out_(out) {}

  /// Sizes, steps, maps, and the table where it is small; with `with_offsets` the position of each
  /// element. kNotSupported where there are too many for that.
  ExitCode WriteOverview(const NamedLayout& shape, bool with_offsets);
  /// One position with what is there.
  void WritePosition(const NamedLayout& shape, int64_t position);
  /// Of an array of these sizes; both placements are made in `digits`.
  ExitCode WriteRelayout(simplifier::DigitContext& digits, llvm::ArrayRef<int64_t> sizes,
                         const NamedPlacement& from, const NamedPlacement& to);
  void WriteTpuFormats(const NamedLayout& shape, llvm::ArrayRef<layout::TpuFormat> formats,
                       llvm::ArrayRef<std::string> texts);

 private:
  bool is_json() const { return format_ == OutputFormat::kJson; }
  bool FitsOffsets(const NamedLayout& shape);
  void WriteOverviewText(const NamedLayout& shape, bool with_offsets);
  void WriteOverviewJson(const NamedLayout& shape, bool with_offsets);
  void WriteTable(const NamedLayout& shape);

  OutputFormat format_;
  int64_t max_cells_;
  llvm::raw_ostream& out_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_LAYOUT_REPORT_H_
