// The model's file and the files it uses, beside it or from the shipped library.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "frontend/elaborate/session.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/text_check.h"

namespace mtfc::elab {

namespace {

namespace fs = std::filesystem;

constexpr const char* library_prefix = "library/";

class Loader {
 public:
  Loader(Session& session) : session_(session) {}

  Module* load(FileId file, const std::string& identity, bool shipped) {
    Module& module = session_.modules.emplace_back();
    by_identity_[identity] = &module;
    session_.model.files.emplace_back(identity, file);
    loading_.insert(&module);
    module.shipped = shipped;
    module.name = fs::path(session_.sources.path(file)).stem().string();
    auto tree = parse_model(session_.sources, file, session_.diagnostics);
    if (tree) {
      module.file = std::move(*tree);
      collect(module);
    } else {
      broken_.insert(&module);
      module.file.file = file;
    }
    loading_.erase(&module);
    return &module;
  }
  bool parsed(const Module* module) const { return !broken_.count(module); }

 private:
  void collect(Module& module) {
    const bool main = &module == &session_.modules.front();
    for (ast::StatementId id : module.file.body) {
      const ast::Statement& statement = module.file.at(id);
      const bool is_const = std::holds_alternative<ast::ConstDecl>(statement.node);
      if (const auto* use = std::get_if<ast::Use>(&statement.node)) {
        const Module* used = open(module, *use);
        if (used) add(module, used, use->path_span);
        if (!used || broken_.count(used)) module.incomplete = true;
      } else if (const auto* block = std::get_if<ast::BlockDecl>(&statement.node)) {
        const auto [it, fresh] = module.blocks.try_emplace(block->name.text, id);
        if (!fresh) twice(module, *block, it->second);
        check_formals(*block);
      } else if (!main && !is_const) {
        session_.diagnostics.report(
            diag(DiagKind::misplaced, "a used file holds only `use`, `const` and `block`")
                .at(statement.keyword)
                .note("sizes and tensors come to its blocks as arguments"));
      }
    }
  }

  static void add(Module& module, const Module* used, Span path) {
    if (module.use_spans.try_emplace(used, path).second) module.uses.push_back(used);
  }

  void twice(const Module& module, const ast::BlockDecl& block, ast::StatementId first) {
    const auto& other = std::get<ast::BlockDecl>(module.file.at(first).node);
    session_.diagnostics.report(
        diag(DiagKind::defined_twice, "block `" + block.name.text + "` is defined twice")
            .at(block.name.span, "second")
            .also(other.name.span, "first"));
  }

  void check_formals(const ast::BlockDecl& block) {
    std::map<std::string, Span> seen;
    for (const ast::Formal& formal : block.formals) {
      const auto [it, fresh] = seen.try_emplace(formal.name.text, formal.name.span);
      if (fresh) continue;
      session_.diagnostics.report(
          diag(DiagKind::defined_twice,
               "two arguments of block `" + block.name.text + "` have one name")
              .at(formal.name.span, "second")
              .also(it->second, "first"));
    }
    if (block.over) check_list(block, *block.over, seen);
    if (block.to) check_list(block, *block.to, seen);
  }

  /// A name of a list that an argument has as well could mean either.
  void check_list(const ast::BlockDecl& block, const ast::DimList& list,
                  const std::map<std::string, Span>& arguments) {
    for (const ast::DimItem& item : list.items)
      if (const auto argument = arguments.find(item.name.text); argument != arguments.end())
        session_.diagnostics.report(
            diag(DiagKind::defined_twice,
                 "an argument and a dimension of block `" + block.name.text + "` have one name")
                .at(item.name.span, "the dimension")
                .also(argument->second, "the argument"));
  }

