// Writes a module as PTX text, to look at and to change in tests.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_PRINTER_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_PRINTER_H_

#include <string>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

/// PTX text that ParseModule reads as an equal module. A function is one scope, so registers,
/// variables and labels of equal names get new ones (`x$1`); arrays have one dimension; constant
/// expressions are their values, and what a module does not hold (linkage, pragmas, debug sections)
/// is left out. Two modules that print to the same text are equal but for places.
/// Example: `@p add.s32 %r1,%r2 , 2*3;` -> `@p add.s32 %r1, %r2, 6;`
std::string Print(const Module& module);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_PRINTER_H_
