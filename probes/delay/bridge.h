/* A client, the server that it is led to, and the two directions between them. */
#ifndef DELAY_BRIDGE_H
#define DELAY_BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"

typedef struct bridge bridge;

/* What epoll is told of a socket: whose it is, and on which side. */
typedef struct {
    bridge *of;
    bool server;
} side;

struct bridge {
    bridge *next;
    const char *target;
    int client, server; /* server: -1 until connected */
    int64_t retry_ns;   /* when to try again while the server's queue is full */
    flow up, down;      /* to the server, to the client */
    side sides[2];
    bool over;
};

typedef struct {
    int epoll;
    int64_t hold_ns;
    lateness late;
    uint64_t connections, refused; /* refused: by a server that is not there */
} traffic;

bridge *bridge_open(traffic *all, int client, const char *target, bridge *next);

/* Notes what epoll saw on one side. */
void bridge_seen(side *where, uint32_t events);

/* Does all that can be done now. Returns when to come back: now for at once, INT64_MAX for not before an event. */
int64_t bridge_work(traffic *all, bridge *one, int64_t now);

void bridge_free(bridge *one);

#endif
