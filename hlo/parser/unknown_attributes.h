// Attributes that the project does not know: the parser keeps them as text, as newer versions of
// XLA have more, but no shape, map or value follows from them.
#ifndef HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_
#define HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_

#include <vector>

#include "hlo/module.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

/// One diagnostic for each name of the header, a computation or an instruction that is unknown, at
/// its first place in the text; none for a module that was built.
/// Example: `slice(p), slice={[0:4]}, strides={1}` -> at `strides`, "unknown attribute 'strides' is
/// ignored"
std::vector<support::Diagnostic> UnknownAttributes(const Module& module);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_
