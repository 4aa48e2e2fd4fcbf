// How a call of a block may be written that lacks a list or a dimension.
#pragma once
#include <string>

#include "frontend/elaborate/arguments.h"

namespace mtfc::elab {

std::string formal_names(const ast::DimList& list);  // "length, d"
/// What to write for a call that lacks a list: all lists of the block, with dimensions that fit.
std::string propose_lists(Context& cx, const ast::BlockDecl& block, const CallSite& site,
                          const std::string& missing);
/// What to write for a call that lacks the dimension `formal`.
std::string propose_dimension(Context& cx, const ast::BlockDecl& block, const ast::File& of_block,
                              const ast::Formal& formal, const CallSite& site);

}  // namespace mtfc::elab
