// Sources that are tables. The first line says which: idx, npy, npz or csv; sections are files.
#include "data/files/npz.h"
#include "fuzz/source.h"

namespace mtfc::fuzz {

namespace {

using runtime::InputSpec;

InputSpec floats(const std::string& field, std::vector<std::int64_t> extents) {
  std::vector<std::string> dims(extents.size(), "d");
  return {field, DType::f32, std::move(extents), std::move(dims), "s", field, 0, ""};
}
InputSpec labels(const std::string& field) {
  return {field, DType::i32, {2}, {"batch"}, "s", field, 10, "classes"};
}

void read_archive(const std::string& path) {
  const auto arrays = runtime::read_npz(path);
  if (!arrays) return;
  for (const auto& [name, array] : *arrays) {
    if (array.kind == 'U') (void)runtime::to_strings(array, name);
    (void)runtime::to_tensor(array, name);
  }
}

}  // namespace

void arrays(std::string_view input) {
  const Sections sections = sections_of(input);
  const std::string kind = sections.front().second;
  if (kind == "idx") {
    write_files(sections, {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});
    feed({"s", "idx", {{"dir", std::string(".")}}, ""},
         {floats("image", {2, 3, 2}), labels("label")});
  } else if (kind == "npy") {
    write_files(sections, {"x.npy", "y.npy"});
    feed({"s", "npy", {{"file", std::string("x.npy")}, {"y", std::string("y.npy")}}, ""},
         {floats("x", {2, 3}), labels("y")});
  } else if (kind == "npz") {
    read_archive(scratch_file("x.npz", section(sections, "x.npz")));
    feed({"s", "npy", {{"file", std::string("x.npz")}}, ""}, {floats("a", {2, 3}), labels("b")});
  } else {
    write_files(sections, {"x.csv"});
    feed({"s", "csv", {{"file", std::string("x.csv")}}, ""}, {floats("a", {2}), labels("b")});
  }
}

}  // namespace mtfc::fuzz
