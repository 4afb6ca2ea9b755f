// What error messages about a text are made of. Internal to the parser; ErrorAt is in parser.h.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_DIAGNOSTICS_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_DIAGNOSTICS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace hlo_indexing::ptx::syntax {

/// The texts one after the other.
std::string Concat(std::initializer_list<std::string_view> texts);

/// The text in quotes, cut to 60 bytes, with control and other bytes that are no ASCII replaced.
/// Example: Quoted("%r1") -> "'%r1'"
std::string Quoted(std::string_view text);

/// The name of a directive, type or modifier, with its dot: QuotedDotted("u32") -> "'.u32'"
std::string QuotedDotted(std::string_view name);

/// `; did you mean 'NAME'?` with the candidate nearest to `word`, or an empty text if none is near
/// enough to be a likely misspelling. Ends an error message.
/// Example: DidYouMean("vizible", {"extern", "visible"}) -> "; did you mean 'visible'?"
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates);

/// The same of directives, all without their dots, with which the nearest is shown.
std::string DidYouMeanDotted(std::string_view word,
                             const std::vector<std::string_view>& candidates);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_DIAGNOSTICS_H_
