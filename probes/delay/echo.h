/* The two ends of an empty exchange, with which a round trip is measured. */
#ifndef DELAY_ECHO_H
#define DELAY_ECHO_H

#include <stdint.h>

/* Sends every byte back at once, one client after the other's bytes; returns when standard input ends. */
void echo_run(const char *path);

/* Times exchanges of one byte over each of the sockets in turn; prints their ns as one JSON list of lists. */
void ping_run(int64_t exchanges, int count, char *const *paths);

#endif
