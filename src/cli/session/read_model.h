// The model of the command line.
#pragma once
#include <optional>
#include <vector>

#include "cli/session/session.h"
#include "frontend/elaborate/symbols.h"
#include "ir/model.h"
#include "lowering/state/request.h"

namespace mtfc::cli {

/// Reads and elaborates the model of the command line, and runs the passes that come before layouts
/// are checked; `request`: what it is compiled for. Absent: reported; `status` is the exit status.
std::optional<Model> read_model(Session& session, const lowering::Request& request, int& status);

/// The same model with further -D, which come last. Mistakes are reported, warnings are not
/// repeated.
std::optional<Model> read_model_again(Session& session, const lowering::Request& request,
                                      const std::vector<KeyValue>& defines, int& status);

/// The same with further -D and --set, in silence: nothing if that is a mistake, or if there is
/// more to warn of than there was of the model of the command line (`warnings`).
std::optional<Model> try_model(Session& session, const std::vector<KeyValue>& defines,
                               const std::vector<KeyValue>& settings, std::size_t warnings);

/// The symbol table of the model that was read, in silence; with mistakes as far as it was
/// elaborated.
Symbols read_symbols(Session& session);

}  // namespace mtfc::cli
