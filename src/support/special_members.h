// Copies, moves and ends of types that hold much, made once. Each file that copies one would else
// compile what a compiler makes of a hundred nested containers: a fifth of the time of a build.
#pragma once

/// In the type. It is no aggregate then; a move does not throw, as that of any standard container.
#define MTFC_DECLARE_SPECIAL_MEMBERS(Type) \
  Type();                                  \
  Type(const Type&);                       \
  Type(Type&&) noexcept;                   \
  Type& operator=(const Type&);            \
  Type& operator=(Type&&) noexcept;        \
  ~Type()

/// In one source file.
#define MTFC_DEFINE_SPECIAL_MEMBERS(Type)           \
  Type::Type() = default;                           \
  Type::Type(const Type&) = default;                \
  Type::Type(Type&&) noexcept = default;            \
  Type& Type::operator=(const Type&) = default;     \
  Type& Type::operator=(Type&&) noexcept = default; \
  Type::~Type() = default
