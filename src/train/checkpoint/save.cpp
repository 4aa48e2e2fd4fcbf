// Writing checkpoints, all ranks together.
#include <cstring>
#include <filesystem>
#include <optional>

#include "comm/gather_bytes.h"
#include "data/files/safetensors_words.h"
#include "support/host_tensor.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;
using Entry = SafetensorsWriter::Entry;

std::string bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

/// What is saved, and which blocks of it this rank writes.
struct Saving {
  std::vector<Entry> entries;
  std::vector<Share> shares;  // of the entries
  CheckpointRecord record;
  bool root_alone = false;  // the others do not see its filesystem

  Saving(const Engine& engine, CheckpointRecord made_by) : record(std::move(made_by)) {
    const std::vector<VariableInfo> variables = engine.variables();
    const std::vector<Share> all = engine.shares();
    std::map<std::string, Share> by_name;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const VariableInfo& variable = variables[i];
      if (!is_saved(variable)) continue;
      record.dims[variable.path] = variable.dims;
      record.kinds[variable.path] = variable.kind;
      entries.push_back({variable.path, variable.dtype, variable.extents});
      by_name[variable.path] = all[i];
    }
    SafetensorsWriter::align(entries);
    for (const Entry& entry : entries) shares.push_back(std::move(by_name[entry.name]));
  }

  void leave_to_root(bool is_root) {
    root_alone = true;
    for (std::size_t i = 0; i < entries.size(); ++i)
      shares[i] = {Block::whole(entries[i].extents), is_root};
  }

  /// Hands all values that this rank writes to add(entry, block, values). Getting them may be a
  /// collective act: every rank goes through all entries, whatever went wrong before.
  template <class Add>
  void write(Engine& engine, const Add& add) const {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string& name = entries[i].name;
      const HostTensor values = root_alone ? engine.variable(name) : engine.part(name);
      if (shares[i].writes) add(i, shares[i].block, values);
    }
  }
};

/// All ranks learn whether all see what the root has made.
bool all_see(net::Network& network, const std::string& name) {
  std::error_code ignored;
  return network.lowest(fs::exists(name, ignored) ? 1 : 0) == 1;
}

Status save_one_file(Engine& engine, const std::string& path, Saving saving) {
  net::Network& network = engine.network();
  std::optional<SafetensorsWriter> writer;
  const auto keep = [&](Result<SafetensorsWriter> made) {
    if (!made) return Status(made.error());
    writer.emplace(std::move(*made));
    return Status();
  };
  Status ready;
  if (engine.is_root())
    ready = keep(SafetensorsWriter::create(path, saving.entries, to_metadata(saving.record)));
  if (Status all = net::agreed(network, ready); !all) return all;
  SafetensorsWriter::Meeting meeting = writer ? writer->meeting() : SafetensorsWriter::Meeting{};
  meeting.name = net::gather(network, meeting.name)[0];
  network.broadcast(&meeting.data, sizeof meeting.data);
  if (!all_see(network, meeting.name)) saving.leave_to_root(engine.is_root());
  if (!writer && !saving.root_alone)
    ready = keep(SafetensorsWriter::join(path, saving.entries, meeting));
  if (Status all = net::agreed(network, ready); !all) return all;

  saving.write(engine, [&](std::size_t entry, const Block& block, const HostTensor& values) {
    writer->add(entry, block, values);
  });
  const Status written = writer && !engine.is_root() ? writer->close() : Status();
  if (Status all = net::agreed(network, written); !all) return all;
  std::vector<std::uint32_t> sums(saving.entries.size(), 0);
  const std::string mine =
      writer ? bytes_of(writer->sums().data(), sums.size() * sizeof sums[0]) : "";
  for (const std::string& theirs : net::gather(network, mine))
    for (std::size_t i = 0; i * sizeof sums[0] < theirs.size(); ++i) {
      std::uint32_t sum = 0;
      std::memcpy(&sum, theirs.data() + i * sizeof sum, sizeof sum);
      sums[i] ^= sum;
    }
  return net::agreed(network, engine.is_root() ? writer->finish(sums) : Status());
}

