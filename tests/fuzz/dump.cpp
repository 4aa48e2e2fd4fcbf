// A dump in the section `dump`, for the model and the layout before it: it is refused, or the
// passes after it make programs that obey the rules.
#include <memory>

#include "fuzz/case.h"
#include "lowering/state_interface.h"
#include "lowering/state_text.h"

namespace mtfc::fuzz {

namespace {

/// Mostly only the dump changes.
struct Known {
  Sections sections;
  std::unique_ptr<Case> made;
};

const Case& case_of(Sections sections) {
  static Known known;
  std::erase_if(sections, [](const auto& one) { return one.first == "dump"; });
  if (!known.made || known.sections != sections) {
    known.made.reset();
    known.made = std::make_unique<Case>(check(sections));
    known.sections = std::move(sections);
  }
  return *known.made;
}

}  // namespace

void dump(std::string_view input) {
  const Sections sections = sections_of(input);
  const Case& c = case_of(sections);
  if (!c.assignment) return;
  lowering::State state = lowering::start(*c.model, *c.assignment, {});
  lowering::State made = state;
  std::string error;
  const lowering::Pass* after =
      lowering::read_state(section(sections, "dump") + "\n", state, error, &c.sources);
  require(after || !error.empty(), "a dump is refused without a reason");
  if (!after || !lowering::verify(state, after->stage).empty()) return;
  for (const lowering::Pass& pass : lowering::passes())
    if (&pass <= after) lowering::run(pass, made);
  if (!lowering::difference(made, state, after->stage, c.model->dims.size()).empty()) return;
  for (const lowering::Pass& pass : lowering::passes()) {
    if (&pass <= after) continue;
    lowering::run(pass, state);
    if (const std::string broken = lowering::verify(state, pass.stage); !broken.empty())
      wrong("after " + std::string(pass.name) + ": " + broken);
  }
}

}  // namespace mtfc::fuzz
