// NumPy's .npz form: a zip archive of .npy files.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/files/atomic_file.h"
#include "data/files/npy.h"

namespace mtfc::runtime {

/// Writes an archive under its name, whole or not at all. Entries are stored, not compressed:
/// weights do not compress. Each name occurs once: a further tensor of that name is "NAME~2".
class NpzWriter {
 public:
  static Result<NpzWriter> create(const std::string& path);
  void add(const std::string& name, const HostTensor& tensor);
  void add(const std::string& name, const std::vector<std::string>& strings);
  Status finish();

 private:
  explicit NpzWriter(AtomicFile file) : file_(std::move(file)) {}
  std::string free_name(const std::string& name);
  void add_entry(const std::string& name, const Bytes& bytes);
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::size_t size = 0, offset = 0;
  };
  AtomicFile file_;
  std::vector<Entry> entries_;
  std::set<std::string> names_;  // of the entries
};

/// Every array by name, stored or deflated.
Result<std::map<std::string, NpyArray>> read_npz(const std::string& path);

}  // namespace mtfc::runtime
