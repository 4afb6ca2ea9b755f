// Whether what the header of a module says of its entry computation is so; private to the folder.
#ifndef HLO_INDEXING_HLO_PARSER_MODULE_HEADER_H_
#define HLO_INDEXING_HLO_PARSER_MODULE_HEADER_H_

#include "hlo/parser/state.h"

namespace hlo_indexing::hlo {

/// Checks `entry_computation_layout` and `input_output_alias` against the module's entry, which has
/// been parsed. False after an error.
bool CheckHeader(ParseState& state);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_MODULE_HEADER_H_
