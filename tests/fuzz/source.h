// A data source on files of an input: it is refused, or feeds what fits.
#pragma once
#include <vector>

#include "data/feeder.h"
#include "fuzz/target.h"

namespace mtfc::fuzz {

/// Two batches of each split; ids are those of the inputs.
void feed(SourceSpec source, std::vector<runtime::InputSpec> inputs);

/// The sections as files of the scratch folder; "file" is the first one. Those that are not there
/// are removed.
void write_files(const Sections& sections, const std::vector<std::string>& names);

}  // namespace mtfc::fuzz
