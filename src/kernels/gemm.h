// Serial matrix products of whichever library there is.
#pragma once
#include <cstdint>

namespace mtfc::runtime {

/// c[m, n] (+)= a[m, k] b[k, n], row-major with leading dimensions; a transposed operand is stored
/// as [k, m] or [n, k].
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool a_transposed = false, b_transposed = false;
  bool accumulate = false;
};

/// Finds the library.
void load_product_library();
/// To be called before tasks call gemm of floats with `g` or parts of it. Throws std::bad_alloc.
void prepare_gemm(const Gemm& g);
/// On the calling thread alone.
void gemm(const Gemm& g, const float* a, const float* b, float* c);
void gemm(const Gemm& g, const double* a, const double* b, double* c);

#define MTFC_EIGEN_GEMM(set)                                                   \
  namespace set {                                                              \
  void eigen_gemm(const Gemm& g, const float* a, const float* b, float* c);    \
  void eigen_gemm(const Gemm& g, const double* a, const double* b, double* c); \
  }
MTFC_EIGEN_GEMM(baseline)
#if defined(__x86_64__)
MTFC_EIGEN_GEMM(avx2)
MTFC_EIGEN_GEMM(avx512)
#endif
#undef MTFC_EIGEN_GEMM

}  // namespace mtfc::runtime
