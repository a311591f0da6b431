#include "bridge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base.h"
#include "sockets.h"

static const int64_t RETRY_NS = 500000;

static void watch(const traffic *all, int fd, side *where) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = where};
    if (epoll_ctl(all->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        stop(EXIT_FAILED, "cannot watch a connection: %s", strerror(errno));
    }
}

static flow way(int from, int to) { return (flow){.from = from, .to = to, .readable = true, .writable = true}; }

/* Tells a client of PostgreSQL what is wrong in the words of its protocol (ErrorResponse), for libpq to pass on. */
static void excuse(const bridge *one, int error) {
    char text[512];
    const int said = snprintf(text, sizeof text, "nothing listens at %s behind the delaying proxy: %s", one->target,
                              strerror(error));
    char message[600] = "E\0\0\0\0SFATAL\0VFATAL\0C08006\0M";
    size_t size = 5 + sizeof "SFATAL" + sizeof "VFATAL" + sizeof "C08006" + 1;
    const size_t rest = said < (int)sizeof text ? (size_t)said + 1 : sizeof text;
    memcpy(message + size, text, rest);
    size += rest + 1; /* no further field */
    message[3] = (char)((size - 1) >> 8);
    message[4] = (char)((size - 1) & 0xff);
    (void)send(one->client, message, size, MSG_NOSIGNAL);
    (void)shutdown(one->client, SHUT_WR);
}

/* Leads the client to the server; without one the client is sent away. */
static void lead(traffic *all, bridge *one, int64_t now) {
    one->server = connect_to(one->target, false);
    if (one->server < 0) {
        if (errno == EAGAIN) {
            one->retry_ns = now + RETRY_NS;
        } else {
            ++all->refused;
            excuse(one, errno);
            one->over = true;
        }
        return;
    }
    one->up = way(one->client, one->server);
    one->down = way(one->server, one->client);
    watch(all, one->client, &one->sides[0]);
    watch(all, one->server, &one->sides[1]);
}

bridge *bridge_open(traffic *all, int client, const char *target, bridge *next) {
    bridge *one = calloc(1, sizeof *one);
    if (one == NULL) {
        stop(EXIT_FAILED, "no memory for a connection");
    }
    one->next = next;
    one->target = target;
    one->client = client;
    one->server = -1;
    one->sides[0] = (side){.of = one, .server = false};
    one->sides[1] = (side){.of = one, .server = true};
    ++all->connections;
    return one;
}

void bridge_seen(side *where, uint32_t events) {
    bridge *one = where->of;
    flow *in = where->server ? &one->down : &one->up, *out = where->server ? &one->up : &one->down;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
        in->readable = true;
    }
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) && !out->writable) {
        out->writable = true;
        out->blocked_ns = now_ns();
    }
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t bridge_work(traffic *all, bridge *one, int64_t now) {
    if (one->server < 0 && !one->over && one->retry_ns <= now) {
        lead(all, one, now);
    }
    if (one->over) {
        return INT64_MAX;
    }
    if (one->server < 0) {
        return one->retry_ns;
    }
    bool more = false;
    int64_t next = INT64_MAX;
    flow *ways[2] = {&one->up, &one->down};
    for (int i = 0; i < 2; ++i) {
        (void)flow_write(ways[i], &all->late); /* what is due goes before what is new is read */
        more = flow_read(ways[i], all->hold_ns) || more;
        next = earlier(next, flow_write(ways[i], &all->late));
    }
    one->over = one->up.done && one->down.done;
    return one->over ? INT64_MAX : more ? now : next;
}

void bridge_free(bridge *one) {
    flow_free(&one->up);
    flow_free(&one->down);
    close(one->client);
    if (one->server >= 0) {
        close(one->server);
    }
    free(one);
}
