// What the tests of the parser share: a text as the body of a kernel, and its error.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_SYNTAX_PARSING_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_SYNTAX_PARSING_H_

#include <string>
#include <string_view>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::testing {

/// A module that is read, with the text that it views.
struct ParsedModule {
  std::string text;
  ptx::syntax::Module module;

  /// The last function, which has a body in most tests.
  const ptx::syntax::Function& function() const { return module.functions.back(); }
  /// The instruction as the printer writes it.
  std::string Line(size_t instruction) const;
};

/// A module's text of which the version and target are left out, which are the first line.
std::string WithHeader(std::string_view declarations);
/// The same of `body` in a kernel, whose first line has the registers %p<8>, %r<16>, %rd<8>, %f<8>.
std::string WithKernel(std::string_view body);

/// The module, which must be right and print to a text that is read as an equal one.
ParsedModule Parse(std::string text);
/// The message of the text's error; a failure of the test where there is none.
std::string ErrorOf(std::string_view text);
/// "line:column: message" of the error of WithHeader(declarations), and of WithKernel(body); lines
/// count from the declarations' and the body's first, as 1.
std::string DeclarationError(std::string_view declarations);
std::string BodyError(std::string_view body);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_SYNTAX_PARSING_H_
