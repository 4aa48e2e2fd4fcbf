#include "train/loop/output_files.h"

#include <filesystem>
#include <vector>

#include "data/files/output_folder.h"
#include "data/files/output_form.h"
#include "data/files/output_location.h"
#include "data/files/output_target.h"
#include "data/source_facts.h"
#include "support/text.h"
#include "train/checkpoint/folder.h"

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_by(const TrainPlan& plan, const std::string& resumed) {
  std::vector<std::string> paths;
  for (const SourceSpec& source : plan.sources)
    for (const SourceFile& file : files_of(source)) paths.push_back(file.path);
  for (const InitialFile& file : plan.initial) paths.push_back(file.path);
  // In a folder it is a checkpoint that is read.
  if (!resumed.empty() && !has_checkpoints(resumed)) paths.push_back(resumed);
  return paths;
}

bool is_run(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / description_name, failed) ||
         !checkpoints_in((folder / checkpoints_name).string()).empty();
}

/// Where the run that is resumed, or another one, keeps what it cannot do without. Its log is
/// named.
bool is_kept_by_run(const fs::path& output, const fs::path& own) {
  const std::string name = output.filename().string();
  if (name == OutputFolder::mark || name == FolderLock::file_name) return true;
  const fs::path run = name == log_name ? run_around(output) : run_keeping(output);
  return !run.empty() && (is_same_file(run, own) || is_run(run));
}

Error refused(const std::string& name, const std::string& why, const std::string& help) {
  return {backquoted(name) + " " + why, {help}, {}};
}

/// A file that is there is replaced only by one of its kind, and not if it is another run's.
Status can_replace(const std::string& name, const fs::path& output, OutputForm form,
                   const fs::path& own) {
  const std::string other = "name another file";
  if (is_kept_by_run(output, own)) return refused(name, refused_as_run, other);
  std::error_code failed;
  if (!fs::is_regular_file(output, failed) || fs::file_size(output, failed) == 0) return {};
  const fs::path folder = output.parent_path();
  if (is_run(folder) && !is_same_file(folder, own))
    return refused(name, "is a file of another run, and would be replaced", other);
  return can_replace(name, output, form);
}

}  // namespace

Status can_replace(const OutputFiles& outputs, const TrainPlan& plan, const std::string& resumed) {
  const fs::path own = outputs.folder.empty() ? fs::path() : location_of(outputs.folder);
  std::vector<fs::path> before;
  if (!own.empty()) before.push_back(own);
  for (const std::string& name : {outputs.log, outputs.archive}) {
    if (name.empty()) continue;
    const Result<OutputTarget> target = find_output(name);
    if (target && target->is_stream) continue;
    const fs::path output = location_of(name);
    for (const fs::path& other : before)
      if (is_same_file(output, other)) return refused(name, refused_as_second, "name another file");
    before.push_back(output);
    for (const std::string& read : read_by(plan, resumed))
      if (is_within(output, read)) return refused(name, refused_as_read, "name another file");
    const OutputForm form = name == outputs.log ? OutputForm::log : OutputForm::archive;
    if (Status able = can_replace(name, output, form, own); !able) return able;
  }
  return {};
}

}  // namespace mtfc::runtime
