// mtfc lib: the files and blocks of the library that ships in the binary.
#include <fmt/core.h>

#include <algorithm>

#include "cli/library.h"
#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/session/session.h"
#include "frontend/elaborate/elaborate.h"
#include "messages/table.h"
#include "support/did_you_mean.h"

namespace mtfc::cli {
namespace {

/// A block as its file shows it. Shipped files are formatted: a block begins a line and ends with a
/// brace that ends one, and its comment stands directly above.
struct Block {
  std::string file, name;
  std::string doc;   // the comment's first line
  std::string text;  // comment and block
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool starts(const std::string& line, std::string_view word) {
  return line.compare(0, word.size(), word) == 0;
}

bool ends_block(const std::string& line) {
  return line == "}" || (starts(line, "block ") && line.back() == '}');
}

std::vector<Block> blocks_of(const LibraryFile& file) {
  std::vector<Block> blocks;
  std::vector<std::string> comment;
  bool inside = false;
  for (const std::string& line : lines_of(file.text)) {
    if (starts(line, "block ")) {
      Block block{std::string(file.name), line.substr(6, line.find('(') - 6), "", ""};
      if (!comment.empty()) block.doc = comment.front().substr(std::string_view("# ").size());
      for (const std::string& above : comment) block.text += above + "\n";
      blocks.push_back(block);
      inside = true;
    }
    if (inside) blocks.back().text += line + "\n";
    inside = inside && !ends_block(line);
    if (!starts(line, "# "))
      comment.clear();
    else if (!inside)
      comment.push_back(line);
  }
  return blocks;
}

std::string json_of(const Block& block, bool text) {
  JsonFields fields = {
      {"name", json(block.name)}, {"file", json(block.file)}, {"doc", json(block.doc)}};
  if (text) fields.emplace_back("text", json(block.text));
  return json_object(fields);
}

int list_blocks(Session& session, const std::vector<Block>& blocks) {
  std::size_t widest = 0;
  for (const Block& block : blocks) widest = std::max(widest, block.name.size());
  std::vector<std::string> files, rows;
  for (const LibraryFile& file : shipped_library()) {
    files.push_back(json(file.name));
    std::vector<std::vector<std::string>> table;
    for (const Block& block : blocks) {
      if (block.file != file.name) continue;
      rows.push_back(json_of(block, false));
      table.push_back({fmt::format("{:<{}}", block.name, widest), block.doc});
    }
    session.print((files.size() > 1 ? "\n" : "") + std::string(file.name) + "\n" +
                  table_text(table, {"  ", {}, 0, output_columns()}));
  }
  return session.finish(exit_done, {{"files", json_array(files)}, {"blocks", json_array(rows)}});
}

}  // namespace

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryFile& file : shipped_library()) {
    names.emplace_back(file.name);
    for (const Block& block : blocks_of(file)) names.push_back(block.name);
  }
  return names;
}

int library(Session& session) {
  std::vector<Block> blocks;
  for (const LibraryFile& file : shipped_library())
    for (const Block& block : blocks_of(file)) blocks.push_back(block);
  if (session.options.names.empty()) return list_blocks(session, blocks);
  const std::string& wanted = session.options.names.front();
  for (const LibraryFile& file : shipped_library()) {
    if (file.name != wanted) continue;
    session.print(std::string(file.text));
    return session.finish(exit_done, {{"file", json(file.name)}, {"text", json(file.text)}});
  }
  for (const Block& block : blocks) {
    if (block.name != wanted) continue;
    session.print("# " + block.file + "\n\n" + block.text);
    return session.finish(exit_done, {{"block", json_of(block, true)}});
  }
  return session.usage_error("the library has no file or block `" + wanted + "`",
                             suggested(wanted, library_names()));
}

}  // namespace mtfc::cli
