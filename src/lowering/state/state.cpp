#include "lowering/state/state.h"

namespace mtfc::lowering {

MTFC_DEFINE_SPECIAL_MEMBERS(State, noexcept(false));

}  // namespace mtfc::lowering
