// Syntax tree -> Model: names, dimensions, types, blocks, paths, settings. The only entry points.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/elaborate/symbols.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc {

struct ElaborateOptions {
  /// -D name=expression: sizes of dimensions and values of constants.
  std::vector<std::pair<std::string, std::string>> defines;
  /// --set key=value: "train.steps", "train.optimizer.lr.peak", "data.NAME". Values are expressions
  /// of the language, bare text where a string is wanted. The last one for a key wins.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Texts that stand in for files, under the names of Model::files: what a checkpoint recorded.
  std::map<std::string, std::string> files = {};
};

/// Elaborates the whole model twice, with `training` true and false. All mistakes are reported;
/// the result is absent if there is any.
std::optional<Model> elaborate(SourceMap& sources, FileId model, const ElaborateOptions& options,
                               Diagnostics& diagnostics);

struct ModelWithSymbols {
  std::optional<Model> model;  // as of elaborate()
  Symbols symbols;             // of what was elaborated until then, mistakes or not
};
/// The model with its symbol table.
ModelWithSymbols elaborate_with_symbols(SourceMap& sources, FileId model,
                                        const ElaborateOptions& options, Diagnostics& diagnostics);

struct LibraryFile {
  std::string_view name;  // "nn.mtf"
  std::string_view text;
};
/// The library that ships in the binary, by name.
const std::vector<LibraryFile>& shipped_library();

}  // namespace mtfc
