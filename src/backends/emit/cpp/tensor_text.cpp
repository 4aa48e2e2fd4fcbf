#include "backends/emit/cpp/tensor_text.h"

#include "backends/emit/cpp/spec_text.h"
#include "bind/sharded_tensor.h"

namespace mtfc::backends {

std::string tensor_text(const bind::Context& context, const ShardType& type, int indent) {
  return block("", field_texts(bind::sharded_tensor(context, type)), indent);
}

}  // namespace mtfc::backends
