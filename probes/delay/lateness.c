#include "lateness.h"

void lateness_add(lateness *all, int64_t late_ns) {
    const int64_t late_us = late_ns < 0 ? 0 : late_ns / 1000;
    ++all->chunks;
    ++all->by_us[late_us < LATE_BUCKETS ? late_us : LATE_BUCKETS - 1];
    if (late_ns > all->most_ns) {
        all->most_ns = late_ns;
    }
}

double lateness_quantile_us(const lateness *all, double share) {
    const double wanted = share * (double)all->chunks;
    uint64_t seen = 0;
    for (int us = 0; us < LATE_BUCKETS - 1; ++us) {
        seen += all->by_us[us];
        if (all->by_us[us] > 0 && (double)seen >= wanted) {
            return us + 1;
        }
    }
    return (double)all->most_ns / 1000.0;
}
