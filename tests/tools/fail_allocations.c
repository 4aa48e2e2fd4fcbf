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

static int fails(void) {
  const long now = atomic_fetch_add(&number, 1);
  if (first < 0 || now < first || now > last) return 0;
  errno = ENOMEM;
  return 1;
}

// The next function of that name. dlsym allocates nothing when it finds one.
#define NEXT(result, name, parameters, arguments)                           \
  result name parameters {                                                  \
    static result(*next) parameters;                                        \
    if (next == NULL) next = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails() ? NULL : next arguments;                                 \
  }

NEXT(void*, malloc, (size_t size), (size))
NEXT(void*, calloc, (size_t count, size_t size), (count, size))
NEXT(void*, realloc, (void* old, size_t size), (old, size))
NEXT(void*, memalign, (size_t to, size_t size), (to, size))
NEXT(void*, aligned_alloc, (size_t to, size_t size), (to, size))
NEXT(void*, mi_malloc, (size_t size), (size))
NEXT(void*, mi_malloc_aligned, (size_t size, size_t to), (size, to))

int posix_memalign(void** result, size_t to, size_t size) {
  void* made = memalign(to, size);
  if (made == NULL) return ENOMEM;
  *result = made;
  return 0;
}
