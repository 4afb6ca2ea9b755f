// Arithmetic on the parts of linear forms.
#ifndef HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_PARTS_H_
#define HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_PARTS_H_

#include <cstdint>
#include <optional>

#include "simplifier/linear_form.h"

namespace hlo_indexing::simplifier {

/// a + b, at most kManyOperations.
int AddOperations(int a, int b);

/// Adds coefficient * factor to the form, whose operations are not counted anew.
void Append(int64_t coefficient, const Factor* factor, LinearForm& form);

/// form + coefficient * addend, whose operations are not counted; nullopt on overflow.
std::optional<LinearForm> SumOf(LinearForm form, int64_t coefficient, const LinearForm& addend);

/// Leaves out parts with coefficient 0 and counts the operations of the others.
void CountOperations(LinearForm& form);

/// Whether a has fewer divisions and remainders; or as many and fewer parts, or as many of these,
/// too, and fewer multiplications.
bool IsShorter(const LinearForm& a, const LinearForm& b);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_LINEAR_FORM_PARTS_H_
