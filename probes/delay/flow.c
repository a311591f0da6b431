#include "flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base.h"

/* Bytes that may wait in one direction. More than any client takes in half of the longest round trip, so that it bounds
 * memory where a receiver sleeps and no speed. */
static const size_t WINDOW = (size_t)32 << 20;
/* In the midst of a large result no piece has an effect of its own: they are passed on several at a time, so much later,
 * and the last ones on time. To wake up for each would take the processor from the server that sends them. */
static const size_t BULK = 64 << 10;
static const int64_t BULK_NS = 200000;
enum { PIECE = 256 << 10, PIECES_AT_ONCE = 8 };

static void hold(flow *way, const char *bytes, size_t size, int64_t due_ns) {
    chunk *piece = malloc(sizeof *piece + size);
    if (piece == NULL) {
        stop(EXIT_FAILED, "no memory for %zu bytes", size);
    }
    piece->next = NULL;
    piece->due_ns = due_ns;
    piece->size = size;
    piece->sent = 0;
    memcpy(piece->bytes, bytes, size);
    if (way->last == NULL) {
        way->first = piece;
    } else {
        way->last->next = piece;
    }
    way->last = piece;
    way->held += size;
}

bool flow_read(flow *way, int64_t hold_ns) {
    static char buffer[PIECE];
    for (int i = 0; i < PIECES_AT_ONCE; ++i) {
        if (!way->readable || way->ended || way->held >= WINDOW) {
            return false;
        }
        const ssize_t size = recv(way->from, buffer, sizeof buffer, 0);
        if (size > 0) {
            hold(way, buffer, (size_t)size, now_ns() + hold_ns);
        } else if (size < 0 && errno == EAGAIN) {
            way->readable = false;
        } else if (size == 0 || errno != EINTR) { /* also a connection that was reset */
            way->ended = true;
            hold(way, buffer, 0, now_ns() + hold_ns);
        }
    }
    return true;
}

static void drop_first(flow *way) {
    chunk *piece = way->first;
    way->first = piece->next;
    if (way->first == NULL) {
        way->last = NULL;
    }
    way->held -= piece->size;
    free(piece);
}

static void close_for_good(flow *way) {
    while (way->first != NULL) {
        drop_first(way);
    }
    way->ended = way->done = true;
}

int64_t flow_write(flow *way, lateness *late) {
    while (way->first != NULL && way->writable) {
        chunk *piece = way->first;
        const int64_t now = now_ns();
        const bool bulk = way->held > BULK;
        if (piece->due_ns > now) {
            return piece->due_ns + (bulk ? BULK_NS : 0);
        }
        if (piece->size == 0) {
            (void)shutdown(way->to, SHUT_WR);
            close_for_good(way);
            break;
        }
        const ssize_t size = send(way->to, piece->bytes + piece->sent, piece->size - piece->sent, MSG_NOSIGNAL);
        if (size >= 0) {
            if (piece->sent == 0 && piece->due_ns > way->blocked_ns && !bulk) {
                lateness_add(late, now - piece->due_ns);
            }
            late->bytes += (uint64_t)size;
            piece->sent += (size_t)size;
            if (piece->sent == piece->size) {
                drop_first(way);
            }
        } else if (errno == EAGAIN) {
            way->writable = false;
        } else if (errno != EINTR) { /* the receiver has gone: its own end comes by the other direction */
            (void)shutdown(way->from, SHUT_RD);
            close_for_good(way);
        }
        if (!way->writable || (way->first != NULL && way->first->sent > 0)) {
            way->blocked_ns = now_ns();
        }
    }
    return INT64_MAX;
}

void flow_free(flow *way) { close_for_good(way); }
