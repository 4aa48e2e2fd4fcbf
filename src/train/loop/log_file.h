// A training log on its way to a file, a device or a pipe: a line at a time, each whole on the
// disk's side of the program before the next step begins.
#pragma once
#include <cstdio>
#include <memory>
#include <string>

#include "data/files/output_target.h"
#include "support/result.h"
#include "train/checkpoint/train_state.h"

namespace mtfc::runtime {

class LogFile {
 public:
  /// Whether a log can be written there: no other run does, and the path is valid. Nothing is
  /// touched.
  static Status can_write(const std::string& path);
  /// An empty file in the place of what was there. Refused, as `resume` is, while another run
  /// writes there.
  static Result<LogFile> create(const std::string& path);
  /// Goes on behind the lines that the run wrote until `state`: later ones, and a line that was
  /// cut off, are removed. A file that is not there is created.
  static Result<LogFile> resume(const std::string& path, const TrainState& state);

  /// Without a line end.
  Status write(const std::string& line);

 private:
  static Result<LogFile> open(const OutputTarget& target);
  LogFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file, &std::fclose) {}
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace mtfc::runtime
