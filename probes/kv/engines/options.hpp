// Options out of a JSON object: each is taken once, checked, and what nobody took is refused.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "engines/store.hpp"

namespace kv {

/// The value of a field, which is removed; `otherwise` where it is missing.
template <typename T>
T take(Json& from, const char* name, T otherwise) {
    const auto at = from.find(name);
    if (at == from.end()) return otherwise;
    const Json value = *at;
    from.erase(at);
    bool fits = false;
    if constexpr (std::is_same_v<T, bool>) {
        fits = value.is_boolean();
    } else if constexpr (std::is_same_v<T, std::string>) {
        fits = value.is_string();
    } else if constexpr (std::is_floating_point_v<T>) {
        fits = value.is_number();
    } else {
        fits = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
    }
    if (!fits) throw Refused(std::string(name) + " is " + value.dump() + ", which is of the wrong type");
    return value.get<T>();
}

inline std::string take_one_of(Json& from, const char* name, const std::string& otherwise,
                               std::initializer_list<const char*> allowed) {
    const std::string value = take<std::string>(from, name, otherwise);
    std::string all;
    for (const char* each : allowed) {
        if (value == each) return value;
        all += std::string(all.empty() ? "" : ", ") + each;
    }
    throw Refused(std::string(name) + " is \"" + value + "\": use one of " + all);
}

inline std::uint64_t take_at_least(Json& from, const char* name, std::uint64_t otherwise,
                                   std::uint64_t least) {
    const auto value = take<std::uint64_t>(from, name, otherwise);
    if (value < least) {
        throw Refused(std::string(name) + " is " + std::to_string(value) + ": give at least " +
                      std::to_string(least));
    }
    return value;
}

inline Json take_object(Json& from, const char* name) {
    const auto at = from.find(name);
    if (at == from.end() || !at->is_object()) throw Refused(std::string(name) + " must be an object");
    Json found = *at;
    from.erase(at);
    return found;
}

inline void refuse_rest(const Json& from, const char* where) {
    if (!from.empty()) throw Refused(std::string("unknown field \"") + from.begin().key() + "\" in " + where);
}

}  // namespace kv
