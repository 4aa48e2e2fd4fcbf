// Sources that are text or ids. The first line is the function and further arguments, "tsv
// tokens=bpe pack"; sections are files: text, eval, vocab, merges.
#include <sstream>

#include "fuzz/source.h"
#include "sources/source_table.h"

namespace mtfc::fuzz {

namespace {

using Args = std::vector<std::pair<std::string, SourceSpec::Value>>;

runtime::InputSpec ids(const std::string& field) {
  return {field, DType::i32, {2, 4}, {"batch", "length"}, "s", field, 300, "vocab"};
}

std::vector<runtime::InputSpec> inputs_of(const SourceRow& row) {
  std::vector<runtime::InputSpec> inputs;
  for (const SourceField& field : row.fields) {
    inputs.push_back(ids(std::string(field.name)));
    if (field.rank == 1) inputs.back().extents = {2}, inputs.back().dims = {"batch"};
  }
  return inputs;
}

/// "pack": a flag; "bits=16": a whole number; "tokens=bpe": a word.
void add_word(const std::string& word, Args& args) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  if (equals == word.npos)
    args.emplace_back(name, true);
  else if (name == "bits")
    args.emplace_back(name, static_cast<std::int64_t>(word[equals + 1] - '0') * 8);
  else if (name == "holdout")
    args.emplace_back(name, static_cast<double>(word[equals + 1] - '0') / 10);
  else
    args.emplace_back(name, word.substr(equals + 1));
}

}  // namespace

void texts(std::string_view input) {
  const Sections sections = sections_of(input);
  std::istringstream words(sections.front().second);
  SourceSpec spec{"s", "", {{"file", std::string("text")}}, ""};
  words >> spec.function;
  const SourceRow* row = find_source(spec.function);
  if (row == nullptr || !row->reads_text) return;
  for (std::string word; words >> word;) add_word(word, spec.args);
  write_files(sections, {"text", "eval", "vocab", "merges"});
  for (const std::string name : {"eval", "vocab", "merges"})
    for (const auto& [of, text] : sections)
      if (of == name) spec.args.emplace_back(name, name);
  feed(std::move(spec), inputs_of(*row));
}

}  // namespace mtfc::fuzz
