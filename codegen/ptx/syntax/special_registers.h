// The names of special registers (§10). Internal to the parser and the printer.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_SPECIAL_REGISTERS_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_SPECIAL_REGISTERS_H_

#include <string_view>
#include <vector>

namespace hlo_indexing::ptx::syntax {

/// Without the component. Examples: "%tid", "%envreg31"
bool IsSpecialRegister(std::string_view name);
/// Whether `.x`, `.y` and `.z` follow the name. Example: "%tid"
bool HasDimensions(std::string_view name);
/// All but %envreg0 to %envreg31.
std::vector<std::string_view> SpecialRegisterNames();

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_SPECIAL_REGISTERS_H_
