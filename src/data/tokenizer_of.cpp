#include "data/tokenizer_of.h"

#include "data/text/make_tokenizer.h"

namespace mtfc::runtime {

Result<std::unique_ptr<Tokenizer>> tokenizer_of(const SourceSpec& spec, TokenTable found) {
  if (spec.tokens.empty()) return make_tokenizer(std::move(found));
  Result<TokenTable> recorded = parse_token_table(spec.tokens);
  if (!recorded) return recorded.error();
  if (recorded->kind != found.kind || recorded->reserved != found.reserved)
    return Error{"the checkpoint's run read `" + spec.name + "` in tokens of another kind", {}, {}};
  return make_tokenizer(std::move(*recorded));
}

}  // namespace mtfc::runtime
