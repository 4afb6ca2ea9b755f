#ifndef HLO_INDEXING_LAYOUT_CUTE_NAMESPACE_CUTE_H_
#define HLO_INDEXING_LAYOUT_CUTE_NAMESPACE_CUTE_H_

// The whole library as ::cute, for programs that open that namespace, which an alias does not
// allow:
//
//   #include "layout/cute/namespace_cute.h"   // before any other header of layout/cute
//   namespace cute {
//   template <>
//   struct MMA_Traits<MyInstruction> { ... };
//   }
#ifdef HLO_INDEXING_LAYOUT_CUTE_CONFIG_H_
#error "Include layout/cute/namespace_cute.h before the other headers of layout/cute."
#endif
#define HLO_INDEXING_CUTE_IS_NAMESPACE_CUTE 1
#include "layout/cute/tensor.h"

#endif  // HLO_INDEXING_LAYOUT_CUTE_NAMESPACE_CUTE_H_
