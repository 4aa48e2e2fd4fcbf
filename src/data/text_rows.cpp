// chars(FILE), bytes(FILE) and bpe(FILE, vocab=, merges=): a text as one row of ids, held in
// memory; plain bytes stay on disk. All have eval="FILE" or holdout=0.1.
#include <algorithm>

#include "data/args.h"
#include "data/check_input.h"
#include "data/file_row.h"
#include "data/files/random_file.h"
#include "data/table.h"
#include "data/text/utf8.h"
#include "data/text/vocab_files.h"
#include "data/tokenizer_of.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

IdFiles take_files(Args& args) {
  IdFiles files;
  files.file = args.path("file");
  files.eval = args.path("eval");
  files.holdout = args.number("holdout");
  return files;
}

struct Texts {
  std::string train, eval;
};

/// Cuts the last share off, between characters.
Result<Texts> cut_text(std::string text, double holdout, const std::string& source) {
  const auto characters = std::count_if(text.begin(), text.end(), begins_character);
  const Result<std::int64_t> train = rows_for_training(characters, holdout, source);
  if (!train) return train.error();
  std::size_t end = 0;
  for (std::int64_t seen = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && seen++ == *train) break;
  return Texts{text.substr(0, end), text.substr(end)};
}

Result<Texts> cut_bytes(std::string text, double holdout, const std::string& source) {
  const auto size = static_cast<std::int64_t>(text.size());
  const Result<std::int64_t> train = rows_for_training(size, holdout, source);
  if (!train) return train.error();
  const auto end = static_cast<std::size_t>(*train);
  return Texts{text.substr(0, end), text.substr(end)};
}

using Read = Result<std::string>(const std::string& path);
using Cut = Result<Texts>(std::string text, double holdout, const std::string& source);

Result<Texts> read_texts(const IdFiles& files, const std::string& source, Read read, Cut cut) {
  Result<std::string> text = read(files.file);
  if (!text) return text.error();
  if (files.eval.empty()) return cut(std::move(*text), files.holdout, source);
  Result<std::string> eval = read(files.eval);
  if (!eval) return eval.error();
  return Texts{std::move(*text), std::move(*eval)};
}

Result<std::string> read_bytes(const std::string& path) {
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  return std::string(text_of(*bytes));
}

/// A file that can be read here and there.
bool is_plain(const std::string& path) {
  const Result<RandomFile> file = RandomFile::open(path);
  return file && !file->is_compressed();
}

class TextRow final : public IdRow {
 public:
  TextRow(std::int64_t count, std::string counted) : count_(count), counted_(std::move(counted)) {}

  Status encode(Split split, const std::string& text, Tokenizer& tokenizer,
                const std::string& file) {
    std::vector<std::int32_t>& ids = split == Split::train ? train_ : eval_;
    const Status encoded = tokenizer.encode(text, ids);
    if (encoded) return {};
    const std::string part = split == Split::train ? "" : ", evaluation part";
    return Error{"`" + file + "`" + part + ": " + encoded.error().message, {}, {}};
  }

  std::int64_t size(Split split) const override {
    return static_cast<std::int64_t>((split == Split::train ? train_ : eval_).size());
  }
  Status accept(const InputSpec& input) override { return check_ids(input, count_, counted_); }
  Status read(const InputSpec&, Split split, std::int64_t first, std::int64_t count,
              std::int32_t* to) override {
    std::copy_n((split == Split::train ? train_ : eval_).begin() + first, count, to);
    return {};
  }

 private:
  std::int64_t count_;   // ids are 0 .. count - 1
  std::string counted_;  // what was counted, for messages: "distinct characters"
  std::vector<std::int32_t> train_, eval_;
};

Result<std::unique_ptr<Source>> open_row(const SourceSpec& spec, const IdFiles& files,
                                         const Texts& texts, TokenTable table,
                                         const std::string& counted, std::int64_t seed) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = tokenizer_of(spec, std::move(table));
  if (!tokenizer) return tokenizer.error();
  auto row = std::make_unique<TextRow>((*tokenizer)->size(), counted);
  const std::string& eval_file = files.eval.empty() ? files.file : files.eval;
  if (Status encoded = row->encode(Split::train, texts.train, **tokenizer, files.file); !encoded)
    return encoded.error();
  if (Status encoded = row->encode(Split::eval, texts.eval, **tokenizer, eval_file); !encoded)
    return encoded.error();
  return make_window_source(spec.name, std::move(row), std::move(*tokenizer), seed);
}

}  // namespace

Result<std::unique_ptr<Source>> open_chars(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const IdFiles files = take_files(args);
  if (Status read = args.finish(); !read) return read.error();
  const Result<Texts> texts = read_texts(files, spec.name, read_text, cut_text);
  if (!texts) return texts.error();
  TokenTable table;
  table.kind = TokenTable::Kind::chars;
  const std::string_view both[] = {texts->train, texts->eval};
  table.pieces = distinct_characters(both);
  return open_row(spec, files, *texts, std::move(table), "distinct characters", seed);
}

Result<std::unique_ptr<Source>> open_bytes(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const IdFiles files = take_files(args);
  if (Status read = args.finish(); !read) return read.error();
  TokenTable table;
  table.kind = TokenTable::Kind::bytes;
  if (is_plain(files.file) && (files.eval.empty() || is_plain(files.eval))) {
    Result<std::unique_ptr<Tokenizer>> tokenizer = tokenizer_of(spec, std::move(table));
    if (!tokenizer) return tokenizer.error();
    Result<std::unique_ptr<IdRow>> row = open_file_row(files, 1, spec.name);
    if (!row) return row.error();
    return make_window_source(spec.name, std::move(*row), std::move(*tokenizer), seed);
  }
  const Result<Texts> texts = read_texts(files, spec.name, read_bytes, cut_bytes);
  if (!texts) return texts.error();
  return open_row(spec, files, *texts, std::move(table), "distinct bytes", seed);
}

Result<std::unique_ptr<Source>> open_bpe(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const IdFiles files = take_files(args);
  const std::string vocab = args.path("vocab");
  const std::string merges = args.path("merges");
  if (Status read = args.finish(); !read) return read.error();
  const Result<Texts> texts = read_texts(files, spec.name, read_text, cut_text);
  if (!texts) return texts.error();
  Result<TokenTable> table = read_bpe(vocab, merges);
  if (!table) return table.error();
  return open_row(spec, files, *texts, std::move(*table), "tokens in the vocabulary", seed);
}

}  // namespace mtfc::runtime
