// tokens(FILE, bits=16): ids as unsigned numbers of 16 or 32 bits, little end first, nothing else
// (nanoGPT's .bin). The file stays on disk; vocab= and merges= only say what the ids mean.
#include "data/args.h"
#include "data/file_row.h"
#include "data/table.h"
#include "data/text/vocab_files.h"
#include "data/tokenizer_of.h"

namespace mtfc::runtime {

Result<std::unique_ptr<Source>> open_tokens(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  IdFiles files;
  files.file = args.path("file");
  files.eval = args.path("eval");
  files.holdout = args.number("holdout");
  const std::int64_t bits = args.integer("bits");
  const std::string vocab = args.path("vocab");
  const std::string merges = args.path("merges");
  if (bits != 16 && bits != 32) args.fail("`bits` must be 16 or 32");
  if (vocab.empty() != merges.empty()) args.fail("`vocab` and `merges` go together");
  if (Status read = args.finish(); !read) return read.error();

  std::unique_ptr<Tokenizer> tokenizer;
  if (!vocab.empty()) {
    Result<TokenTable> table = read_bpe(vocab, merges);
    if (!table) return table.error();
    Result<std::unique_ptr<Tokenizer>> made = tokenizer_of(spec, std::move(*table));
    if (!made) return made.error();
    tokenizer = std::move(*made);
  }
  Result<std::unique_ptr<IdRow>> row = open_file_row(files, bits / 8, spec.name);
  if (!row) return row.error();
  return make_window_source(spec.name, std::move(*row), std::move(tokenizer), seed);
}

}  // namespace mtfc::runtime
