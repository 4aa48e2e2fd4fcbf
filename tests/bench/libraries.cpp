// What libraries make of the products that models have, on one thread: oneDNN, OpenBLAS, BLIS,
// Eigen.
//   apt install libopenblas0-serial libblis4-serial
//   g++ -O2 -march=native -DNDEBUG -I/usr/include/eigen3 tests/bench/libraries.cpp -ldl -o
//   libraries && taskset -c 1 ./libraries
#include <dlfcn.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Dnnl = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                     std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
using Cblas = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// c[m, n] = a b, of which one may lie transposed.
struct Shape {
  bool a_transposed, b_transposed;
  int m, n, k;
};
constexpr Shape shapes[] = {
    {false, false, 1000, 512, 784}, {false, false, 1000, 784, 512}, {false, true, 1000, 512, 784},
    {true, false, 784, 512, 1000},  {true, false, 512, 784, 1000},  {false, false, 100, 512, 784},
    {true, false, 784, 512, 100},   {false, true, 100, 784, 512},   {false, false, 768, 128, 128},
    {false, false, 768, 512, 128},  {false, false, 768, 128, 512},  {false, true, 768, 128, 512},
    {true, false, 128, 512, 768},   {true, false, 512, 128, 768},   {false, false, 4096, 1536, 384},
    {true, false, 384, 1536, 4096}};

void* function(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

double rate(const Shape& s, const std::function<void()>& product) {
  const double flops = 2.0 * s.m * s.n * s.k;
  const int times = std::max(3, static_cast<int>(1.5e9 / flops));
  double best = 1e9;
  product();
  for (int round = 0; round < 7; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i) product();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / times);
  }
  return flops / best / 1e9;
}

}  // namespace

int main() {
  const auto onednn = reinterpret_cast<Dnnl>(function("libdnnl.so.2", "dnnl_sgemm"));
  const auto serial =
      reinterpret_cast<void (*)(int)>(function("libdnnl.so.2", "omp_set_num_threads"));
  if (serial != nullptr) serial(1);
  const Cblas others[] = {
      reinterpret_cast<Cblas>(
          function("/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0", "cblas_sgemm")),
      reinterpret_cast<Cblas>(
          function("/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4", "cblas_sgemm"))};
  std::printf("GFLOP/s               oneDNN OpenBLAS     BLIS    Eigen\n");
  for (const Shape& s : shapes) {
    std::vector<float> a(static_cast<std::size_t>(s.m) * s.k, 1.5f),
        b(static_cast<std::size_t>(s.k) * s.n, 0.5f), c(static_cast<std::size_t>(s.m) * s.n);
    const int lda = s.a_transposed ? s.m : s.k, ldb = s.b_transposed ? s.k : s.n;
    const char ta = s.a_transposed ? 'T' : 'N', tb = s.b_transposed ? 'T' : 'N';
    std::printf("%c%c %5d %5d %5d", ta, tb, s.m, s.n, s.k);
    std::printf(" %8.1f", onednn == nullptr ? 0.0 : rate(s, [&] {
                  onednn(ta, tb, s.m, s.n, s.k, 1, a.data(), lda, b.data(), ldb, 0, c.data(), s.n);
                }));
    for (const Cblas cblas : others)
      std::printf(" %8.1f", cblas == nullptr ? 0.0 : rate(s, [&] {
                    cblas(101, s.a_transposed ? 112 : 111, s.b_transposed ? 112 : 111, s.m, s.n,
                          s.k, 1, a.data(), lda, b.data(), ldb, 0, c.data(), s.n);
                  }));
    const Eigen::Map<Matrix> left(a.data(), s.a_transposed ? s.k : s.m, lda);
    const Eigen::Map<Matrix> right(b.data(), s.b_transposed ? s.n : s.k, ldb);
    Eigen::Map<Matrix> result(c.data(), s.m, s.n);
    std::printf(" %8.1f\n", rate(s, [&] {
                  if (s.a_transposed)
                    result.noalias() = left.transpose() * right;
                  else if (s.b_transposed)
                    result.noalias() = left * right.transpose();
                  else
                    result.noalias() = left * right;
                }));
  }
  return 0;
}
