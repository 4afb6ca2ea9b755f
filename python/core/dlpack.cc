// Arrays of element types that NumPy lacks, for those who speak DLPack.
#include "python/core/bindings.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

namespace {

// The memory of an array, whose elements are of another type of DLPack with as many bits. Becomes
// a capsule, which keeps the array alive.
nb::ndarray<> WithTypeCode(const nb::object& array, uint8_t code) {
  const auto bits = nb::cast<nb::ndarray<nb::device::cpu>>(array);
  std::vector<size_t> sizes;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < bits.ndim(); ++i) {
    sizes.push_back(bits.shape(i));
    strides.push_back(bits.stride(i));
  }
  nb::dlpack::dtype type = bits.dtype();
  type.code = code;
  return nb::ndarray<>(bits.data(), sizes.size(), sizes.data(), array, strides.data(), type);
}

}  // namespace

void BindDlpack(nb::module_& module) {
  module.def("with_type_code", &WithTypeCode, "array"_a, "code"_a,
             "A capsule of DLPack with the memory of an array, its elements of that type code.");
}

}  // namespace hlo_indexing::python
