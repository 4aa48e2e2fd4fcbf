// Block instances: which block, its path, its formals, its body, what it returns.
#pragma once
#include <optional>
#include <string>

#include "frontend/elaborate/arguments.h"

namespace mtfc::elab {

struct BlockRef {
  const Module* module = nullptr;
  const ast::BlockDecl* block = nullptr;
  SharedInstance* shared = nullptr;
};

/// An instance, a block of the same file, a block of a used file. `failed` if there is a mistake.
std::optional<BlockRef> find_block(Context& cx, const ast::Call& call, bool& failed);
Val call_block(Context& cx, const BlockRef& ref, const ast::Call& call, Span span);
/// Gives `fresh` its paths: the enclosing ones and `segment`, made unique among earlier uses.
/// `iteration`: of a `repeat`.
void reserve(Context& cx, Scope& fresh, const std::string& segment, Span here, bool iteration);

// ---------------------------------------------------------------- formals.cpp
// What a block's formals stand for; false if there is a mistake, reported.
bool bind_lists(Context& cx, const ast::BlockDecl& block, const CallSite& site, Scope& scope);
/// Arguments with a dimension that was taken as an alias are renamed on entry.
bool rename_to_aliases(Context& cx, const ast::BlockDecl& block, CallSite& site, Scope& scope);
bool bind_arguments(Context& cx, const ast::BlockDecl& block, CallSite& site, Frame& frame);

}  // namespace mtfc::elab
