// Memory that ends where nobody can catch what is thrown: before main, while an error is being
// told, where nothing may be thrown.
#pragma once
#include <string>

namespace mtfc {

/// From now on std::terminate because of std::bad_alloc writes `message` to standard error and ends
/// the process with `status`; other reasons end it as they did. `message` outlives the process's
/// last function, and nothing is allocated. What the first call says stays.
void exit_when_memory_ends(const char* message, int status);

/// For an allocator that has none left. What ends the process afterwards without saying why (the
/// C++ library where it cannot make an exception, the C library) is put down to that.
void note_end_of_memory();

/// What memory is needed for from now on, as "an evaluation", so that it can be said where there is
/// too little; null: nothing that has a name. `what` is never freed.
void note_use_of_memory(const char* what);
/// "not enough memory for an evaluation"
std::string not_enough_memory();

}  // namespace mtfc
