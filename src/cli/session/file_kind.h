// Whether a text is a model or a layout: for files given in each other's place; and endings of
// pictures.
#pragma once
#include <string>
#include <string_view>

namespace mtfc::cli {

enum class FileKind { model, layout, unknown };

/// By its first statement, which both languages begin in ways of their own; by the ending of its
/// path if that does not tell.
FileKind kind_of(const std::string& path, std::string_view text);

/// ".svg", in small letters; empty: there is none.
std::string ending_of(const std::string& path);
/// A picture under the ending of another format than SVG would be shown by nothing.
bool has_other_format(const std::string& path);

}  // namespace mtfc::cli
