// What the files of a data source hold, as far as a look at them shows: ranks compare it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sources/source_spec.h"
#include "support/fact.h"

namespace mtfc::runtime {

/// A file that a source reads: by which argument (of `idx` its own name), as messages name it, and
/// where it lies.
struct SourceFile {
  std::string argument, name, path;
};
std::vector<SourceFile> files_of(const SourceSpec& spec);

/// The size of a file, and a digest of its beginning, its end and blocks in between; all of it, if
/// it is small. What cannot be read has a value too. With MTFC_DATA=parts in the environment the
/// size alone: each rank's file holds what that rank reads.
std::string file_fact(const std::string& path);
/// Whether such a text is of a file that holds what one rank reads.
bool is_in_parts(std::string_view fact);
/// How facts name files: as they are given, or by the argument, so that runs from other folders
/// have the same names.
enum class FileNames { paths, arguments };
/// One for each file that the source reads.
Facts facts_of(const SourceSpec& spec, FileNames names);

}  // namespace mtfc::runtime
