/* One direction of a connection: what was read waits until it is due, and the next is read meanwhile. */
#ifndef DELAY_FLOW_H
#define DELAY_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lateness.h"

typedef struct chunk {
    struct chunk *next;
    int64_t due_ns;
    size_t size, sent; /* size 0: the sender's end of the stream */
    char bytes[];
} chunk;

typedef struct {
    int from, to;
    bool readable, writable; /* as far as is known: until the system says that it would block */
    bool ended;              /* nothing more comes */
    bool done;               /* and nothing more is to be passed on */
    chunk *first, *last;
    size_t held;        /* bytes that wait */
    int64_t blocked_ns; /* when the receiver last took nothing: what was due then is late by its fault */
} flow;

/* Reads what there is; each piece is due hold_ns after it was read. Returns whether there may be more at once. */
bool flow_read(flow *way, int64_t hold_ns);

/* Passes on what is due. Returns when to pass on the next, or INT64_MAX: nothing waits, or the receiver takes nothing. */
int64_t flow_write(flow *way, lateness *late);

void flow_free(flow *way);

#endif
