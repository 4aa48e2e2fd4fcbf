#include "cli/session/outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "cli/session/file_kind.h"
#include "cli/session/run_folder.h"
#include "cli/session/train_plan.h"
#include "data/files/output_location.h"
#include "data/files/output_target.h"
#include "data/files/read_file.h"
#include "data/source_facts.h"
#include "frontend/layout/parse_layout.h"
#include "frontend/syntax/text_check.h"
#include "train/checkpoint/folder.h"
#include "train/loop/run_files.h"

namespace mtfc::cli {
namespace {

namespace fs = std::filesystem;

/// What a write would replace, or make.
bool is_replaced(const fs::path& path) {
  std::error_code failed;
  return !fs::exists(path, failed) || fs::is_regular_file(path, failed);
}

/// The text that this command has read there; null: none.
const std::string* text_read(const SourceMap& sources, const fs::path& output) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (const FileId file{static_cast<std::int32_t>(i)};
        runtime::is_same_file(output, runtime::location_of(sources.path(file))))
      return &sources.text(file);
  return nullptr;
}

/// The folder of the run that this command writes, made or not; empty: it writes none.
fs::path own_folder(const Session& session) {
  const std::string ours = session.options.command == "train" ? run_folder(session) : "";
  return ours.empty() ? fs::path() : runtime::location_of(ours);
}

/// One of the run that this command writes, or of one that there is.
bool belongs_to_run(const Session& session, const fs::path& output) {
  const fs::path folder = runtime::run_keeping(output);
  if (folder.empty()) return false;
  std::error_code failed;
  return fs::exists(folder / runtime::description_name, failed) || own_folder(session) == folder;
}

/// A pipe must have a reader. It stays open until the process ends: to close it would tell the
/// reader that this was all.
runtime::Status can_be_written_to(const runtime::OutputTarget& stream) {
  const runtime::Result<int> opened = runtime::open_stream(stream);
  return opened ? runtime::Status() : opened.error();
}

/// Where a file is to be made there must be a folder that may be written to. Of several ranks the
/// first one writes, perhaps where the others have no such folder.
runtime::Status can_be_written(const Session& session, const std::string& output) {
  if (session.ranks && session.ranks->rank() != 0) return {};
  const runtime::Result<runtime::OutputTarget> target = runtime::find_output(output);
  if (!target) return target.error();
  if (target->is_stream) return can_be_written_to(*target);
  const fs::path folder = fs::absolute(target->path).parent_path();
  if (runtime::location_of(output).parent_path() == own_folder(session) ||
      ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
    return {};
  return runtime::cannot("write", output, errno);
}

/// Whether what lies there can be read as a layout, or is called one.
bool is_layout(const fs::path& path) {
  if (path.extension() == ".layout") return true;
  const runtime::Result<runtime::Bytes> there =
      runtime::read_file(path.string(), syntax::max_text_bytes);
  if (!there) return false;
  SourceMap sources;
  Diagnostics found;
  const FileId file = sources.add(path.string(), std::string(runtime::text_of(*there)));
  return parse_layout(sources, file, found).has_value();
}

/// A layout has no beginning of its own.
runtime::Status may_replace(const std::string& output, const fs::path& path,
                            runtime::OutputForm form) {
  runtime::Status able = runtime::can_replace(output, path, form);
  std::error_code failed;
  if (!able || form != runtime::OutputForm::layout || !fs::exists(path, failed) ||
      fs::is_empty(path, failed) || is_layout(path))
    return able;
  return runtime::another_is_there(output, form);
}

int refuse(Session& session, const std::string& output, const std::string& why,
           const std::string& help = "name another file") {
  session.report(diag(DiagKind::wrong_usage, backquoted(output) + " " + why).help(help));
  return exit_usage;
}

/// The files of the model's data and its initial values.
std::vector<std::string> data_of(const Model& model) {
  std::vector<std::string> paths;
  for (const DataSource& source : model.sources)
    for (const runtime::SourceFile& file : runtime::files_of(source)) paths.push_back(file.path);
  for (const runtime::InitialFile& file : initial_files(model)) paths.push_back(file.path);
  return paths;
}

}  // namespace

std::vector<std::string> read_by(const Session& session, const Model& model) {
  std::vector<std::string> paths = data_of(model);
  for (const std::string& layout : session.options.layouts)
    if (layout != "-") paths.push_back(layout);
  if (session.checkpoint) paths.push_back(session.checkpoint->tensors.path());
  return paths;
}

std::optional<int> refused_outputs(Session& session, const std::vector<Output>& outputs,
                                   const std::vector<std::string>& reads) {
  std::vector<fs::path> before;
  std::optional<runtime::Error> unwritten;
  for (const auto& [output, form] : outputs) {
    if (output.empty()) continue;
    const fs::path path = runtime::location_of(output);
    if (!unwritten)
      if (const runtime::Status able = can_be_written(session, output); !able)
        unwritten = able.error();
    if (!is_replaced(path)) continue;
    if (text_read(session.sources, path) ||
        std::any_of(reads.begin(), reads.end(),
                    [&](const std::string& read) { return runtime::is_within(path, read); }))
      return refuse(session, output, runtime::refused_as_read);
    if (belongs_to_run(session, path))
      return refuse(session, output, runtime::refused_as_run,
                    output == session.options.log && path.filename() == runtime::log_name
                        ? "leave `--log` out: the folder of a run has this log"
                        : "name another file");
    if (std::any_of(before.begin(), before.end(),
                    [&](const fs::path& other) { return runtime::is_same_file(path, other); }))
      return refuse(session, output, runtime::refused_as_second);
    if (const runtime::Status able = may_replace(output, path, form); !able) {
      session.report_failure(DiagKind::wrong_usage, able.error());
      return exit_usage;
    }
    if (const std::string ending = ending_of(output);
        form == runtime::OutputForm::archive && !ending.empty() && ending != ".npz")
      return refuse(session, output, "would be a NumPy archive under the ending of another format",
                    "name a file that ends with `.npz`");
    before.push_back(path);
  }
  if (!unwritten) return std::nullopt;
  session.report_failure(DiagKind::run_failed, *unwritten);
  return exit_failed;
}

std::optional<int> refused_run_files(Session& session, const Model& model,
                                     const std::vector<runtime::RunText>& texts) {
  const fs::path folder = own_folder(session);
  if (folder.empty()) return std::nullopt;
  const std::vector<std::string> data = data_of(model);
  const auto is_data = [&](const fs::path& path) {
    return std::any_of(data.begin(), data.end(), [&](const std::string& read) {
      return runtime::is_same_file(path, runtime::location_of(read));
    });
  };
  std::vector<runtime::RunText> written = texts;
  written.push_back({runtime::log_name, ""});
  for (const runtime::RunText& file : written) {
    const fs::path path = folder / file.name;
    const std::string* text = text_read(session.sources, path);
    const bool is_own = file.name == runtime::layout_name && session.options.runs_layout;
    if (file.text && (is_data(path) || (text && *text != *file.text && !is_own)))
      return refuse(session, path.string(), runtime::refused_as_read,
                    "name another folder with -o");
  }
  return std::nullopt;
}

}  // namespace mtfc::cli
