// tsv(FILE): a pair of texts a line. lines(FILE): a text a line. Both are read once and held in
// memory as ids.
#include <algorithm>

#include "data/args.h"
#include "data/sequences.h"
#include "data/table.h"
#include "data/text/lines.h"
#include "data/text/utf8.h"
#include "data/tokenizer_of.h"
#include "data/vocabulary.h"

namespace mtfc::runtime {
namespace {

/// A file cut into cells: views of its text.
struct CutFile {
  std::string path;
  std::vector<std::string_view> cells;  // of all examples, one for each stream
  std::vector<std::int64_t> lines;      // of each example
};

/// Empty lines are left out. A pair is two cells with one tab between.
Result<CutFile> cut(const std::string& path, std::string_view text, bool pairs) {
  CutFile file{path, {}, {}};
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.find_first_not_of(" \t\v\f\r") == line.npos) continue;
    file.lines.push_back(number);
    if (!pairs) {
      file.cells.push_back(line);
      continue;
    }
    const std::size_t tab = line.find('\t');
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1)
      return Error{line_location(path, number) + " is not a pair: it has " + std::to_string(tabs) +
                       " tabs, not one between two texts",
                   {},
                   {}};
    file.cells.push_back(line.substr(0, tab));
    file.cells.push_back(line.substr(tab + 1));
  }
  return file;
}

Result<Sequences> encode(const CutFile& file, std::size_t streams, Tokenizer& tokenizer) {
  Sequences made;
  made.file = file.path;
  made.lines = file.lines;
  for (std::size_t i = 0; i < file.cells.size(); ++i) {
    if (Status encoded = tokenizer.encode(file.cells[i], made.ids); !encoded) {
      const std::string cell = streams == 1 ? "" : i % streams == 0 ? ", source" : ", target";
      return Error{
          line_location(file.path, file.lines[i / streams]) + cell + ": " + encoded.error().message,
          encoded.error().helps,
          {}};
    }
    made.ids.push_back(*tokenizer.end());
    made.ends.push_back(static_cast<std::int64_t>(made.ids.size()));
  }
  return made;
}

SequenceRules::TooLong take_too_long(Args& args) {
  using TooLong = SequenceRules::TooLong;
  const std::string rule = args.word("too_long");
  if (rule == "trim") return TooLong::trim;
  if (rule == "skip") return TooLong::skip;
  if (rule != "error")
    args.fail("`too_long` must be \"error\", \"trim\" or \"skip\", not \"" + rule + "\"");
  return TooLong::error;
}

Result<std::unique_ptr<Source>> open_sequences(const SourceSpec& spec,
                                               std::vector<std::string> streams,
                                               std::int64_t seed) {
  Args args(spec);
  const std::string path = args.path("file");
  const std::string eval_path = args.path("eval");
  const double holdout = args.number("holdout");
  const VocabularyChoice choice = take_vocabulary(args);
  SequenceRules rules{std::move(streams), take_too_long(args), args.flag("pack")};
  if (Status read = args.finish(); !read) return read.error();

  // The texts are kept until their ids are made.
  const bool pairs = rules.streams.size() == 2;
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  const Result<std::string> eval_text = eval_path.empty() ? std::string() : read_text(eval_path);
  if (!eval_text) return eval_text.error();
  const Result<CutFile> file = cut(path, *text, pairs);
  if (!file) return file.error();
  const Result<CutFile> eval = cut(eval_path, *eval_text, pairs);
  if (!eval) return eval.error();
  if (file->lines.empty()) return Error{"`" + path + "` has no lines", {}, {}};

  std::vector<std::string_view> cells = file->cells;
  cells.insert(cells.end(), eval->cells.begin(), eval->cells.end());
  Result<TokenTable> table = open_vocabulary(choice, cells);
  if (!table) return table.error();
  Result<std::unique_ptr<Tokenizer>> tokenizer = tokenizer_of(spec, std::move(*table));
  if (!tokenizer) return tokenizer.error();

  Result<Sequences> train_ids = encode(*file, rules.streams.size(), **tokenizer);
  if (!train_ids) return train_ids.error();
  Result<Sequences> eval_ids = encode(*eval, rules.streams.size(), **tokenizer);
  if (!eval_ids) return eval_ids.error();
  const auto all = static_cast<std::int64_t>(file->lines.size());
  const Result<std::int64_t> train = rows_for_training(all, holdout, spec.name);
  if (!train) return train.error();
  SequenceSplits splits{std::move(*train_ids), std::move(*eval_ids),
                        eval_path.empty() ? *train : all};
  return make_sequence_source(spec.name, std::move(rules), std::move(splits), std::move(*tokenizer),
                              seed);
}

}  // namespace

Result<std::unique_ptr<Source>> open_tsv(const SourceSpec& spec, std::int64_t seed) {
  return open_sequences(spec, {"source", "target"}, seed);
}

Result<std::unique_ptr<Source>> open_lines(const SourceSpec& spec, std::int64_t seed) {
  return open_sequences(spec, {"tokens"}, seed);
}

}  // namespace mtfc::runtime
