/* The loop that lets every byte pass hold_ns after it came. */
#ifndef DELAY_PROXY_H
#define DELAY_PROXY_H

#include <stdint.h>

enum { DELAY_DOORS = 8 };
#define DELAY_LONGEST_NS INT64_C(50000000)

/* pairs: count times the socket to listen at and the one to lead to. Returns when standard input ends. */
void proxy_run(int64_t hold_ns, int count, char *const *pairs);

#endif
