#include "kernels/gemm.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <new>

#include "kernels/contract.h"
#include "kernels/element_loops.h"
#include "support/check.h"
#include "support/environment.h"

namespace mtfc::runtime {
namespace {

// Of oneDNN's C interface, which has been stable; loaded at the first product, so that programs
// that never multiply do not pay for it.
using DnnlSgemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                          std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
using DnnlSetMaxIsa = int (*)(int);
using OmpSetThreads = void (*)(int);
using EigenF32 = void (*)(const Gemm&, const float*, const float*, float*);
using EigenF64 = void (*)(const Gemm&, const double*, const double*, double*);

struct Library {
  DnnlSgemm sgemm = nullptr;  // null: Eigen
  OmpSetThreads set_threads = nullptr;
  EigenF32 eigen_f32 = baseline::eigen_gemm;
  EigenF64 eigen_f64 = baseline::eigen_gemm;
};

constexpr int kDnnlOutOfMemory = 1;               // of dnnl_status_t
constexpr int kDnnlAvx2 = 0x7, kDnnlSse41 = 0x1;  // of dnnl_cpu_isa_t

void* open_onednn() {
  if (environment("MTFC_PRODUCT") == "eigen") return nullptr;
  for (const char* name : {"libdnnl.so.2", "libdnnl.so.3", "libdnnl.so"}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

void find_onednn(Library& library) {
  void* handle = open_onednn();
  if (handle == nullptr) return;
  library.sgemm = reinterpret_cast<DnnlSgemm>(dlsym(handle, "dnnl_sgemm"));
  library.set_threads = reinterpret_cast<OmpSetThreads>(dlsym(handle, "omp_set_num_threads"));
  const auto set_max = reinterpret_cast<DnnlSetMaxIsa>(dlsym(handle, "dnnl_set_max_cpu_isa"));
  if (set_max != nullptr && isa() != Isa::avx512) {
    set_max(isa() == Isa::avx2 ? kDnnlAvx2 : kDnnlSse41);
  }
}

Library find_library() {
  Library library;
#if defined(__x86_64__) && !defined(MTFC_ONE_ISA)
  if (isa() == Isa::avx512) {
    library.eigen_f32 = avx512::eigen_gemm;
    library.eigen_f64 = avx512::eigen_gemm;
  } else if (isa() == Isa::avx2) {
    library.eigen_f32 = avx2::eigen_gemm;
    library.eigen_f64 = avx2::eigen_gemm;
  }
#endif
  find_onednn(library);
  return library;
}

const Library& library() {
  static const Library found = find_library();
  return found;
}

// Our pool is the only one: oneDNN's OpenMP must not start threads of its own under each of ours.
// The number of threads is a setting of the calling thread.
void be_serial() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  if (library().set_threads != nullptr) library().set_threads(1);
}

// oneDNN writes its kernels at its first product, and crashes if memory ends meanwhile; later it
// says so. Hence the first one is small, and there is several times the room that it takes. That is
// so in the thread that began, which has no heap of its own to be made first.
bool write_kernels(DnnlSgemm sgemm) {
  constexpr std::size_t room = std::size_t{32} << 20;
  void* const probe =
      ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  ::munmap(probe, room);
  constexpr int n = 17;  // a matrix proper: vectors have kernels of their own
  const float x[n * n] = {};
  float y[n * n];
  if (sgemm('N', 'N', n, n, n, 1.0f, x, n, x, n, 0.0f, y, n) != 0) throw std::bad_alloc();
  return true;
}

// Below this many multiplications oneDNN's fixed cost of a call shows, and Eigen is quicker.
constexpr std::int64_t kSmall = 16 * 16 * 16;

bool takes_onednn(const Gemm& g) { return library().sgemm != nullptr && g.m * g.n * g.k > kSmall; }

}  // namespace

void load_product_library() { (void)library(); }

void prepare_gemm(const Gemm& g) {
  if (!takes_onednn(g)) return;
  be_serial();
  [[maybe_unused]] static const bool written = write_kernels(library().sgemm);
}

void gemm(const Gemm& g, const float* a, const float* b, float* c) {
  const Library& found = library();
  if (!takes_onednn(g)) return found.eigen_f32(g, a, b, c);
  be_serial();
  const int status =
      found.sgemm(g.a_transposed ? 'T' : 'N', g.b_transposed ? 'T' : 'N', g.m, g.n, g.k, 1.0f, a,
                  g.lda, b, g.ldb, g.accumulate ? 1.0f : 0.0f, c, g.ldc);
  if (status == kDnnlOutOfMemory) throw std::bad_alloc();
  MTFC_CHECK(status == 0, "oneDNN refused a product");
}

void gemm(const Gemm& g, const double* a, const double* b, double* c) {
  library().eigen_f64(g, a, b, c);
}

const char* product_library() { return library().sgemm != nullptr ? "onednn" : "eigen"; }

}  // namespace mtfc::runtime
