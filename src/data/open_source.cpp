#include "data/args.h"
#include "data/source.h"
#include "data/table.h"

namespace mtfc::runtime {
namespace {

using OpenTable = Result<Table> (*)(const SourceSpec&);
using OpenEndless = Result<std::unique_ptr<Source>> (*)(const SourceSpec&);
using OpenText = Result<std::unique_ptr<Source>> (*)(const SourceSpec&, std::int64_t seed);

struct Opener {
  std::string_view function;
  OpenTable table = nullptr;
  OpenText text = nullptr;
  OpenEndless endless = nullptr;
};

// The reader of each row of sources/source_table.h.
constexpr Opener openers[] = {
    {.function = "idx", .table = open_idx},
    {.function = "digits", .table = draw_digits},
    {.function = "npy", .table = open_npy},
    {.function = "csv", .table = open_csv},
    {.function = "chars", .text = open_chars},
    {.function = "bytes", .text = open_bytes},
    {.function = "bpe", .text = open_bpe},
    {.function = "tokens", .text = open_tokens},
    {.function = "tsv", .text = open_tsv},
    {.function = "lines", .text = open_lines},
    {.function = "bert_pairs", .text = open_bert_pairs},
    {.function = "gaussian", .endless = open_gaussian},
    {.function = "gaussian_labels", .endless = open_gaussian_labels},
};

Result<std::unique_ptr<Source>> open_with(const Opener& opener, const SourceSpec& spec,
                                          std::int64_t seed) {
  if (opener.text != nullptr) return opener.text(spec, seed);
  if (opener.endless != nullptr) return opener.endless(spec);
  Result<Table> table = opener.table(spec);
  if (!table) return table.error();
  return make_table_source(std::move(*table), seed);
}

}  // namespace

Result<std::unique_ptr<Source>> open_source(const SourceSpec& spec, std::int64_t seed) {
  for (const Opener& opener : openers) {
    if (opener.function != spec.function) continue;
    Result<std::unique_ptr<Source>> source = open_with(opener, spec, seed);
    if (source || !source.error().subject.empty()) return source;
    Error error = source.error();
    error.subject = spec.name;
    return error;
  }
  return Error{"no data source is called `" + spec.function + "`",
               {"there are: " + source_names()},
               spec.name};
}

}  // namespace mtfc::runtime
