#include "hlo/element_type.h"

#include "llvm/ADT/StringMap.h"

namespace hlo_indexing::hlo {
namespace {

struct ElementTypeRow {
  llvm::StringRef name;
  int64_t bits;
  ElementClass element_class;
};

// In the order of ElementType.
// clang-format off
constexpr ElementTypeRow kRows[] = {
    {"pred", 1, ElementClass::kPredicate},
    {"s1", 1, ElementClass::kSigned},
    {"s2", 2, ElementClass::kSigned},
    {"s4", 4, ElementClass::kSigned},
    {"s8", 8, ElementClass::kSigned},
    {"s16", 16, ElementClass::kSigned},
    {"s32", 32, ElementClass::kSigned},
    {"s64", 64, ElementClass::kSigned},
    {"u1", 1, ElementClass::kUnsigned},
    {"u2", 2, ElementClass::kUnsigned},
    {"u4", 4, ElementClass::kUnsigned},
    {"u8", 8, ElementClass::kUnsigned},
    {"u16", 16, ElementClass::kUnsigned},
    {"u32", 32, ElementClass::kUnsigned},
    {"u64", 64, ElementClass::kUnsigned},
    {"f4e2m1fn", 4, ElementClass::kFloat},
    {"f8e3m4", 8, ElementClass::kFloat},
    {"f8e4m3", 8, ElementClass::kFloat},
    {"f8e4m3b11fnuz", 8, ElementClass::kFloat},
    {"f8e4m3fn", 8, ElementClass::kFloat},
    {"f8e4m3fnuz", 8, ElementClass::kFloat},
    {"f8e5m2", 8, ElementClass::kFloat},
    {"f8e5m2fnuz", 8, ElementClass::kFloat},
    {"f8e8m0fnu", 8, ElementClass::kFloat},
    {"bf16", 16, ElementClass::kFloat},
    {"f16", 16, ElementClass::kFloat},
    {"f32", 32, ElementClass::kFloat},
    {"f64", 64, ElementClass::kFloat},
    {"c64", 64, ElementClass::kComplex},
    {"c128", 128, ElementClass::kComplex},
    {"token", 0, ElementClass::kNone},
    {"opaque", 0, ElementClass::kNone},
    {"tuple", 0, ElementClass::kNone},
    {"b", 0, ElementClass::kNone},
};
// clang-format on

const ElementTypeRow& Row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

llvm::StringRef ElementTypeName(ElementType type) { return Row(type).name; }

std::optional<ElementType> ParseElementType(llvm::StringRef name) {
  static const llvm::StringMap<ElementType>* const types = [] {
    auto* map = new llvm::StringMap<ElementType>();
    for (auto type = ElementType::kPred; type <= ElementType::kOpaque;
         type = static_cast<ElementType>(static_cast<int>(type) + 1)) {
      (*map)[ElementTypeName(type)] = type;
    }
    return map;
  }();
  const auto found = types->find(name);
  if (found == types->end()) return std::nullopt;
  return found->second;
}

int64_t ElementBits(ElementType type) { return Row(type).bits; }

int64_t DefaultStorageBits(ElementType type) { return (ElementBits(type) + 7) / 8 * 8; }

ElementClass ClassOf(ElementType type) { return Row(type).element_class; }

ElementType RealPartType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

const llvm::fltSemantics* FloatSemantics(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return &llvm::APFloat::Float4E2M1FN();
    case ElementType::kF8E3M4:
      return &llvm::APFloat::Float8E3M4();
    case ElementType::kF8E4M3:
      return &llvm::APFloat::Float8E4M3();
    case ElementType::kF8E4M3B11FNUZ:
      return &llvm::APFloat::Float8E4M3B11FNUZ();
    case ElementType::kF8E4M3FN:
      return &llvm::APFloat::Float8E4M3FN();
    case ElementType::kF8E4M3FNUZ:
      return &llvm::APFloat::Float8E4M3FNUZ();
    case ElementType::kF8E5M2:
      return &llvm::APFloat::Float8E5M2();
    case ElementType::kF8E5M2FNUZ:
      return &llvm::APFloat::Float8E5M2FNUZ();
    case ElementType::kF8E8M0FNU:
      return &llvm::APFloat::Float8E8M0FNU();
    case ElementType::kBF16:
      return &llvm::APFloat::BFloat();
    case ElementType::kF16:
      return &llvm::APFloat::IEEEhalf();
    case ElementType::kF32:
      return &llvm::APFloat::IEEEsingle();
    case ElementType::kF64:
      return &llvm::APFloat::IEEEdouble();
    default:
      return nullptr;
  }
}

}  // namespace hlo_indexing::hlo
