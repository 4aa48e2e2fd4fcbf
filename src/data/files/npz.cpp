#include "data/files/npz.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "data/files/crc32.h"

namespace mtfc::runtime {
namespace {

// Layout of the three records of a zip archive (APPNOTE 4.3): little-endian, unaligned.
constexpr std::uint32_t local_magic = 0x04034b50, central_magic = 0x02014b50,
                        end_magic = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::size_t most_bytes = std::numeric_limits<std::uint32_t>::max() - 1;  // without zip64

class Fields {
 public:
  Fields& u16(std::size_t value) { return put(value, 2); }
  Fields& u32(std::size_t value) { return put(value, 4); }
  const std::string& text() const { return text_; }

 private:
  Fields& put(std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i) & 255);
    return *this;
  }
  std::string text_;
};

/// What the local and the central record have in common: versions to sizes and name length.
void shared_fields(Fields& fields, std::uint32_t crc, std::size_t size, std::size_t name_length) {
  const std::size_t stored = 0, midnight = 0, first_of_1980 = 0x21;
  fields.u16(20).u16(0).u16(stored).u16(midnight).u16(first_of_1980);
  fields.u32(crc).u32(size).u32(size).u16(name_length).u16(0);
}

}  // namespace

Result<NpzWriter> NpzWriter::create(const std::string& path) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  return NpzWriter(std::move(*file));
}

void NpzWriter::add(const std::string& name, const HostTensor& tensor) {
  add_entry(name, npy_bytes(tensor));
}
void NpzWriter::add(const std::string& name, const std::vector<std::string>& strings) {
  add_entry(name, npy_bytes(strings));
}

/// "grad.w", and of a second tensor of that name "grad.w~2".
std::string NpzWriter::free_name(const std::string& name) {
  std::string found = name + ".npy";
  for (int number = 2; !names_.insert(found).second; ++number)
    found = name + "~" + std::to_string(number) + ".npy";
  return found;
}

void NpzWriter::add_entry(const std::string& name, const Bytes& bytes) {
  Entry entry{free_name(name), 0, bytes.size(), file_.position()};
  entry.crc = crc32_of(bytes);
  Fields fields;
  fields.u32(local_magic);
  shared_fields(fields, entry.crc, entry.size, entry.name.size());
  file_.write(fields.text());
  file_.write(entry.name);
  file_.write(bytes);
  entries_.push_back(std::move(entry));
}

Status NpzWriter::finish() {
  const std::size_t start = file_.position();
  for (const Entry& entry : entries_) {
    Fields fields;
    fields.u32(central_magic).u16(20);
    shared_fields(fields, entry.crc, entry.size, entry.name.size());
    fields.u16(0).u16(0).u16(0).u32(0).u32(entry.offset);
    file_.write(fields.text());
    file_.write(entry.name);
  }
  const std::size_t end = file_.position();
  if (end > most_bytes || entries_.size() > 65534)
    return Error{"more than 4 GB do not fit one .npz file", {}, {}};
  Fields fields;
  fields.u32(end_magic).u16(0).u16(0).u16(entries_.size()).u16(entries_.size());
  fields.u32(end - start).u32(start).u16(0);
  file_.write(fields.text());
  return file_.commit();
}

// ---------------------------------------------------------------- reading
namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool has(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  std::size_t u16(std::size_t at) const { return number(at, 2); }
  std::size_t u32(std::size_t at) const { return number(at, 4); }
  std::span<const std::byte> part(std::size_t at, std::size_t size) const {
    return bytes_.subspan(at, size);
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::size_t number(std::size_t at, std::size_t count) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value |= static_cast<std::size_t>(bytes_[at + i]) << (8 * i);
    return value;
  }
  std::span<const std::byte> bytes_;
};

struct Entry {
  std::string name;
  std::size_t method = 0, crc = 0, packed = 0, size = 0, offset = 0;
};

/// The end record may be followed by a comment of up to 64 kB.
std::optional<std::size_t> find_end(const Reader& file) {
  if (file.size() < end_size) return std::nullopt;
  const std::size_t last = file.size() - end_size;
  for (std::size_t back = 0; back <= std::min<std::size_t>(last, 65535); ++back)
    if (file.u32(last - back) == end_magic) return last - back;
  return std::nullopt;
}

std::optional<std::vector<Entry>> read_directory(const Reader& file) {
  const std::optional<std::size_t> end = find_end(file);
  if (!end) return std::nullopt;
  std::vector<Entry> entries;
  std::size_t at = file.u32(*end + 16);
  for (std::size_t left = file.u16(*end + 10); left > 0; --left) {
    if (!file.has(at, central_size) || file.u32(at) != central_magic) return std::nullopt;
    const std::size_t name = file.u16(at + 28), extra = file.u16(at + 30), note = file.u16(at + 32);
    if (!file.has(at + central_size, name)) return std::nullopt;
    Entry entry{{},
                file.u16(at + 10),
                file.u32(at + 16),
                file.u32(at + 20),
                file.u32(at + 24),
                file.u32(at + 42)};
    const auto text = file.part(at + central_size, name);
    entry.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
    entries.push_back(std::move(entry));
    at += central_size + name + extra + note;
  }
  return entries;
}

/// Raw deflate into exactly `size` bytes.
std::optional<Bytes> inflate_exactly(std::span<const std::byte> packed, std::size_t size) {
  // Deflate shrinks by at most 1032: a size beyond that is a lie, and must not be allocated.
  if (size / 1032 > packed.size() + 1) return std::nullopt;
  Bytes bytes(size);
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int ended = ::inflate(&stream, Z_FINISH);
  const bool whole = ended == Z_STREAM_END && stream.total_out == size;
  ::inflateEnd(&stream);
  return whole ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<Bytes> unpack(const Reader& file, const Entry& entry) {
  if (!file.has(entry.offset, local_size) || file.u32(entry.offset) != local_magic)
    return std::nullopt;
  const std::size_t start =
      entry.offset + local_size + file.u16(entry.offset + 26) + file.u16(entry.offset + 28);
  if (!file.has(start, entry.packed)) return std::nullopt;
  const auto packed = file.part(start, entry.packed);
  std::optional<Bytes> bytes;
  if (entry.method == 0 && entry.packed == entry.size) bytes = Bytes(packed.begin(), packed.end());
  if (entry.method == 8) bytes = inflate_exactly(packed, entry.size);
  if (!bytes) return std::nullopt;
  return crc32_of(*bytes) == entry.crc ? std::move(bytes) : std::nullopt;
}

}  // namespace

Result<std::map<std::string, NpyArray>> read_npz(const std::string& path) {
  const Result<Bytes> bytes = read_file(path);
  if (!bytes) return bytes.error();
  const Reader file(*bytes);
  const auto entries = read_directory(file);
  if (!entries) return Error{"`" + path + "` is not an .npz archive, or it is cut off", {}, {}};
  std::map<std::string, NpyArray> arrays;
  for (const Entry& entry : *entries) {
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    const std::optional<Bytes> unpacked = unpack(file, entry);
    if (!unpacked) return Error{"`" + name + "` in `" + path + "` is damaged", {}, {}};
    Result<NpyArray> array = parse_npy(*unpacked, name + " in " + path);
    if (!array) return array.error();
    arrays.insert_or_assign(std::move(name), std::move(*array));
  }
  return arrays;
}

}  // namespace mtfc::runtime
