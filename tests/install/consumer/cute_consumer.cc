// Needs the headers of layout/cute alone.
#include "layout/cute/tensor.h"

namespace cute = hlo_indexing::layout::cute;

int main() {
  using namespace cute;  // NOLINT: as kernels do
  print(zipped_divide(make_layout(make_shape(24, 8)), Shape<_8, _4>{}));
  return 0;
}
