/* How much later than due the chunks were passed on: a histogram by microsecond. */
#ifndef DELAY_LATENESS_H
#define DELAY_LATENESS_H

#include <stdint.h>

enum { LATE_BUCKETS = 20000 };

typedef struct {
    uint64_t chunks;
    uint64_t bytes;
    int64_t most_ns;
    uint64_t by_us[LATE_BUCKETS]; /* the last one holds all that are later */
} lateness;

void lateness_add(lateness *all, int64_t late_ns);

/* The microsecond below which this share of the chunks lies; exact to one. most_ns says what the last bucket hides. */
double lateness_quantile_us(const lateness *all, double share);

#endif
