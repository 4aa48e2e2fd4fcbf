// Copies, moves and ends of types that hold much, made once. Each file that has one would else
// compile thousands of functions for the containers in it (docs/decisions/0083).
#pragma once

/// In the type, which is no aggregate then. MOVES: noexcept, or noexcept(false) if a move may need
/// memory, as that of a std::deque does.
#define MTFC_DECLARE_SPECIAL_MEMBERS(Type, MOVES) \
  Type();                                         \
  Type(const Type&);                              \
  Type(Type&&) MOVES;                             \
  Type& operator=(const Type&);                   \
  Type& operator=(Type&&) MOVES;                  \
  ~Type()

/// In one source file, with the same MOVES.
#define MTFC_DEFINE_SPECIAL_MEMBERS(Type, MOVES) \
  Type::Type() = default;                        \
  Type::Type(const Type&) = default;             \
  Type::Type(Type&&) MOVES = default;            \
  Type& Type::operator=(const Type&) = default;  \
  Type& Type::operator=(Type&&) MOVES = default; \
  Type::~Type() = default
