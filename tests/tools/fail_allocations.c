// For LD_PRELOAD: allocation number FAIL_AT fails, and FAIL_MORE (0) after it. With FAIL_COUNT the
// number of all of them is said at the end. Memory that ends anywhere, without a machine that has
// little. Stands before the allocator of the C library and before mimalloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long number;
static long first = -1, last = -1;

__attribute__((constructor)) static void begin(void) {
  const char* at = getenv("FAIL_AT");
  const char* more = getenv("FAIL_MORE");
  atomic_store(&number, 0);
  if (at != NULL) {
    first = atol(at);
    last = first + (more != NULL ? atol(more) : 0);
  }
}

__attribute__((destructor)) static void end(void) {
  char text[64];
  if (getenv("FAIL_COUNT") == NULL) return;
  const int length = snprintf(text, sizeof text, "%ld allocations\n", atomic_load(&number));
  if (write(STDERR_FILENO, text, (size_t)length) < 0) return;
}

// oneDNN crashes if an allocation of its own fails while it writes its kernels. The product makes
// sure before that there is room (src/kernels/gemm.cpp), which a failure made here disregards:
// oneDNN's are left to the limits on addresses.
static int is_onednn(const void* caller) {
  Dl_info found;
  return dladdr(caller, &found) != 0 && found.dli_fname != NULL &&
         strstr(found.dli_fname, "libdnnl") != NULL;
}

static __thread int passed_on;  // within an allocation that has been counted: mimalloc's parts

static int fails(const void* caller) {
  if (passed_on) return 0;
  const long now = atomic_fetch_add(&number, 1);
  if (first < 0 || now < first || now > last || is_onednn(caller)) return 0;
  errno = ENOMEM;
  return 1;
}

// The next function of that name. dlsym allocates nothing when it finds one.
#define NEXT(result, name, parameters, arguments)                           \
  result name parameters {                                                  \
    static result(*next) parameters;                                        \
    if (next == NULL) next = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails(__builtin_return_address(0)) ? NULL : next arguments;      \
  }

NEXT(void*, malloc, (size_t size), (size))
NEXT(void*, calloc, (size_t count, size_t size), (count, size))
NEXT(void*, realloc, (void* old, size_t size), (old, size))
NEXT(void*, memalign, (size_t to, size_t size), (to, size))
NEXT(void*, aligned_alloc, (size_t to, size_t size), (to, size))
NEXT(void*, mi_malloc, (size_t size), (size))
NEXT(void*, mi_malloc_aligned, (size_t size, size_t to), (size, to))

int posix_memalign(void** result, size_t to, size_t size) {
  static int (*next)(void**, size_t, size_t);
  if (next == NULL) next = (int (*)(void**, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
  if (fails(__builtin_return_address(0))) return ENOMEM;
  passed_on = 1;
  const int status = next(result, to, size);
  passed_on = 0;
  return status;
}
