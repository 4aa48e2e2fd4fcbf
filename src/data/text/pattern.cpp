#include "data/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "support/check.h"

namespace mtfc::runtime {

struct Pattern::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;

  ~Compiled() {
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
};

Pattern::Pattern(std::string_view expression) : compiled_(std::make_unique<Compiled>()) {
  int error = 0;
  std::size_t position = 0;
  compiled_->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK, &error, &position, nullptr);
  MTFC_CHECK(compiled_->code != nullptr, "a pattern does not compile");
  pcre2_jit_compile(compiled_->code, PCRE2_JIT_COMPLETE);  // where it cannot, matching is slower
  compiled_->match = pcre2_match_data_create_from_pattern(compiled_->code, nullptr);
  MTFC_CHECK(compiled_->match != nullptr, "no memory for a pattern");
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

std::string_view Pattern::find(std::string_view text, std::size_t from) {
  const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), from, PCRE2_NO_UTF_CHECK, compiled_->match, nullptr);
  if (found == PCRE2_ERROR_NOMATCH) return {};
  MTFC_CHECK(found > 0, "a pattern fails with status " + std::to_string(found));
  const std::size_t* range = pcre2_get_ovector_pointer(compiled_->match);
  return text.substr(range[0], range[1] - range[0]);
}

}  // namespace mtfc::runtime
