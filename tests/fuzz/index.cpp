// The index of a checkpoint in several files, whose parts follow as sections with the files' names.
#include "fuzz/target.h"
#include "train/checkpoint/checkpoint.h"

#include <filesystem>

namespace mtfc::fuzz {

void index(std::string_view input) {
  const Sections sections = sections_of(input);
  const std::string folder = scratch_folder() + "/sharded";
  std::filesystem::create_directory(folder);
  scratch_file("sharded/index.json", sections.front().second);
  for (int number = 0; number < 2; ++number)
    scratch_file("sharded/" + runtime::part_name(number),
                 section(sections, runtime::part_name(number)));
  const auto opened = runtime::Checkpoint::open(folder);
  if (!opened) return require(!opened.error().message.empty(), "refused without a reason");
  (void)opened->tensors.verify();
  for (const runtime::StoredTensor& tensor : opened->tensors.tensors()) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.extents) elements *= extent;
    if (elements > 1'000'000) continue;  // memory for what the pieces may not fill
    const auto read = opened->tensors.read(tensor);
    require(!read || read->extents == tensor.extents, "a tensor of another shape");
  }
}

}  // namespace mtfc::fuzz
