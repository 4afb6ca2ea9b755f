#include "codegen/emit/cuda_source.h"

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/cuda_function.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "support/status_macros.h"

namespace hlo_indexing::emit {

namespace llvm_ops = mlir::LLVM;
using llvm_ops::GlobalOp;
using llvm_ops::LLVMFuncOp;
using mlir::Type;

namespace {

constexpr unsigned kSharedSpace = 3;

// What the text has if it needs it, in this order.
struct Helper {
  const char* used;
  const char* text;
};
constexpr Helper kVectorHelpers[] = {{" = load<", R"(
// N elements, in one access: p is a multiple of their size.
template <int N, class T>
__device__ __forceinline__ auto load(const T* p) {
  auto values = make_tensor<T>(Int<N>{});
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, make_tensor(make_gmem_ptr(p), Int<N>{}), values);
  return values;
}
)"},
                                     {" store(", R"(
template <class T, class Layout>
__device__ __forceinline__ void store(const Tensor<T, Layout>& values, typename T::value_type* p) {
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, values, make_tensor(make_gmem_ptr(p), size(values)));
}
)"}};
constexpr Helper kNumberHelpers[] = {{"hlo::maximum(", R"(
// A number that is none goes before all others, and 0 before -0.
__device__ __forceinline__ float maximum(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ double maximum(double a, double b) { return a != a || b != b ? a + b : fmax(a, b); }
)"},
                                     {"hlo::minimum(", R"(
__device__ __forceinline__ float minimum(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ double minimum(double a, double b) { return a != a || b != b ? a + b : fmin(a, b); }
)"},
                                     {"hlo::approx_exp2(", R"(
__device__ __forceinline__ float approx_exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
)"},
                                     {"hlo::approx_reciprocal(", R"(
__device__ __forceinline__ float approx_reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
)"},
                                     {"parts<", R"(
template <class T>
struct parts {
  T v0;  // real
  T v1;  // imaginary
};
)"}};

template <size_t kCount>
std::string HelpersFor(llvm::StringRef code, const Helper (&helpers)[kCount]) {
  std::string text;
  for (const Helper& helper : helpers) {
    if (code.contains(helper.used)) text += helper.text;
  }
  return text;
}

class CudaModule {
 public:
  CudaModule(mlir::ModuleOp module, const CudaSource& source) : module_(module), source_(source) {}

  absl::StatusOr<std::string> Write() {
    std::string globals;
    for (GlobalOp global : module_.getOps<GlobalOp>()) {
      HLO_INDEXING_RETURN_IF_ERROR(WriteGlobal(global, globals));
    }
    std::string functions;
    std::string kernel;
    for (LLVMFuncOp function : module_.getOps<LLVMFuncOp>()) {
      const bool is_kernel = function->hasAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName());
      llvm::raw_string_ostream out(is_kernel ? kernel : functions);
      HLO_INDEXING_RETURN_IF_ERROR(is_kernel ? WriteKernel(function, out)
                                             : WriteFunction(function, out));
    }
    const std::string code = functions + kernel;
    functions = HelpersFor(code, kNumberHelpers) + functions;
    std::string text =
        "#include <cstdint>\n\n#include \"layout/cute/tensor.h\"\n\n"
        "using namespace hlo_indexing::cute;\n";
    text += HelpersFor(code, kVectorHelpers);
    if (!globals.empty()) absl::StrAppend(&text, "\n", globals);
    if (!functions.empty()) {
      absl::StrAppend(&text, "\n// The functions of HLO, as its kernels compute them everywhere.\n",
                      "namespace hlo {\n", functions, "\n}  // namespace hlo\n");
    }
    return absl::StrCat(text, "\n", kernel);
  }

 private:
  // As what the elements of an array are accessed; bytes, if that is not one type.
  Type ElementOf(GlobalOp global) {
    Type element;
    bool is_one = true;
    module_.walk([&](llvm_ops::AddressOfOp address) {
      if (address.getGlobalName() != global.getSymName()) return;
      for (mlir::Operation* const user : address.getResult().getUsers()) {
        auto place = mlir::dyn_cast<llvm_ops::GEPOp>(user);
        const Type type = place ? CountedElement(place) : Type();
        is_one = is_one && type && (!element || element == type);
        element = type;
      }
    });
    return is_one && element ? element : Type(mlir::IntegerType::get(module_.getContext(), 8));
  }

  static int64_t BytesOf(GlobalOp global) {
    const auto array = mlir::cast<llvm_ops::LLVMArrayType>(global.getGlobalType());
    return static_cast<int64_t>(array.getNumElements()) *
           array.getElementType().getIntOrFloatBitWidth() / 8;
  }

  absl::Status WriteGlobal(GlobalOp global, std::string& text) {
    if (global.getAddrSpace() == kSharedSpace) return absl::OkStatus();
    const auto values = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(global.getValueOrNull());
    if (!values) return absl::UnimplementedError("a constant has no values in CUDA C++");
    // As integers, which are constant whatever the bits are.
    const unsigned bits = values.getElementType().getIntOrFloatBitWidth();
    const std::string element =
        CudaType(mlir::IntegerType::get(module_.getContext(), bits), /*is_signed=*/false);
    absl::StrAppend(&text, "__device__ __align__(", global.getAlignment().value_or(16), ") const ",
                    element, " ", global.getSymName().str(), "[", values.getNumElements(), "] = {");
    const auto append = [&](const llvm::APInt& value, size_t i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", i % 12 == 0 ? "\n    " : " ");
      absl::StrAppend(&text, "0x", absl::Hex(value.getZExtValue()), bits == 64 ? "ull" : "");
    };
    size_t i = 0;
    if (mlir::isa<mlir::FloatType>(values.getElementType())) {
      for (const llvm::APFloat& value : values.getValues<llvm::APFloat>()) {
        append(value.bitcastToAPInt(), i++);
      }
    } else {
      for (const llvm::APInt& value : values.getValues<llvm::APInt>()) append(value, i++);
    }
    text += "};\n";
    globals_.push_back({global.getSymName().str(), {global.getSymName().str(), element, true}});
    return absl::OkStatus();
  }

  void Prepare(CudaFunction& function) {
    for (const auto& [symbol, array] : globals_) function.expressions().DefineGlobal(symbol, array);
  }

  absl::Status WriteFunction(LLVMFuncOp function, llvm::raw_ostream& out) {
    const SourceLines none;
    CudaFunction written(function, none, out);
    Prepare(written);
    const Type result = function.getFunctionType().getReturnType();
    const auto parts = mlir::dyn_cast<llvm_ops::LLVMStructType>(result);
    out << "\n__device__ __forceinline__ ";
    out << (parts ? absl::StrCat("parts<", CudaType(parts.getBody()[0], false), ">")
                  : CudaType(result, /*is_signed=*/false));
    out << ' ' << function.getSymName().split('.').first << '(';
    constexpr const char* kNames[] = {"x", "y", "z", "w"};
    for (const mlir::BlockArgument argument : function.getArguments()) {
      const unsigned i = argument.getArgNumber();
      const std::string name = written.names().Take(kNames[std::min(i, 3U)]);
      out << (i == 0 ? "" : ", ") << CudaType(argument.getType(), /*is_signed=*/false) << ' '
          << name;
      written.expressions().Define(argument, {name, kPrimary, /*is_signed=*/false});
    }
    out << ") {\n";
    written.WriteBody();
    out << "}\n";
    return written.status();
  }

  absl::Status WriteKernel(LLVMFuncOp function, llvm::raw_ostream& out) {
    CudaFunction written(function, source_.lines, out);
    Prepare(written);
    const auto threads = function->getAttrOfType<mlir::DenseI32ArrayAttr>(
        mlir::NVVM::NVVMDialect::getReqntidAttrName());
    int64_t per_block = 1;
    for (const int32_t size : threads.asArrayRef()) per_block *= size;
    // Nothing else is called as the kernel.
    written.names().Take(function.getSymName());
    out << "extern \"C\" __global__ void __launch_bounds__(" << per_block << ")\n";
    out << function.getSymName() << '(';
    for (const mlir::BlockArgument argument : function.getArguments()) {
      const unsigned i = argument.getArgNumber();
      const CudaArgument& described = source_.arguments[i];
      const bool is_const =
          function.getArgAttr(i, llvm_ops::LLVMDialect::getReadonlyAttrName()) != nullptr;
      const bool is_alone =
          function.getArgAttr(i, llvm_ops::LLVMDialect::getNoAliasAttrName()) != nullptr;
      const std::string taken = written.names().Take(described.name);
      out << (i == 0 ? "" : ", ") << (is_const ? "const " : "") << described.element << '*'
          << (is_alone ? " __restrict__ " : " ") << taken;
      written.expressions().DefineArray(argument, {taken, described.element, is_const});
    }
    out << ") {\n";
    for (GlobalOp global : module_.getOps<GlobalOp>()) {
      if (global.getAddrSpace() != kSharedSpace) continue;
      const Type element = ElementOf(global);
      const std::string tile = written.names().Take("tile");
      const std::string type = CudaType(element, /*is_signed=*/false);
      const int64_t count = BytesOf(global) * 8 / element.getIntOrFloatBitWidth();
      out << "  __shared__ __align__(16) " << type << ' ' << tile << '[' << count << "];\n";
      written.expressions().DefineGlobal(global.getSymName(), {tile, type});
    }
    written.WriteBody();
    out << "}\n";
    return written.status();
  }

  mlir::ModuleOp module_;
  const CudaSource& source_;
  std::vector<std::pair<std::string, CudaArray>> globals_;
};

}  // namespace

absl::StatusOr<std::string> WriteCuda(mlir::ModuleOp module, const CudaSource& source) {
  return CudaModule(module, source).Write();
}

}  // namespace hlo_indexing::emit
