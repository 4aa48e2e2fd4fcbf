// .npz archives: what we write NumPy loads, what NumPy writes we load, and junk is refused.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "data/files/npz.h"
#include "unit/support/scratch_folder.h"

namespace data_files_npz_test {

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

HostTensor counting(DType dtype, std::vector<std::int64_t> extents) {
  HostTensor tensor = HostTensor::zeros(dtype, std::move(extents));
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.as<float>()[i] = 0.5f * float(i);
  return tensor;
}

/// Runs a line of Python with NumPy; false, with a message, if this machine has none.
bool python(const std::string& code) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    WARN("skipped: no NumPy for /usr/bin/python3 on this machine");
    return false;
  }
  INFO(code);
  REQUIRE(std::system(("/usr/bin/python3 -c \"import numpy as np\n" + code + "\"").c_str()) == 0);
  return true;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

std::string npy_text(const std::string& dict, std::size_t data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dict.size());
  text += '\0';
  return text + dict + std::string(data, 'x');
}

}  // namespace

TEST_CASE("an archive reads back as it was written", "[files]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.npz";
  auto writer = NpzWriter::create(path);
  REQUIRE(writer);
  writer->add("layers.0.w", counting(DType::f32, {2, 3}));
  writer->add("layers.0.w.dims", std::vector<std::string>{"batch", "hidden"});
  writer->add("scalar", counting(DType::f32, {}));
  writer->add("empty", counting(DType::f32, {0, 4}));
  REQUIRE(writer->finish());
  const auto arrays = read_npz(path);
  REQUIRE(arrays);
  REQUIRE(arrays->size() == 4);
  const auto w = to_tensor(arrays->at("layers.0.w"), "w");
  REQUIRE(w);
  CHECK(w->extents == std::vector<std::int64_t>{2, 3});
  CHECK(w->as<float>()[5] == 2.5f);
  CHECK(*to_strings(arrays->at("layers.0.w.dims"), "dims") ==
        std::vector<std::string>{"batch", "hidden"});
  CHECK(arrays->at("scalar").extents.empty());
  CHECK(arrays->at("empty").elements() == 0);
}

TEST_CASE("NumPy loads what we write", "[files]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.npz";
  auto writer = NpzWriter::create(path);
  REQUIRE(writer);
  writer->add("a.b", counting(DType::f32, {2, 3}));
  writer->add("one", counting(DType::f32, {7}));
  writer->add("scalar", counting(DType::f32, {}));
  writer->add("a.b.dims", std::vector<std::string>{"batch", "d'"});
  writer->add("none.dims", std::vector<std::string>{});
  HostTensor half = HostTensor::zeros(DType::bf16, {1});
  half.as<std::uint16_t>()[0] = 0x3FC0;  // 1.5
  writer->add("half", half);
  REQUIRE(writer->finish());
  python("z = np.load('" + path + "')\n" +
         "assert sorted(z.files) == ['a.b', 'a.b.dims', 'half', 'none.dims', 'one', 'scalar']\n"
         "assert (z['a.b'] == np.arange(6).reshape(2, 3) / 2).all()\n"
         "assert z['a.b'].dtype == np.float32 and z['one'].shape == (7,)\n"
         "assert z['scalar'].shape == () and z['half'][0] == 1.5\n"
         "assert list(z['a.b.dims']) == ['batch', 'd\\'']\n"
         "assert z['none.dims'].shape == (0,)");
}

TEST_CASE("we load what NumPy writes, deflated, big-endian and column-major included", "[files]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.npz";
  if (!python("np.savez_compressed('" + path +
              "', f=np.asfortranarray(np.arange(6.).reshape(2, 3)), i=np.array([-1, 5]),"
              " b=np.array([True, False]), e=np.arange(3, dtype='>i4'), big=np.zeros(99999),"
              " h=np.array([1.5, -65504], np.float16), s=np.array(['x', 'yz']))"))
    return;
  const auto arrays = read_npz(path);
  REQUIRE(arrays);
  const auto f = to_tensor(arrays->at("f"), "f");
  REQUIRE(f);
  for (int i = 0; i < 6; ++i) CHECK(f->as<double>()[i] == i);
  CHECK(to_tensor(arrays->at("i"), "i")->as<std::int32_t>()[0] == -1);
  CHECK(to_tensor(arrays->at("b"), "b")->dtype == DType::boolean);
  CHECK(to_tensor(arrays->at("e"), "e")->as<std::int32_t>()[2] == 2);
  CHECK(arrays->at("h").at(1) == -65504);
  CHECK(arrays->at("big").elements() == 99999);
  CHECK(*to_strings(arrays->at("s"), "s") == std::vector<std::string>{"x", "yz"});
}

TEST_CASE("damaged arrays are refused with a reason", "[files][hostile]") {
  const auto refused = [](const std::string& text) { return !parse_npy(bytes_of(text), "x"); };
  CHECK(refused(""));
  CHECK(refused("hello, this is no array"));
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  CHECK_FALSE(refused(npy_text(good, 24)));
  CHECK(refused(npy_text(good, 23)));
  CHECK(refused(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}", 24)));
  CHECK(
      refused(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, "
                       "99999999999)}",
                       24)));
  CHECK(refused(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2", 24)));
  CHECK(refused(npy_text("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 24)));
  CHECK(refused(npy_text("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 24)));
  CHECK(refused(npy_text("{}", 24)));
  std::string long_header = npy_text(good, 24);
  long_header[9] = '\xff';  // says that the header is longer than the file
  CHECK(refused(long_header));
}

TEST_CASE("damaged archives are refused wherever they are cut or changed", "[files][hostile]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.npz";
  auto writer = NpzWriter::create(path);
  REQUIRE(writer);
  writer->add("w", counting(DType::f32, {4}));
  REQUIRE(writer->finish());
  const auto whole = read_file(path);
  REQUIRE(whole);
  const std::string cut = folder / "cut.npz";
  const auto write = [&](std::span<const std::byte> bytes) {
    std::ofstream file(cut, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  };
  for (std::size_t size = 0; size < whole->size(); ++size) {
    write(std::span(*whole).first(size));
    CHECK_FALSE(read_npz(cut));
  }
  for (std::size_t at = 0; at < whole->size(); ++at) {
    Bytes changed = *whole;
    changed[at] ^= std::byte{0xFF};
    write(changed);
    const auto arrays = read_npz(cut);  // may succeed where the byte does not matter (a date)
    if (arrays && arrays->contains("w")) CHECK(arrays->at("w").data.size() == 16);
  }
}

TEST_CASE("files that cannot be read say why", "[files]") {
  const ScratchFolder folder;
  CHECK(read_file(folder / "none").error().message ==
        "cannot read `" + (folder / "none") + "`: no such file or directory");
  CHECK(read_npz(folder.path()).error().message ==
        "cannot read `" + folder.path() + "`: is a directory");
  CHECK_FALSE(NpzWriter::create(folder / "no/such/a.npz"));
}

TEST_CASE("a file that is not finished does not appear", "[files]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.npz";
  {
    auto writer = NpzWriter::create(path);
    REQUIRE(writer);
    writer->add("w", counting(DType::f32, {4}));
  }
  CHECK_FALSE(read_file(path));
}

}  // namespace data_files_npz_test
