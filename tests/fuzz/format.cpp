// What is formatted once stays as it is, and is the same model to the parser.
#include "frontend/layout/parse_layout.h"
#include "frontend/syntax/parse.h"
#include "fuzz/target.h"

namespace mtfc::fuzz {

void format(std::string_view input) {
  SourceMap sources;
  Diagnostics found;
  const FileId file = sources.add("model.mtf", std::string(input));
  const auto once = format_model(sources, file, found);
  require(once || !found.ok(), "a text is refused without a reason");
  if (!once) return;
  const auto twice = format_model(sources, sources.add("model.mtf", *once), found);
  require(twice.has_value(), "what was formatted does not parse");
  require(*twice == *once, "formatting again changes the text");
}

}  // namespace mtfc::fuzz
