#include "sources/source_table.h"

#include <algorithm>

namespace mtfc {
namespace {

using Kind = SourceArg::Kind;

SourceArg required(std::string_view name, Kind kind) { return {name, kind, true, {}, {}}; }
SourceArg optional(std::string_view name, Kind kind, SourceArg::Default otherwise = {}) {
  return {name, kind, false, otherwise, {}};
}

const SourceArg file = required("file", Kind::path);
const SourceArg eval = optional("eval", Kind::path);
const SourceArg holdout{"holdout", Kind::share, false, 0.1, "eval"};
const SourceArg seed = optional("seed", Kind::integer, std::int64_t{0});
const SourceArg fixed = optional("fixed", Kind::flag, false);
const SourceArg vocab = optional("vocab", Kind::path);
const SourceArg merges = optional("merges", Kind::path);

const std::vector<SourceField> images = {{"image", DType::f32, 3}, {"label", DType::i32, 1}};
const std::vector<SourceField> windows = {{"window", DType::i32, 2},
                                          {"window_next", DType::i32, 2}};

/// Of sources whose examples are lines of text.
const std::vector<SourceArg> line_args = {
    file,
    eval,
    holdout,
    optional("tokens", Kind::word),
    vocab,
    merges,
    optional("too_long", Kind::word, std::string_view("error")),
    optional("pack", Kind::flag, false)};

}  // namespace

const std::vector<SourceRow>& source_table() {
  // Name, arguments, fields, whether it reads text.
  static const std::vector<SourceRow> table = {
      {"idx", {required("dir", Kind::path)}, images},
      {"digits",
       {seed, optional("count", Kind::integer, std::int64_t{4000}),
        optional("eval_count", Kind::integer, std::int64_t{1000})},
       images},
      {"chars", {file, eval, holdout}, windows, true},
      {"bytes", {file, eval, holdout}, windows, true},
      {"bpe",
       {file, required("vocab", Kind::path), required("merges", Kind::path), eval, holdout},
       windows,
       true},
      {"tokens",
       {file, eval, holdout, optional("bits", Kind::integer, std::int64_t{16}), vocab, merges},
       windows,
       true},
      {"tsv",
       line_args,
       {{"source", DType::i32, 2},
        {"target", DType::i32, 2},
        {"source_segment", DType::i32, 2},
        {"source_position", DType::i32, 2},
        {"target_segment", DType::i32, 2},
        {"target_position", DType::i32, 2}},
       true},
      {"lines",
       line_args,
       {{"tokens", DType::i32, 2}, {"segment", DType::i32, 2}, {"position", DType::i32, 2}},
       true},
      {"bert_pairs",
       {file, required("vocab", Kind::path), eval, holdout},
       {{"tokens", DType::i32, 2}, {"types", DType::i32, 2}, {"is_next", DType::i32, 1}},
       true},
      {.name = "npy",
       .args = {file, holdout},
       .fields = {},
       .more_files = true,
       .first_field = "data"},
      {"csv", {file, eval, holdout}, {}},
      {"gaussian", {seed, fixed}, {{"", DType::f32, 0}}},
      {"gaussian_labels", {seed, required("classes", Kind::integer), fixed}, {{"", DType::i32, 0}}},
  };
  return table;
}

const SourceArg* SourceRow::find(std::string_view arg) const {
  const auto found = std::find_if(args.begin(), args.end(),
                                  [&](const SourceArg& known) { return known.name == arg; });
  return found == args.end() ? nullptr : &*found;
}

bool SourceRow::is_path(std::string_view arg) const {
  const SourceArg* known = find(arg);
  return known == nullptr ? more_files : known->kind == Kind::path;
}

const SourceRow* find_source(std::string_view name) {
  for (const SourceRow& row : source_table())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::string> fields_of(const SourceRow& row, const SourceSpec& source) {
  std::vector<std::string> names;
  for (const SourceField& field : row.fields) names.emplace_back(field.name);
  if (!row.more_files) return names;
  names.emplace_back(row.first_field);
  for (const auto& [name, value] : source.args)
    if (row.find(name) == nullptr) names.push_back(name);
  return names;
}

std::string source_names() {
  std::string names;
  for (const SourceRow& row : source_table())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

bool opens_files(const SourceSpec& source) {
  const SourceRow* row = find_source(source.function);
  return row != nullptr && std::any_of(source.args.begin(), source.args.end(),
                                       [&](const auto& arg) { return row->is_path(arg.first); });
}

std::string path_from(const std::string& directory, const std::string& path) {
  if (path.empty() || path.front() == '/' || directory.empty()) return path;
  return directory.back() == '/' ? directory + path : directory + "/" + path;
}

bool replace_path(SourceSpec& source, std::string path) {
  const SourceRow* row = find_source(source.function);
  if (row == nullptr || row->args.empty() || row->args[0].kind != Kind::path) return false;
  const auto first = std::find_if(source.args.begin(), source.args.end(),
                                  [&](const auto& arg) { return arg.first == row->args[0].name; });
  if (first == source.args.end()) return false;
  for (auto& [name, value] : source.args)
    if (auto* text = std::get_if<std::string>(&value); text && row->is_path(name))
      *text = path_from(source.directory, *text);
  first->second = std::move(path);
  source.directory.clear();
  return true;
}

}  // namespace mtfc
