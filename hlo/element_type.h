// The element types of XLA arrays, with their sizes and classes.
#ifndef HLO_INDEXING_HLO_ELEMENT_TYPE_H_
#define HLO_INDEXING_HLO_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// XLA's primitive types. The last four are no element types: they say that a shape is no array.
enum class ElementType : uint8_t {
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3B11FNUZ,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kToken,
  kOpaque,
  kTuple,
  kBuffer,
};

enum class ElementClass : uint8_t {
  kPredicate,
  kSigned,
  kUnsigned,
  kFloat,
  kComplex,
  kNone,  // token, opaque, tuple, buffer
};

/// The name in HLO text.
/// Example: kF8E4M3FN -> "f8e4m3fn"
llvm::StringRef ElementTypeName(ElementType type);

/// The type of that name; nullopt for other words, tuple and buffer included.
/// Example: "bf16" -> kBF16
std::optional<ElementType> ParseElementType(llvm::StringRef name);

/// Bits of one value: 1 for pred, 64 for c64, 0 for token, opaque, tuple and buffer.
int64_t ElementBits(ElementType type);

/// Bits of one element in memory if the layout does not say otherwise: whole bytes.
/// Example: kPred -> 8, kS4 -> 8, kF32 -> 32
int64_t DefaultStorageBits(ElementType type);

ElementClass ClassOf(ElementType type);

inline bool IsIntegral(ElementType type) {
  return ClassOf(type) == ElementClass::kSigned || ClassOf(type) == ElementClass::kUnsigned;
}

/// The type of the real part: kF32 of kC64, kF64 of kC128, any other type itself.
ElementType RealPartType(ElementType type);

/// How a float type stores its values; null for other types.
const llvm::fltSemantics* FloatSemantics(ElementType type);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_ELEMENT_TYPE_H_
