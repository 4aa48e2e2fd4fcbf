// The symbol table: every name of the shipped models is found, and renaming by its spans is safe.
#include "frontend/elaborate/symbols.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/elaborate/setting_keys.h"
#include "messages/render.h"
#include "optim/loss_scale.h"
#include "optim/optimizers.h"
#include "optim/schedules.h"
#include "sources/source_table.h"

namespace frontend_elaborate_symbols_test {

using namespace mtfc;

namespace {

struct Table {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file;
  std::string text;
  ModelWithSymbols result;

  Table(const std::string& path, std::string source) : text(std::move(source)) {
    file = sources.add(path, text);
    result = elaborate_with_symbols(sources, file, {}, diagnostics);
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += render_text(d, sources, {}) + "\n";
    return all;
  }
  const Symbols& symbols() const { return result.symbols; }
  /// The symbol at the n-th occurrence of a text.
  const Symbol* at(const std::string& what, int n = 0) const {
    std::size_t offset = text.find(what);
    while (n-- > 0) offset = text.find(what, offset + 1);
    REQUIRE(offset != text.npos);
    return symbols().at(file, static_cast<std::uint32_t>(offset));
  }
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(MTFC_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".mtf") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Words that no declaration gives a meaning.
std::set<std::string> known_words() {
  std::set<std::string> words = {"and",       "bf16",       "block",     "bool",
                                 "const",     "data",       "dim",       "dims",
                                 "else",      "f16",        "f32",       "f64",
                                 "false",     "from",       "generate",  "if",
                                 "in",        "input",      "instance",  "int",
                                 "loss",      "metric",     "not",       "or",
                                 "over",      "param",      "params",    "prompt",
                                 "recompute", "repeat",     "return",    "start",
                                 "state",     "step",       "stop",      "then",
                                 "train",     "training",   "true",      "update",
                                 "use",       "uniform",    "normal",    "truncated_normal",
                                 "integers",  "bernoulli",  "fan_in",    "he",
                                 "glorot",    "orthogonal", "std",       "gain",
                                 "one_file",  "sharded",    "replicated"};
  const auto add_form = [&](const optim::Form& form) {
    words.emplace(form.name);
    for (const optim::Formal& formal : form.args) words.emplace(formal.name);
  };
  for (const std::string& name : elab::builtin_names()) {
    words.insert(name);
    if (const elab::Builtin* row = elab::find_builtin(name))
      for (const auto& argument : row->form.arguments) words.emplace(argument.name);
  }
  for (const auto* keys : {&elab::train_keys(), &elab::param_keys()})
    words.insert(keys->begin(), keys->end());
  for (const SourceRow& row : source_table()) {
    words.emplace(row.name);
    for (const SourceField& field : row.fields) words.emplace(field.name);
    for (const SourceArg& arg : row.args) words.emplace(arg.name);
  }
  for (const auto& row : optim::optimizers()) add_form(row.form);
  for (const auto& row : optim::schedules()) add_form(row.form);
  return words;
}

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool within_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'';
}

/// Where names and words begin and end, outside comments, strings and numbers.
std::vector<std::pair<std::uint32_t, std::string>> names_in(const std::string& text) {
  std::vector<std::pair<std::uint32_t, std::string>> names;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"') {
      i = text.find('"', i + 1) + 1;
    } else if (std::isdigit(static_cast<unsigned char>(text[i]))) {
      while (i < text.size() && (within_name(text[i]) || text[i] == '.')) ++i;
    } else if (begins_name(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && within_name(text[i])) ++i;
      names.emplace_back(static_cast<std::uint32_t>(begin), text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return names;
}

/// The text with every occurrence of some symbols given a suffix.
std::string renamed(const Table& table, const std::vector<const Symbol*>& symbols) {
  std::map<std::uint32_t, bool> ends;
  for (const Symbol* symbol : symbols)
    for (const Span& span : Symbols::occurrences(*symbol)) ends[span.end] = true;
  std::string text;
  for (std::uint32_t i = 0; i <= table.text.size(); ++i) {
    if (ends.count(i)) text += "_renamed";
    if (i < table.text.size()) text += table.text[i];
  }
  return text;
}

/// Whether a rename of the text alone is enough: all of it is in the model's own file, and no glob
/// names it.
bool own(const Table& table, const Symbol& symbol) {
  if (symbol.kind == Symbol::Kind::file || !symbol.implied.empty()) return false;
  if (symbol.name.find('\'') != std::string::npos) return false;
  if (table.text.find('"' + symbol.name + '"') != std::string::npos) return false;
  for (const Span& span : Symbols::occurrences(symbol))
    if (span.file != table.file) return false;
  return true;
}

/// Graphs without their names: operations, operands, types by the dimensions' numbers.
std::string structure(const Graph& graph) {
  std::string text;
  for (const Operation& op : graph.ops) {
    text += op.op;
    for (ValueId id : op.operands) text += " " + std::to_string(id.index);
    for (ValueId id : op.results) {
      text += " -> " + std::string(name(graph.at(id).type.dtype));
      for (DimId dim : graph.at(id).type.dims) text += " " + std::to_string(dim.index);
    }
    text += "\n";
  }
  for (const Output& output : graph.outputs)
    text += std::string(name(output.kind)) + " " + std::to_string(output.value.index) + "\n";
  return text;
}
std::string structure(const Model& model) {
  std::string text = structure(model.init) + structure(model.train) + structure(model.eval);
  for (const Dim& dim : model.dims.all()) text += std::to_string(dim.size) + " ";
  return text;
}

}  // namespace

TEST_CASE("every name of the shipped models is one symbol, or a known word") {
  const std::set<std::string> known = known_words();
  for (const auto& path : models()) {
    const Table table(path.string(), read(path));
    INFO(path.string() << "\n" << table.messages());
    REQUIRE(table.result.model);
    for (const auto& [begin, name] : names_in(table.text)) {
      const Symbol* symbol = table.symbols().at(table.file, begin);
      INFO("`" << name << "` at byte " << begin);
      if (!symbol) {
        CHECK(known.count(name) == 1);
        continue;
      }
      std::string base = name;  // an alias is written with its dimension's name
      while (base != symbol->name && base.back() == '\'') base.pop_back();
      CHECK(base == symbol->name);
    }
  }
}

TEST_CASE("declarations and uses point to text that is the name") {
  for (const auto& path : models()) {
    const Table table(path.string(), read(path));
    std::set<std::pair<FileId, std::uint32_t>> seen;
    for (const Symbol& symbol : table.symbols().all()) {
      INFO(path.string() << ": `" << symbol.name << "`, " << describe(symbol.kind));
      for (const Span& span : Symbols::occurrences(symbol)) {
        CHECK(seen.insert({span.file, span.begin}).second);
        CHECK(table.symbols().at(span.file, span.begin) == &symbol);
        if (symbol.kind == Symbol::Kind::file && span == symbol.declared) continue;
        CHECK(table.sources.text(span) == symbol.name);
      }
    }
  }
}

TEST_CASE("a model in which all its names are renamed by their spans has an equal graph") {
  for (const auto& path : models()) {
    const Table table(path.string(), read(path));
    REQUIRE(table.result.model);
    std::vector<const Symbol*> all;
    for (const Symbol& symbol : table.symbols().all())
      if (own(table, symbol)) all.push_back(&symbol);
    CHECK(all.size() >= 10);
    const Table other(path.string(), renamed(table, all));
    INFO(other.messages());
    REQUIRE(other.result.model);
    CHECK(structure(*other.result.model) == structure(*table.result.model));
    CHECK(other.symbols().all().size() == table.symbols().all().size());
  }
}

TEST_CASE("any one name of a model can be renamed by its spans") {
  const std::string path = MTFC_SOURCE_DIR "/models/gpt.mtf";
  const Table table(path, read(path));
  REQUIRE(table.result.model);
  const std::string before = structure(*table.result.model);
  for (const Symbol& symbol : table.symbols().all()) {
    if (!own(table, symbol)) continue;
    const Table other(path, renamed(table, {&symbol}));
    INFO("`" << symbol.name << "`, " << describe(symbol.kind) << "\n" << other.messages());
    REQUIRE(other.result.model);
    CHECK(structure(*other.result.model) == before);
  }
}

TEST_CASE("a symbol knows its kind, its uses and what it is in each instance") {
  const Table table("model.mtf",
                    "dim b = 4, d = 8, e = 2 * d\n"
                    "input x[b, d] from gaussian(seed=1)\n"
                    "block net(x, rate=0.5 over n -> m) {\n"
                    "  param w[n, m] = 1\n"
                    "  return einsum(x, w over n) * rate\n"
                    "}\n"
                    "h = net@one(x over d -> e)\n"
                    "h = net@two(h, rate=2 over e -> d)\n"
                    "repeat@steps i in 3 { h = h + i }\n"
                    "y = if training then h else 2 * h\n"
                    "loss mean(y[e' -> e]) \n");
  // The last line has a mistake: the table has what was elaborated until there, and it all is.
  const Symbol* d = table.at("d = 8");
  REQUIRE(d);
  CHECK(d->kind == Symbol::Kind::dimension);
  CHECK(d->uses.size() == 4);
  REQUIRE(d->instances.size() == 1);
  CHECK(d->instances[0].path == "d");
  CHECK(d->instances[0].type == "8");
  const Symbol* w = table.at("w[n, m]");
  REQUIRE(w);
  CHECK(w->kind == Symbol::Kind::parameter);
  CHECK(w == table.at("w over"));
  REQUIRE(w->instances.size() == 2);
  CHECK(w->instances[0].path == "one.w");
  CHECK(w->instances[0].type == "f32[d, e]");
  CHECK(w->instances[1].path == "two.w");
  CHECK(w->instances[1].type == "f32[e, d]");
  const Symbol* rate = table.at("rate");
  CHECK(rate == table.at("rate", 1));
  CHECK(rate == table.at("rate=2"));
  const Symbol* h = table.at("h = net@one");
  REQUIRE(h);
  CHECK(h == table.at("h = net@two"));
  CHECK(h == table.at("h, rate"));
  CHECK(h == table.at("h = h + i"));
  CHECK(h->declared.begin == table.text.find("h = net@one"));
  CHECK(table.at("net(x") == table.at("net@two"));
  CHECK(table.at("net(x")->kind == Symbol::Kind::block);
  CHECK(table.at("one(")->kind == Symbol::Kind::label);
  CHECK(table.at("steps")->kind == Symbol::Kind::label);
  CHECK(table.at("i in")->instances.size() == 3);
  CHECK(table.at("x[b, d]") != table.at("x, rate"));
  CHECK(table.symbols().at(table.file, 0) == nullptr);  // the keyword `dim`
  CHECK(table.at("e' -> e") == table.at("e = 2"));
}

TEST_CASE("a name bound by both branches of an `if` is one symbol") {
  const Table table("model.mtf",
                    "dim b = 4\ninput x[b] from gaussian(seed=1)\nparam w[b] = 1\n"
                    "if training { y = x * w } else { y = 2 * x * w }\n"
                    "loss mean(y)\n");
  INFO(table.messages());
  REQUIRE(table.result.model);
  const Symbol* y = table.at("y = x");
  REQUIRE(y);
  CHECK(y == table.at("y = 2"));
  CHECK(y == table.at("y)"));
}

TEST_CASE("a dimension that a block takes by its name is implied at the call") {
  const Table table("model.mtf",
                    "dim b = 4, kv = 8\ninput x[b] from gaussian(seed=1)\n"
                    "block more(x, dim kv) { param w[kv] = 1 return sum(x * w over kv) }\n"
                    "loss mean(more(x))\n");
  const Symbol* kv = table.at("kv = 8");
  REQUIRE(kv);
  REQUIRE(kv->implied.size() == 1);
  CHECK(table.sources.text(kv->implied[0]) == "more");
  CHECK(table.at("kv)") != kv);
}

}  // namespace frontend_elaborate_symbols_test
