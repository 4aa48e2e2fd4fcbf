// One file: it is refused, or all its tensors can be read or are damaged.
#include "train/checkpoint/checkpoint.h"

#include "fuzz/target.h"

namespace mtfc::fuzz {

void checkpoint(std::string_view input) {
  const std::string path = scratch_file("x.safetensors", input);
  const auto opened = runtime::Checkpoint::open(path);
  if (!opened) return require(!opened.error().message.empty(), "refused without a reason");
  (void)opened->tensors.verify();
  for (const runtime::StoredTensor& tensor : opened->tensors.tensors()) {
    const auto read = opened->tensors.read(tensor);
    if (!read) continue;
    require(read->extents == tensor.extents, "a tensor of another shape");
    require(read->data.size() == static_cast<std::size_t>(read->elements()) * size_of(read->dtype),
            "a tensor of another size");
  }
}

}  // namespace mtfc::fuzz
