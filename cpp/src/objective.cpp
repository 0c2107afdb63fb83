#include "shoal/objective.hpp"

#include <cmath>

namespace shoal {

Detail Objective::detail() const noexcept {
    switch (term) {
        case ClassTerm::none:
        case ClassTerm::logs:
        case ClassTerm::minority: return Detail::rows;
        case ClassTerm::squares: return Detail::squares;
        default: return Detail::all;
    }
}

double canonical(double score) noexcept {
    if (score == 0 || !std::isfinite(score) || score == std::nearbyint(score)) return score;
    int exponent = 0;
    const double mantissa = std::frexp(score, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, 40)), exponent - 40);
}

}  // namespace shoal
