// Whether a text is a model or a layout: for files given in each other's place.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::cli {

enum class FileKind { model, layout, unknown };

/// By its first statement, which both languages begin in ways of their own; by the ending of its
/// path if that does not tell.
FileKind kind_of(const std::string& path, std::string_view text);

}  // namespace mtfc::cli
