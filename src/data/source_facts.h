// What the files of a data source hold, as far as a look at them shows: ranks compare it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sources/source_spec.h"
#include "support/fact.h"

namespace mtfc::runtime {

/// A file that a source reads: as messages name it, and where it lies.
struct SourceFile {
  std::string name, path;
};
std::vector<SourceFile> files_of(const SourceSpec& spec);

/// The size of a file, and a digest of its beginning, its end and blocks in between; all of it, if
/// it is small. What cannot be read has a value too. With MTFC_DATA=parts in the environment the
/// size alone: each rank's file holds what that rank reads.
std::string file_fact(const std::string& path);
/// Whether such a text is of a file that holds what one rank reads.
bool is_in_parts(std::string_view fact);
/// One for each file that the source reads.
Facts facts_of(const SourceSpec& spec);

}  // namespace mtfc::runtime
