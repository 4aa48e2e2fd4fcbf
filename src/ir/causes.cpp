#include "ir/causes.h"

#include <sstream>

namespace mtfc {

void add_causes(std::string& text, std::string_view rules) {
  std::istringstream list{std::string(rules)};
  for (std::string rule; std::getline(list, rule, ';');) {
    if (rule.empty() || (";" + text + ";").find(";" + rule + ";") != std::string::npos) continue;
    text += (text.empty() ? "" : ";") + rule;
  }
}

}  // namespace mtfc
