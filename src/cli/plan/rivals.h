// Why other kinds of layouts than the best take longer, in words.
#pragma once
#include <string>
#include <vector>

#include "plan/search/search.h"

namespace mtfc::cli {

/// The fastest layout of another kind, that is, one that splits other dimensions or keeps, updates
/// or schedules otherwise.
struct Rival {
  plan::Judged judged;  // compiled whole, unless quickly
  std::string reason;   // "waits 1.2 ms longer: all_reduce over inner for gpt.mtf:14"
};

/// The fastest of three other kinds that fit, the fastest first. `quickly`: nothing is compiled for
/// it, and the reason knows no lines.
std::vector<Rival> rivals_of(const plan::Plan& plan, const plan::Models& models,
                             const SourceMap& sources, const predict::Machine& machine,
                             const Layout& given, bool quickly);

std::string rivals_text(const std::vector<Rival>& rivals);
std::string rivals_json(const std::vector<Rival>& rivals);

}  // namespace mtfc::cli
