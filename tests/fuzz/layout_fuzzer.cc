// Any bytes as the sizes of an array and its layout, `3,5{1,0:T(2,2)}`: a layout that parses prints
// to text that parses back; positions and indices lead to each other; nothing aborts or hangs.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "layout/picture/picture.h"
#include "layout/relayout.h"
#include "layout/tiled_layout.h"
#include "layout/tiled_picture.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace {

using hlo_indexing::layout::DefaultLayout;
using hlo_indexing::layout::Layout;
using hlo_indexing::layout::ParseLayout;
using hlo_indexing::layout::TiledLayout;

void Require(bool condition, const char* what, const Layout& layout) {
  if (condition) return;
  llvm::errs() << what << "\n" << layout.ToString() << "\n";
  std::abort();
}

// The sizes before the layout; nothing where they are no integers.
std::optional<std::vector<int64_t>> Sizes(llvm::StringRef text) {
  std::vector<int64_t> sizes;
  while (!text.empty()) {
    const auto [word, rest] = text.split(',');
    int64_t size = 0;
    if (word.getAsInteger(10, size)) return std::nullopt;
    sizes.push_back(size);
    text = rest;
  }
  return sizes;
}

void CheckPositions(const TiledLayout& layout) {
  int64_t elements = 0;
  for (int64_t position = 0; position < layout.num_positions(); ++position) {
    const auto index = layout.IndexAt(position);
    Require(index.has_value() != layout.IsPadding(position), "neither or both", layout.layout());
    if (!index) continue;
    ++elements;
    Require(layout.ContainsIndex(*index), "not an element", layout.layout());
    Require(layout.Position(*index) == position, "not the position", layout.layout());
  }
  Require(elements == layout.num_elements(), "an element is missing", layout.layout());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  const size_t brace = text.find('{');
  const auto sizes = Sizes(text.take_front(brace));
  const auto xla_layout = ParseLayout(text.drop_front(std::min(brace, size)));
  if (!xla_layout.ok()) return 0;
  const auto again = ParseLayout(xla_layout->ToString());
  Require(again.ok() && *again == *xla_layout, "does not parse back", *xla_layout);
  if (!sizes) return 0;
  const auto layout = TiledLayout::Create(*sizes, 8, *xla_layout);
  if (!layout.ok()) return 0;
  constexpr int64_t kMaxPositions = 1 << 12;
  if (layout->num_positions() <= kMaxPositions) CheckPositions(*layout);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  layout->PositionMap(&context);
  layout->IndexMap(&context);
  const auto picture = PictureOf(*layout, {"", kMaxPositions});
  if (picture.ok()) ToText(*picture);
  const auto untiled = TiledLayout::Create(*sizes, 8, DefaultLayout(layout->rank()));
  if (!untiled.ok()) return 0;
  hlo_indexing::simplifier::DigitContext digits;
  const auto from = PositionsOf(digits, *untiled);
  const auto to = PositionsOf(digits, *layout);
  const hlo_indexing::layout::RelayoutBudget budget = {kMaxPositions, 64};
  IsBitcast(digits, *sizes, from, to, budget);
  Require(FindContiguousMoves(digits, *sizes, from, to, budget).ok(), "positions are shared",
          *xla_layout);
  return 0;
}
