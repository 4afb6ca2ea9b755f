// The tables that CuTe's own printing functions write.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PRINT_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PRINT_H_

#include <string>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/calculator.h"
#include "layout/cute_algebra/tensor.h"

namespace hlo_indexing::layout {

/// print_layout: the table of a layout of rank 2. Errors, here and below: another rank, a layout
/// that maps to coordinates, more than 65,536 elements.
absl::StatusOr<std::string> PrintLayout(const CuteTensor& tensor);
/// print_tensor of a tensor whose elements are its offsets, of rank 1 to 4.
absl::StatusOr<std::string> PrintTensor(const CuteTensor& tensor);
/// What its stream operator writes.
absl::StatusOr<std::string> StreamTensor(const CuteTensor& tensor);
/// print_latex: a document with the table of a layout of rank 1 or 2.
absl::StatusOr<std::string> PrintLatex(const CuteTensor& tensor);
/// print_latex_tv: a document with the tile, thread and value of each element.
absl::StatusOr<std::string> PrintLatexThreadValues(const ThreadValueTile& tile);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_PRINT_H_