  /// Beside the using file first, then in the library.
  const Module* open(const Module& from, const ast::Use& use) {
    const LibraryFile* shipped = nullptr;
    for (const LibraryFile& file : shipped_library())
      if (file.name == use.path) shipped = &file;
    const fs::path beside =
        fs::path(session_.sources.path(from.file.file)).parent_path() / use.path;
    std::error_code ec;
    // A file that came to lie there later does not take the place of a text that a checkpoint has.
    const bool in_checkpoint =
        shipped && recorded(library_prefix + use.path) && !recorded(identity_of(beside));
    const bool exists = !from.shipped && !in_checkpoint &&
                        (recorded(identity_of(beside)) || fs::exists(beside, ec));
    if (exists && shipped)
      session_.diagnostics.report(diag(DiagKind::library_file_hidden,
                                       "`" + use.path + "` beside the model hides the library's")
                                      .at(use.path_span)
                                      .help("rename one of them if this is not intended"));
    if (exists) return open_file(beside, use);
    if (shipped) return open_shipped(*shipped, use);
    Diagnostic d =
        diag(DiagKind::unreadable_file, "there is no file `" + use.path + "`").at(use.path_span);
    if (!from.shipped) d.notes.push_back("looked for " + beside.string() + ", then in the library");
    std::string names;
    for (const LibraryFile& file : shipped_library())
      names += (names.empty() ? "`" : ", `") + std::string(file.name) + "`";
    d.helps.push_back("the library has " + names);
    fail(std::move(d));
    return nullptr;
  }

  const Module* known(const std::string& identity, const ast::Use& use, bool& found) {
    const auto it = by_identity_.find(identity);
    found = it != by_identity_.end();
    if (!found) return nullptr;
    if (!loading_.count(it->second)) return it->second;
    fail(diag(DiagKind::circular, "`" + use.path + "` uses itself, directly or through others")
             .at(use.path_span)
             .help("move what both need to a third file"));
    return nullptr;
  }

  const Module* open_shipped(const LibraryFile& file, const ast::Use& use) {
    const std::string identity = library_prefix + std::string(file.name);
    bool found = false;
    const Module* module = known(identity, use, found);
    if (found) return module;
    const std::string* text = recorded(identity);
    return load(session_.sources.add(identity, text ? *text : std::string(file.text)), identity,
                true);
  }

  static std::string identity_of(const fs::path& path) {
    std::error_code ec;
    return fs::weakly_canonical(path, ec).string();
  }

  /// The text that a checkpoint has of a file; null if it has none.
  const std::string* recorded(const std::string& identity) const {
    const auto found = session_.files->find(identity);
    return found == session_.files->end() ? nullptr : &found->second;
  }

  const Module* open_file(const fs::path& path, const ast::Use& use) {
    const std::string identity = identity_of(path);
    bool found = false;
    const Module* module = known(identity, use, found);
    if (found) return module;
    if (const std::string* text = recorded(identity))
      return load(session_.sources.add(path.string(), *text), identity, false);
    std::error_code ec;
    std::string why;
    if (!fs::is_regular_file(path, ec))
      why = "it is not a file";
    else if (fs::file_size(path, ec) > syntax::max_text_bytes || ec)
      why = "it is larger than 16 MB";
    std::ifstream in;
    if (why.empty()) in.open(path, std::ios::binary);  // a pipe would be waited for
    if (why.empty() && !in) why = "it cannot be opened";
    if (!why.empty()) {
      fail(diag(DiagKind::unreadable_file, "`" + use.path + "` cannot be read: " + why)
               .at(use.path_span));
      return nullptr;
    }
    std::ostringstream text;
    text << in.rdbuf();
    return load(session_.sources.add(path.string(), text.str()), identity, false);
  }

  void fail(Diagnostic d) { session_.diagnostics.report(std::move(d)); }

  Session& session_;
  std::map<std::string, Module*> by_identity_;
  std::set<const Module*> loading_, broken_;
};

}  // namespace

bool load_files(Session& session, FileId model) {
  Loader loader(session);
  std::error_code ec;
  const std::string path = session.sources.path(model);
  return loader.parsed(
      loader.load(model, std::filesystem::weakly_canonical(path, ec).string(), false));
}

}  // namespace mtfc::elab
