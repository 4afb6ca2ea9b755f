// The examples of CuTe's document on tensors as one program that prints what they give, a line
// "name<TAB>text" each. bench/cute_compile_time.sh measures what it costs to compile;
// check_facts.py compares what it prints. nvcc -x cu makes a kernel of them.
#include "layout/cute/tensor.h"

using namespace hlo_indexing::layout::cute;  // NOLINT: the examples are written so

namespace {

template <class T>
HLO_CUTE_HD void Line(const char* name, T const& value) {
  print(name);
  print("\t");
  print(value);
  print("\n");
}
template <class T>
HLO_CUTE_HD void Elements(T const& tensor, int count) {
  for (int i = 0; i < count; ++i) printf("%d ", static_cast<int>(tensor(i)));
}
template <class T>
HLO_CUTE_HD void LineOfElements(const char* name, T const& tensor, int count) {
  printf("%s\t", name);
  Elements(tensor, count);
  printf("\n");
}

HLO_CUTE_HD void Creation() {
  alignas(16) static float storage[512];
  float* A = storage;
  void* untyped = storage;
  void const* constant = storage;
  Tensor tensor_8 = make_tensor(A, make_layout(Int<8>{}));
  Tensor tensor_8s = make_tensor(A, Int<8>{});
  Tensor tensor_8d2 = make_tensor(A, 8, 2);
  Tensor gmem_8s = make_tensor(make_gmem_ptr(A), Int<8>{});
  Tensor gmem_8d = make_tensor(make_gmem_ptr(A), 8);
  Tensor gmem_8sx16d = make_tensor(make_gmem_ptr(A), make_shape(Int<8>{}, 16));
  Tensor gmem_8dx16s =
      make_tensor(make_gmem_ptr(A), make_shape(8, Int<16>{}), make_stride(Int<16>{}, Int<1>{}));
  Layout smem_layout = make_layout(make_shape(Int<4>{}, Int<8>{}));
  static float smem[decltype(cosize(smem_layout))::value];
  Tensor smem_4x8_col = make_tensor(make_smem_ptr(smem), smem_layout);
  Tensor smem_4x8_row = make_tensor(make_smem_ptr(smem), shape(smem_layout), LayoutRight{});
  printf("smem_count\t%d\n", static_cast<int>(sizeof(smem) / sizeof(float)));
  Line("tensor_8", tensor_8);
  Line("tensor_8s", tensor_8s);
  Line("tensor_8d2", tensor_8d2);
  Line("gmem_8s", gmem_8s);
  Line("gmem_8d", gmem_8d);
  Line("gmem_8sx16d", gmem_8sx16d);
  Line("gmem_8dx16s", gmem_8dx16s);
  Line("smem_4x8_col", smem_4x8_col);
  Line("smem_4x8_row", smem_4x8_row);
  Line("make_gmem_ptr<T>(void*)", make_tensor(make_gmem_ptr<float>(untyped), Int<8>{}));
  Line("make_gmem_ptr<double>(void const*)",
       make_tensor(make_gmem_ptr<double>(constant), Int<8>{}));
  Line("make_smem_ptr<half>", make_tensor(make_smem_ptr<half_t>(untyped), Int<8>{}));
  Line("make_gmem_ptr<int4>", make_tensor(make_gmem_ptr<int4b_t>(untyped), Int<8>{}));
  Line("idempotent", make_tensor(make_gmem_ptr(make_gmem_ptr(A)), Int<8>{}));
  using Gmem = decltype(make_gmem_ptr(A));
  using Smem = decltype(make_smem_ptr(A));
  printf("is_gmem/smem/rmem\t%d %d %d %d %d\n", static_cast<int>(is_gmem<Gmem>::value),
         static_cast<int>(is_gmem<Smem>::value), static_cast<int>(is_gmem<float*>::value),
         static_cast<int>(is_smem<Smem>::value), static_cast<int>(is_rmem<float*>::value));

  Tensor rmem_4x8_col = make_tensor<float>(Shape<_4, _8>{});
  Tensor rmem_4x8_row = make_tensor<float>(Shape<_4, _8>{}, LayoutRight{});
  Tensor rmem_4x8_pad = make_tensor<float>(Shape<_4, _8>{}, Stride<_2, _32>{});
  Tensor rmem_4x8_pad_repo = make_tensor<float>(Shape<_4, _8>{}, Stride<_32, _2>{});
  Line("rmem_4x8_col", rmem_4x8_col);
  Line("rmem_4x8_row", rmem_4x8_row);
  Line("rmem_4x8_pad", rmem_4x8_pad);
  Line("rmem_4x8_pad_repo", rmem_4x8_pad_repo);
  Line("rmem_4x8_like(of pad 2,32)", make_tensor_like(rmem_4x8_pad));
  Line("rmem_4x8_like_repo(of pad 32,2)", make_tensor_like(rmem_4x8_pad_repo));
  Line("rmem_like(smem_4x8_row)", make_tensor_like(smem_4x8_row));
  Tensor owner = make_tensor<int>(Shape<_4>{});
  owner(0) = 1;
  auto copied = owner;
  copied(0) = 2;
  printf("deep copy\t%d %d\n", owner(0), copied(0));
  auto view = owner(_);
  auto same = view;
  same(0) = 2;
  printf("view copy\t%d %d\n", view(0), same(0));
  Line("slice of owning", rmem_4x8_col(_, 2));
}

HLO_CUTE_HD void Access() {
  static int storage[260];
  int* b_ptr = storage;
  Tensor A = make_tensor<int>(Shape<Shape<_4, _5>, _13>{}, Stride<Stride<_12, _1>, _64>{});
  Tensor B = make_tensor(b_ptr, make_shape(13, 20));
  for (int m0 = 0; m0 < size<0, 0>(A); ++m0) {
    for (int m1 = 0; m1 < size<0, 1>(A); ++m1) {
      for (int n = 0; n < size<1>(A); ++n) A[make_coord(make_coord(m0, m1), n)] = n + 2 * m0;
    }
  }
  LineOfElements("A(1D)", A, 40);
  for (int m = 0; m < size<0>(A); ++m) {
    for (int n = 0; n < size<1>(A); ++n) B(n, m) = A(m, n);
  }
  LineOfElements("B(1D)", B, 40);
  for (int i = 0; i < A.size(); ++i) A[i] = B[i];
  LineOfElements("A after copy", A, 40);
  int64_t checksum = 0;
  for (int i = 0; i < A.size(); ++i) checksum += static_cast<int64_t>(i + 1) * A[i];
  Line("A checksum", checksum);
  Line("A", A.layout());
  Line("B", B.layout());
  Line("A.size()", A.size());
  Line("B.size()", B.size());
  Line("rank(A)", rank(A));
  Line("depth(A)", depth(A));
  Line("shape<0,1>(A)", shape<0, 1>(A));
  Line("size<0>(A)", size<0>(A));
  Line("layout<0>(A)", layout<0>(A));
  Line("rank<0>(A)", rank<0>(A));
  Line("depth<0>(A)", depth<0>(A));
  Line("depth<1>(A)", depth<1>(A));
  Line("tensor<0>(A).layout", tensor<0>(A).layout());
  Line("tensor<0,1>(A).layout", tensor<0, 1>(A).layout());
  Line("stride<0>(A)", stride<0>(A));
  Line("cosize(A.layout())", cosize(A.layout()));
}

HLO_CUTE_HD void Slicing() {
  const auto ptr = counting_iterator<int>{0};
  Tensor A =
      make_tensor(ptr, make_shape(make_shape(Int<3>{}, 2), make_shape(2, Int<5>{}, Int<2>{})),
                  make_stride(make_stride(4, 1), make_stride(Int<2>{}, 13, 100)));
  Tensor B = A(2, _);
  Tensor C = A(_, 5);
  Tensor D = A(make_coord(_, _), 5);
  Tensor E = A(make_coord(2, _), make_coord(_, 3, _));
  Line("slice.A", A);
  Line("slice.B=A(2,_)", B);
  LineOfElements("B.values", B, static_cast<int>(size(B)));
  Line("slice.C=A(_,5)", C);
  LineOfElements("C.values", C, static_cast<int>(size(C)));
  Line("slice.D=A((_,_),5)", D);
  LineOfElements("D.values", D, static_cast<int>(size(D)));
  Line("slice.E=A((2,_),(_,3,_))", E);
  LineOfElements("E.values", E, static_cast<int>(size(E)));
  Line("A(_,_)", A(_, _));
  Line("A(_)", A(_));
  Line("A.layout()(2,_)", A.layout()(2, _));
  Line("A(_,make_coord(_,_,_))", A(_, make_coord(_, _, _)));
  Line("A(Int<2>{},_)", A(Int<2>{}, _));
  Line("A(make_coord(2,1),_)", A(make_coord(2, 1), _));
  Line("A(_,make_coord(1,3,1))", A(_, make_coord(1, 3, 1)));
}

HLO_CUTE_HD void Partitioning() {
  const auto ptr = counting_iterator<int>{0};
  Tensor A = make_tensor(ptr, make_shape(24, 8));
  auto tiler = Shape<_8, _4>{};
  Tensor tiled_a = zipped_divide(A, tiler);
  Line("part.A", A);
  Line("part.tiled_a", tiled_a);
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      Tensor cta_a = tiled_a(make_coord(_, _), make_coord(x, y));
      printf("cta(%d,%d)\t", x, y);
      print(cta_a);
      print("  inner_partition=");
      print(inner_partition(A, tiler, make_coord(x, y)));
      print("  local_tile=");
      print(local_tile(A, tiler, make_coord(x, y)));
      print("\n");
    }
  }
  for (int thread = 0; thread < 32; thread += 5) {
    Tensor thr_a = tiled_a(thread, make_coord(_, _));
    printf("thr(%d)\t", thread);
    print(thr_a);
    print("  outer_partition=");
    print(outer_partition(A, tiler, thread));
    print(" local_partition(col)=");
    print(local_partition(A, make_layout(tiler), thread));
    print(" local_partition(row)=");
    print(local_partition(A, make_layout(tiler, LayoutRight{}), thread));
    print("\n");
  }
  Line("local_tile(A,tiler,5)", local_tile(A, tiler, 5));
  Line("local_tile(A,tiler,(1,_))", local_tile(A, tiler, make_coord(1, _)));
  Line("logical_divide", logical_divide(A, tiler));
  Line("tiled_divide", tiled_divide(A, tiler));
  Line("flat_divide", flat_divide(A, tiler));
  Line("composition", composition(A, tiler));

  auto tv_layout =
      Layout<Shape<Shape<_2, _4>, Shape<_2, _2>>, Stride<Stride<_8, _1>, Stride<_4, _16>>>{};
  Tensor T = make_tensor<float>(Shape<_4, _8>{}, LayoutRight{});
  for (int i = 0; i < 32; ++i) T.data()[i] = static_cast<float>(i);
  Tensor tv = composition(T, tv_layout);
  Line("tv_layout", tv_layout);
  Line("tv", tv.layout());
  for (int thread = 0; thread < 8; ++thread) {
    Tensor v = tv(thread, _);
    printf("v[%d]\t", thread);
    print(v.layout());
    for (int i = 0; i < 4; ++i) printf(" %d", static_cast<int>(v(i)));
    print("\n");
  }
  Line("inverse tv (right)", right_inverse(tv_layout));
  Line("inverse tv with_shape(4,8)", right_inverse(tv_layout).with_shape(Int<4>{}, Int<8>{}));
  Line("left", left_inverse(tv_layout));
}

