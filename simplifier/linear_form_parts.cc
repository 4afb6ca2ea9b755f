#include "simplifier/linear_form_parts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::simplifier {

using support::CheckedAdd;
using support::CheckedMul;

int AddOperations(int a, int b) { return std::min(a + b, kManyOperations); }

void Append(int64_t coefficient, const Factor* factor, LinearForm& form) {
  if (coefficient == 0) return;
  for (auto& [known_coefficient, known] : form.parts) {
    if (known != factor) continue;
    if (const std::optional<int64_t> sum = CheckedAdd(known_coefficient, coefficient)) {
      known_coefficient = *sum;
      return;
    }
  }
  form.parts.push_back({coefficient, factor});
}

std::optional<LinearForm> SumOf(LinearForm form, int64_t coefficient, const LinearForm& addend) {
  const std::optional<int64_t> offset = CheckedMul(coefficient, addend.constant);
  const std::optional<int64_t> constant =
      offset ? CheckedAdd(form.constant, *offset) : std::nullopt;
  if (!constant) return std::nullopt;
  form.constant = *constant;
  for (const auto& [part_coefficient, factor] : addend.parts) {
    const std::optional<int64_t> product = CheckedMul(coefficient, part_coefficient);
    if (!product) return std::nullopt;
    Append(*product, factor, form);
  }
  return form;
}

void CountOperations(LinearForm& form) {
  llvm::erase_if(form.parts, [](const auto& part) { return part.first == 0; });
  form.operations = 0;
  for (const auto& part : form.parts) {
    form.operations = AddOperations(form.operations, part.second->operations);
  }
}

bool IsShorter(const LinearForm& a, const LinearForm& b) {
  const auto length = [](const LinearForm& form) {
    const auto multiplications =
        llvm::count_if(form.parts, [](const auto& p) { return p.first != 1 && p.first != -1; });
    return std::tuple(form.operations, form.parts.size(), multiplications);
  };
  return length(a) < length(b);
}

}  // namespace hlo_indexing::simplifier
