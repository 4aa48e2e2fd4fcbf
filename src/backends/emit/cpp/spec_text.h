// Specs as C++ initialisers: what the simulated mesh gets as values, emitted programs get as text.
#pragma once
#include <string>

#include "comm/exchange_spec.h"
#include "kernels/spec.h"

namespace mtfc::backends {

std::string spec_text(const runtime::MapSpec& spec);
std::string spec_text(const runtime::ContractSpec& spec);
std::string spec_text(const runtime::ReduceSpec& spec);
std::string spec_text(const runtime::CopySpec& spec);
std::string spec_text(const runtime::GatherSpec& spec);
std::string spec_text(const runtime::ScatterAddSpec& spec);
std::string spec_text(const runtime::PutSpec& spec);
std::string spec_text(const runtime::WindowSpec& spec);
std::string spec_text(const runtime::WindowAddSpec& spec);
std::string spec_text(const runtime::PrefixSpec& spec);
std::string spec_text(const runtime::TopSpec& spec);
std::string spec_text(const runtime::ExchangeSpec& spec);

/// The type's name: "MapSpec".
const char* spec_type(const runtime::MapSpec&);
const char* spec_type(const runtime::ContractSpec&);
const char* spec_type(const runtime::ReduceSpec&);
const char* spec_type(const runtime::CopySpec&);
const char* spec_type(const runtime::GatherSpec&);
const char* spec_type(const runtime::ScatterAddSpec&);
const char* spec_type(const runtime::PutSpec&);
const char* spec_type(const runtime::WindowSpec&);
const char* spec_type(const runtime::WindowAddSpec&);
const char* spec_type(const runtime::PrefixSpec&);
const char* spec_type(const runtime::TopSpec&);
const char* spec_type(const runtime::ExchangeSpec&);

std::string dtype_text(DType dtype);
std::string reduce_kind_text(Combine kind);
/// On one line.
std::string copy_text(const runtime::CopySpec& spec);

}  // namespace mtfc::backends
