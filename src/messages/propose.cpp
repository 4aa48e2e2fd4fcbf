#include "messages/propose.h"

#include "support/did_you_mean.h"

namespace mtfc {

bool propose(Diagnostic& d, Span span, std::string_view word,
             const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = did_you_mean(word, candidates);
  if (near.empty()) return false;
  d.helps.push_back(meant(near));
  // The first word of a name may be another that was forgotten: `mask` beside `mask_token`.
  const std::string* one = sole(near);
  if (one != nullptr && !is_first_word(word, *one)) d.fixes.push_back({span, *one});
  return true;
}

bool propose_own(Diagnostic& d, Span span, std::string_view word,
                 const std::vector<std::string>& candidates) {
  const std::size_t before = d.fixes.size();
  if (!propose(d, span, word, candidates)) return false;
  if (d.fixes.size() == before) return true;
  if (!is_mistyped(word, d.fixes.back().replacement)) d.fixes.pop_back();
  return true;
}

}  // namespace mtfc
