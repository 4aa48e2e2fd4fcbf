#include "frontend/elaborate/source_table.h"

namespace mtfc::elab {

namespace {

const std::vector<SourceForm>& forms() {
  using A = SourceForm::Arg;
  static const std::vector<SourceForm> table = {
      {"idx", {{"dir", A::text, true}}, {{"image", DType::f32, 3}, {"label", DType::i32, 1}}},
      {"digits",
       {{"seed", A::integer, false},
        {"count", A::integer, false},
        {"eval_count", A::integer, false}},
       {{"image", DType::f32, 3}, {"label", DType::i32, 1}}},
      {"chars",
       {{"file", A::text, true}, {"eval", A::text, false}, {"holdout", A::number, false}},
       {{"window", DType::i32, 2}, {"window_next", DType::i32, 2}}},
      {"bytes",
       {{"file", A::text, true}, {"eval", A::text, false}, {"holdout", A::number, false}},
       {{"window", DType::i32, 2}, {"window_next", DType::i32, 2}}},
      {"bpe",
       {{"file", A::text, true},
        {"vocab", A::text, true},
        {"merges", A::text, true},
        {"eval", A::text, false},
        {"holdout", A::number, false}},
       {{"window", DType::i32, 2}, {"window_next", DType::i32, 2}}},
      {"tokens",
       {{"file", A::text, true},
        {"eval", A::text, false},
        {"holdout", A::number, false},
        {"bits", A::integer, false},
        {"vocab", A::text, false},
        {"merges", A::text, false}},
       {{"window", DType::i32, 2}, {"window_next", DType::i32, 2}}},
      {"tsv",
       {{"file", A::text, true},
        {"eval", A::text, false},
        {"holdout", A::number, false},
        {"tokens", A::text, false},
        {"vocab", A::text, false},
        {"merges", A::text, false},
        {"too_long", A::text, false},
        {"pack", A::flag, false}},
       {{"source", DType::i32, 2},
        {"target", DType::i32, 2},
        {"source_segment", DType::i32, 2},
        {"source_position", DType::i32, 2},
        {"target_segment", DType::i32, 2},
        {"target_position", DType::i32, 2}}},
      {"lines",
       {{"file", A::text, true},
        {"eval", A::text, false},
        {"holdout", A::number, false},
        {"tokens", A::text, false},
        {"vocab", A::text, false},
        {"merges", A::text, false},
        {"too_long", A::text, false},
        {"pack", A::flag, false}},
       {{"tokens", DType::i32, 2}, {"segment", DType::i32, 2}, {"position", DType::i32, 2}}},
      {"bert_pairs",
       {{"file", A::text, true},
        {"vocab", A::text, true},
        {"eval", A::text, false},
        {"holdout", A::number, false}},
       {{"tokens", DType::i32, 2}, {"types", DType::i32, 2}, {"is_next", DType::i32, 1}}},
      {"npy", {{"file", A::text, true}, {"holdout", A::number, false}}, {}, true},
      {"csv",
       {{"file", A::text, true}, {"eval", A::text, false}, {"holdout", A::number, false}},
       {}},
      {"gaussian", {{"seed", A::integer, false}, {"fixed", A::flag, false}}, {{"", DType::f32, 0}}},
      {"gaussian_labels",
       {{"seed", A::integer, false}, {"classes", A::integer, true}, {"fixed", A::flag, false}},
       {{"", DType::i32, 0}}},
  };
  return table;
}

}  // namespace

const SourceForm* find_source(std::string_view name) {
  for (const SourceForm& form : forms())
    if (form.name == name) return &form;
  return nullptr;
}

std::vector<std::string> source_names() {
  std::vector<std::string> names;
  for (const SourceForm& form : forms()) names.emplace_back(form.name);
  return names;
}

}  // namespace mtfc::elab
