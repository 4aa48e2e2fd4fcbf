// What is no regular file: devices are refused, pipes waited for, and a signal ends the reading.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "data/files/read_file.h"
#include "data/source_facts.h"
#include "unit/support/scratch_folder.h"

namespace data_files_read_streams_test {

using namespace mtfc::runtime;

namespace {

bool says(const Error& error, const std::string& text) {
  return error.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("devices are refused") {
  for (const char* device : {"/dev/zero", "/dev/null"}) {
    CHECK(says(read_file(device).error(), "it is a device"));
    CHECK(says(read_maybe_gzip(device).error(), "it is a device"));
  }
}

TEST_CASE("a pipe is read to its end, however slow its writer begins") {
  const ScratchFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream(pipe) << "some text";
  });
  const Result<Bytes> bytes = read_maybe_gzip(pipe);
  writer.join();
  REQUIRE(bytes);
  CHECK(bytes->size() == 9);
}

TEST_CASE("a signal ends the wait for a pipe") {
  const ScratchFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  interrupt_reading_if([] { return true; });
  const Result<Bytes> bytes = read_file(pipe);
  interrupt_reading_if(nullptr);
  REQUIRE(!bytes);
  CHECK(says(bytes.error(), "a signal came first"));
}

TEST_CASE("one byte of a file that is otherwise the same is another fact") {
  const ScratchFolder folder;
  const std::string path = folder / "file";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000},
                                 std::size_t{1} << 22, (std::size_t{1} << 22) + 1}) {
    std::string text(size, 'a');
    std::ofstream(path) << text;
    const std::string fact = file_fact(path);
    CHECK(fact.starts_with(std::to_string(size) + " bytes"));
    for (const std::size_t at : {std::size_t{0}, size - 1}) {
      if (size == 0) continue;
      std::string other = text;
      other[at] = 'b';
      std::ofstream(path) << other;
      CHECK(file_fact(path) != fact);
    }
  }
  CHECK(file_fact(folder / "none") == "cannot be read");
}

}  // namespace data_files_read_streams_test
