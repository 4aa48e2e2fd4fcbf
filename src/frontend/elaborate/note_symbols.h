// Notes for the symbol table (Session::symbols); where none is wanted nothing happens.
#pragma once
#include <string>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// A name was bound: what it is and, with its path, what it has become.
void note_binding(Context& cx, const std::string& name, const Binding& binding,
                  const std::string& path);
/// `use` means what `binding` was first declared as.
void note_use(Context& cx, const Binding& binding, Span use);
/// The name at `use` means what is declared at `declared`.
void note_use(Context& cx, Span declared, Span use);
/// A segment of paths, `block@label`; or an instance, an output.
void note_name(Context& cx, Symbol::Kind kind, const ast::Name& name, const std::string& path);
/// A block gets a dimension that its caller did not write.
void note_implied(Context& cx, const Binding& dim, Span call);
/// A file's name before a dot.
void note_file_use(Context& cx, const Module& user, const Module& used, Span use);

/// The blocks of all files with their formals, and the files that each uses.
void note_files(Session& session);

}  // namespace mtfc::elab
