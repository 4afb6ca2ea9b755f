#include "codegen/emit/cuda_names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::emit {
namespace {

// Keywords of C++, and what the code calls or CUDA defines as macros.
constexpr llvm::StringRef kReserved[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "auto",
                                         "bfloat16_t",
                                         "bitand",
                                         "bitor",
                                         "blockDim",
                                         "blockIdx",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "class",
                                         "compl",
                                         "composition",
                                         "const",
                                         "const_cast",
                                         "constexpr",
                                         "continue",
                                         "copy",
                                         "cute",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "fabs",
                                         "fabsf",
                                         "false",
                                         "float",
                                         "floor",
                                         "floorf",
                                         "fma",
                                         "fmaf",
                                         "for",
                                         "friend",
                                         "goto",
                                         "gridDim",
                                         "half_t",
                                         "hlo",
                                         "if",
                                         "inline",
                                         "int",
                                         "load",
                                         "long",
                                         "make_tensor",
                                         "max",
                                         "min",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "sqrt",
                                         "sqrtf",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "store",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "threadIdx",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "union",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "warpSize",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq",
                                         "linux",
                                         "unix",
                                         "signbit",
                                         "isnan",
                                         "isinf",
                                         "ceil",
                                         "ceilf",
                                         "trunc",
                                         "truncf",
                                         "rint",
                                         "rintf",
                                         "Tensor",
                                         "main"};

}  // namespace

bool CudaNames::IsTaken(llvm::StringRef name) const {
  if (llvm::is_contained(kReserved, name)) return true;
  return llvm::any_of(scopes_, [&](const auto& scope) { return scope.contains(name); });
}

std::string CudaNames::Take(llvm::StringRef wanted) {
  std::string name = wanted.str();
  for (char& c : name) {
    if (!llvm::isAlnum(c)) c = '_';
  }
  // Two underscores, and one before a capital letter, are the compiler's.
  std::string single;
  for (const char c : name) {
    if (c != '_' || (!single.empty() && single.back() != '_')) single += c;
  }
  if (single.empty() || llvm::isDigit(single.front())) single = "v" + single;
  name = single;
  // Where there are many of a name, the first numbers are not tried again.
  constexpr int kMany = 64;
  int& last = last_number_[single];
  int number = last > kMany ? last : 1;
  while (IsTaken(name)) name = absl::StrCat(single, single.back() == '_' ? "" : "_", ++number);
  last = std::max(last, number);
  scopes_.back().insert(name);
  return name;
}

}  // namespace hlo_indexing::emit
