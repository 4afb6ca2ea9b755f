// Functions of the calculator that show layouts and convert them.
#include "layout/cute_functions.h"

namespace hlo_indexing::layout {

llvm::ArrayRef<CuteFunction> CuteViewFunctions() { return {}; }

}  // namespace hlo_indexing::layout
