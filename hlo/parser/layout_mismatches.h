// Arrays that lie otherwise inside of a fusion than outside of it.
#ifndef HLO_INDEXING_HLO_PARSER_LAYOUT_MISMATCHES_H_
#define HLO_INDEXING_HLO_PARSER_LAYOUT_MISMATCHES_H_

#include <vector>

#include "hlo/module.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

/// A diagnostic at the first parameter or root of a fused computation whose layout is not that of
/// the operand or of the fusion, where no layout is row-major; none for a module that was built.
/// Its kernels use the layouts inside: XLA makes both equal when it lays a module out. Example: p =
/// f32[4,8] parameter(0) of an operand f32[4,8]{0,1} -> at p, "parameter 'p' has the layout {1,0},
/// the operand of fusion 'r' {0,1}: kernels use the former"
std::vector<support::Diagnostic> LayoutMismatches(const Module& module);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_LAYOUT_MISMATCHES_H_