// ---------------------------------------------------------------- a file of each rank
/// What a rank tells of its file: the header's checksum, then for every entry how many numbers the
/// block has, and the numbers. Empty: it wrote none.
std::string file_report(const std::string& header_sum, const Saving& saving) {
  std::vector<std::int64_t> numbers;
  for (const Share& share : saving.shares) {
    numbers.push_back(share.writes ? static_cast<std::int64_t>(share.block.begin.size()) : -1);
    if (!share.writes) continue;
    numbers.insert(numbers.end(), share.block.begin.begin(), share.block.begin.end());
    numbers.insert(numbers.end(), share.block.extents.begin(), share.block.extents.end());
  }
  return header_sum + bytes_of(numbers.data(), numbers.size() * sizeof numbers[0]);
}

/// Adds a rank's file to the index.
void add_file(const std::string& report, CheckpointIndex& index) {
  const std::size_t file = index.files.size();
  index.files.push_back(
      {part_name(static_cast<int>(file)), report.substr(0, safetensors::sum_digits)});
  std::vector<std::int64_t> numbers((report.size() - safetensors::sum_digits) /
                                    sizeof(std::int64_t));
  std::memcpy(numbers.data(), report.data() + safetensors::sum_digits,
              numbers.size() * sizeof numbers[0]);
  auto next = numbers.begin();
  for (std::vector<IndexedPiece>& pieces : index.pieces) {
    const std::int64_t rank = *next++;
    if (rank < 0) continue;
    IndexedPiece piece{file, {{next, next + rank}, {next + rank, next + 2 * rank}}};
    next += 2 * rank;
    if (piece.block.elements() > 0 || pieces.empty()) pieces.push_back(std::move(piece));
  }
}

Status write_part(Engine& engine, const Saving& saving, const std::string& folder,
                  std::string& header_sum) {
  std::vector<Entry> mine;
  for (std::size_t i = 0; i < saving.entries.size(); ++i)
    if (saving.shares[i].writes)
      mine.push_back(
          {saving.entries[i].name, saving.entries[i].dtype, saving.shares[i].block.extents});
  const int rank = engine.network().rank();
  const bool writes = !saving.root_alone || rank == 0;
  const std::string path = folder + "/" + part_name(rank);
  Status status;
  std::optional<SafetensorsWriter> writer;
  if (writes) {
    Result<SafetensorsWriter> made = SafetensorsWriter::create(
        path, mine, {{"format", "mtfc.part"}, {"step", std::to_string(saving.record.state.steps)}});
    if (made)
      writer.emplace(std::move(*made));
    else
      status = made.error();
  }
  saving.write(engine, [&](std::size_t, const Block&, const HostTensor& values) {
    if (writer) writer->add(values);
  });
  if (status && writer) status = writer->finish();
  if (status && writer) header_sum = writer->header_sum();
  return status;
}

Status finish_folder(const Saving& saving, const std::vector<std::string>& all_reports,
                     const std::string& folder, const std::string& path) {
  CheckpointIndex index;
  index.metadata = to_metadata(saving.record);
  for (const Entry& entry : saving.entries)
    index.tensors.push_back(
        {entry.name, std::string(safetensors_word(entry.dtype)), entry.extents, 0, 0});
  index.pieces.resize(index.tensors.size());
  for (const std::string& report : all_reports)
    if (!report.empty()) add_file(report, index);
  if (Status written = write_index(folder, index); !written) return written;
  return rename_over(folder, path);
}

Status save_sharded(Engine& engine, const std::string& path, Saving saving) {
  net::Network& network = engine.network();
  std::string folder = engine.is_root() ? unfinished_name(path) : "";
  std::error_code failed;
  if (engine.is_root()) fs::create_directory(folder, failed);
  const Status made = failed ? Status(cannot("make the folder", path, failed.value())) : Status();
  if (Status all = net::agreed(network, made); !all) return all;
  folder = net::gather(network, folder)[0];
  if (!all_see(network, folder)) saving.leave_to_root(engine.is_root());
  std::string header_sum;
  Status done = net::agreed(network, write_part(engine, saving, folder, header_sum));
  if (done) {
    const auto all_reports =
        net::gather(network, header_sum.empty() ? "" : file_report(header_sum, saving));
    done = net::agreed(
        network, engine.is_root() ? finish_folder(saving, all_reports, folder, path) : Status());
  }
  if (!done && engine.is_root()) fs::remove_all(folder, failed);
  return done;
}

}  // namespace

Status save_checkpoint(Engine& engine, const std::string& path, CheckpointRecord record,
                       CheckpointForm form) {
  Saving saving(engine, std::move(record));
  return form == CheckpointForm::one_file ? save_one_file(engine, path, std::move(saving))
                                          : save_sharded(engine, path, std::move(saving));
}

}  // namespace mtfc::runtime
