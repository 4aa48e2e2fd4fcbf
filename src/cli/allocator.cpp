// Where the memory of mtfc comes from: mimalloc (docs/decisions/0063). A compiler makes millions of
// small lists and throws them away together, which is what the C library is slow at.
#include <mimalloc.h>

#include <cerrno>
#include <new>

#include "support/last_words.h"

__attribute__((constructor(101))) static void note_failures() {
  mi_register_error(
      [](int error, void*) {
        if (error == ENOMEM) mtfc::note_end_of_memory();
      },
      nullptr);
}

// As mimalloc built as C would not: it ends the process.
[[noreturn]] static void refuse() {
  mtfc::note_end_of_memory();
  throw std::bad_alloc();
}

void* operator new(std::size_t size) {
  if (void* memory = mi_malloc(size)) return memory;
  refuse();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* memory = mi_malloc_aligned(size, static_cast<std::size_t>(alignment))) return memory;
  refuse();
}
void operator delete(void* memory) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
