#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

struct TypeFacts {
  Type type;
  std::string_view name;
  int bits;
  bool is_float;
  bool is_signed;
};

constexpr std::array<TypeFacts, 31> kTypes = {{
    {Type::kPred, "pred", 1, false, false},    {Type::kB8, "b8", 8, false, false},
    {Type::kB16, "b16", 16, false, false},     {Type::kB32, "b32", 32, false, false},
    {Type::kB64, "b64", 64, false, false},     {Type::kB128, "b128", 128, false, false},
    {Type::kU8, "u8", 8, false, false},        {Type::kU16, "u16", 16, false, false},
    {Type::kU32, "u32", 32, false, false},     {Type::kU64, "u64", 64, false, false},
    {Type::kS8, "s8", 8, false, true},         {Type::kS16, "s16", 16, false, true},
    {Type::kS32, "s32", 32, false, true},      {Type::kS64, "s64", 64, false, true},
    {Type::kU16x2, "u16x2", 32, false, false}, {Type::kS16x2, "s16x2", 32, false, true},
    {Type::kF16, "f16", 16, true, true},       {Type::kBf16, "bf16", 16, true, true},
    {Type::kTf32, "tf32", 32, true, true},     {Type::kF32, "f32", 32, true, true},
    {Type::kF64, "f64", 64, true, true},       {Type::kF16x2, "f16x2", 32, true, true},
    {Type::kBf16x2, "bf16x2", 32, true, true}, {Type::kF32x2, "f32x2", 64, true, true},
    {Type::kE4m3, "e4m3", 8, true, true},      {Type::kE5m2, "e5m2", 8, true, true},
    {Type::kE4m3x2, "e4m3x2", 16, true, true}, {Type::kE5m2x2, "e5m2x2", 16, true, true},
    {Type::kS4, "s4", 4, false, true},         {Type::kU4, "u4", 4, false, false},
    {Type::kB1, "b1", 1, false, false},
}};

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<size_t>(kTypes[i].type) != i) return false;
  }
  return static_cast<size_t>(Type::kB1) + 1 == kTypes.size();
}
static_assert(IsInOrder());

const TypeFacts& FactsOf(Type type) { return kTypes[static_cast<size_t>(type)]; }

}  // namespace

std::optional<Type> TypeNamed(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const TypeFacts& t) { return t.name == name; });
  if (found == kTypes.end()) return std::nullopt;
  return found->type;
}

std::string_view NameOf(Type type) { return FactsOf(type).name; }
int BitWidth(Type type) { return FactsOf(type).bits; }
bool IsFloat(Type type) { return FactsOf(type).is_float; }
bool IsSigned(Type type) { return FactsOf(type).is_signed; }

std::string_view NameOf(Space space) {
  constexpr std::array<std::string_view, 6> kNames = {"generic", "const", "global",
                                                      "local",   "param", "shared"};
  return kNames[static_cast<size_t>(space)];
}

namespace syntax {

std::string Register::FullName() const {
  std::string result(name);
  if (number >= 0) result += std::to_string(number);
  if (component >= 0) {
    result += '.';
    result += std::string_view("xyzw")[static_cast<size_t>(component)];
  }
  return result;
}

}  // namespace syntax
}  // namespace hlo_indexing::ptx
