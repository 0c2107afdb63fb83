// Arrays that come from numpy and go there, and how results print.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shoal {

namespace nb = nanobind;

// What is passed in is read without the GIL: it must not change until the call returns.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

// A vector of a result as an array that cannot be written to; it keeps the result alive.
template <class T>
using Shown = nb::ndarray<nb::numpy, const T>;

template <class T>
Shown<T> show(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
    return Shown<T>(values.data(), shape);
}

template <class T>
Shown<T> show(const std::vector<T>& values) {
    return show(values, {values.size()});
}

// Move a vector into an array that owns it.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = owned->data();
    const std::size_t size = owned->size();
    const nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(data, {size}, owner);
}

// Name(attribute=value, ...)
inline std::string represent(nb::handle self, std::initializer_list<const char*> attributes) {
    std::string text = nb::cast<std::string>(self.type().attr("__name__")) + "(";
    const char* separator = "";
    for (const char* const name : attributes) {
        text += std::string(separator) + name + "=" + nb::repr(self.attr(name)).c_str();
        separator = ", ";
    }
    return text + ")";
}

}  // namespace shoal