// The sum of (j + 1) * (i + 1) * element i of tile j, what the document's do_something stands for.
template <class Rmem>
HLO_CUTE_HD int64_t DoSomething(Rmem const& rmem, int j) {
  int64_t sum = 0;
  for (int i = 0; i < size(rmem); ++i) {
    sum += static_cast<int64_t>(j + 1) * (i + 1) * static_cast<int64_t>(rmem(i));
  }
  return sum;
}

HLO_CUTE_HD void Copies() {
  static float storage[24 * 16];
  for (int i = 0; i < 24 * 16; ++i) storage[i] = static_cast<float>(i);
  float* ptr = storage;
  {
    Tensor gmem = make_tensor(ptr, make_shape(Int<8>{}, 16));
    Tensor rmem = make_tensor_like(gmem(_, 0));
    CUTE_STATIC_ASSERT_V(rank(gmem) == Int<2>{});
    CUTE_STATIC_ASSERT_V(is_static<decltype(shape<0>(gmem))>{});
    Line("rmem", rmem.layout());
    Line("gmem(_,0)", gmem(_, 0).layout());
    int64_t sum = 0;
    for (int j = 0; j < size<1>(gmem); ++j) {
      copy(gmem(_, j), rmem);
      sum += DoSomething(rmem, j);
    }
    Line("copy checksum", sum);
  }
  Tensor gmem = make_tensor(ptr, make_shape(24, 16));
  {
    auto tiler = Shape<_8, _4>{};
    Tensor gmem_tiled = zipped_divide(gmem, tiler);
    Tensor rmem = make_tensor_like(gmem_tiled(_, 0));
    Line("gmem_tiled", gmem_tiled.layout());
    Line("rmem2", rmem.layout());
    int64_t sum = 0;
    for (int j = 0; j < size<1>(gmem_tiled); ++j) {
      copy(gmem_tiled(_, j), rmem);
      sum += DoSomething(rmem, j);
    }
    Line("tile copy checksum", sum);
  }
  {
    auto tiler = Tile<Layout<_8, _3>, Layout<_4, _2>>{};
    Tensor gmem_tiled = zipped_divide(gmem, tiler);
    Tensor rmem = make_tensor_like(gmem_tiled(_, 0));
    Line("gmem_tiled stride tiler", gmem_tiled.layout());
    Line("rmem3", rmem.layout());
    int64_t sum = 0;
    for (int j = 0; j < size<1>(gmem_tiled); ++j) {
      copy(gmem_tiled(_, j), rmem);
      sum += DoSomething(rmem, j);
    }
    Line("strided tile copy checksum", sum);
    LineOfElements("gt2(_,1)", gmem_tiled(_, 1), 32);
  }
}

HLO_CUTE_HD void Examples() {
  Creation();
  Access();
  Slicing();
  Partitioning();
  Copies();
}

}  // namespace

#if defined(__CUDACC__)
__global__ void ExamplesKernel() { Examples(); }

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: there is no device\n");
    return 77;
  }
  ExamplesKernel<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
#else
int main() {
  Examples();
  return 0;
}
#endif
