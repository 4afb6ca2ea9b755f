// Attributes that mean nothing where they stand: those that the project does not know, which the
// parser keeps as text, as newer versions of XLA have more, and those of other opcodes. No shape,
// map or value follows from them.
#ifndef HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_
#define HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_

#include <vector>

#include "hlo/module.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {

/// One diagnostic for each name of the header, a computation or an instruction that is unknown, and
/// for each pair of an opcode and an attribute that it does not have, at its first place in the
/// text; none for a module that was built.
/// Example: `slice(p), slice={[0:4]}, strides={1}` -> at `strides`, "unknown attribute 'strides' is
/// ignored"; `negate(p), dimensions={0}` -> "attribute 'dimensions' of 'negate' is ignored"
std::vector<support::Diagnostic> UnknownAttributes(const Module& module);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_UNKNOWN_ATTRIBUTES_H_
