#include "echo.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base.h"
#include "sockets.h"

enum { CLIENTS = 64, WARM_UPS = 5, PATIENCE_S = 10 };

/* Returns false when the client has gone. */
static int send_back(int fd) {
    char bytes[4096];
    const ssize_t size = recv(fd, bytes, sizeof bytes, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return 1;
    }
    return size > 0 && send(fd, bytes, (size_t)size, MSG_NOSIGNAL) == size;
}

void echo_run(const char *path) {
    struct pollfd watched[CLIENTS + 2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                          {.fd = listen_at(path), .events = POLLIN}};
    int count = 2;
    puts("{\"ready\": true}");
    fflush(stdout);
    for (;;) {
        if (poll(watched, (nfds_t)count, -1) < 0) {
            continue;
        }
        if (watched[0].revents != 0) {
            return;
        }
        for (int i = count - 1; i >= 2; --i) {
            if (watched[i].revents != 0 && !send_back(watched[i].fd)) {
                close(watched[i].fd);
                watched[i] = watched[--count];
            }
        }
        const int client = watched[1].revents != 0 ? accept_next(watched[1].fd) : -1;
        if (client >= 0) {
            watched[count++] = (struct pollfd){.fd = client, .events = POLLIN};
            watched[1].events = count < CLIENTS + 2 ? POLLIN : 0;
        }
    }
}

static int64_t exchange(int fd, const char *path) {
    char byte = 'x';
    const int64_t begun = now_ns();
    if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1) {
        stop(EXIT_FAILED, "no answer from %s", path);
    }
    return now_ns() - begun;
}

void ping_run(int64_t exchanges, int count, char *const *paths) {
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    int64_t *times = calloc((size_t)(exchanges * count), sizeof *times);
    int *fds = calloc((size_t)count, sizeof *fds);
    if (times == NULL || fds == NULL) {
        stop(EXIT_FAILED, "no memory for %" PRId64 " times", exchanges * count);
    }
    for (int i = 0; i < count; ++i) {
        fds[i] = connect_to(paths[i], true);
        if (fds[i] < 0) {
            stop(EXIT_FAILED, "nothing listens at %s: %s", paths[i], strerror(errno));
        }
        (void)setsockopt(fds[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    for (int64_t n = -WARM_UPS; n < exchanges; ++n) {
        for (int i = 0; i < count; ++i) {
            const int64_t taken_ns = exchange(fds[i], paths[i]);
            if (n >= 0) {
                times[i * exchanges + n] = taken_ns;
            }
        }
    }
    for (int64_t n = 0; n < exchanges * count; ++n) {
        printf("%s%" PRId64, n == 0 ? "[[" : n % exchanges == 0 ? "], [" : ", ", times[n]);
    }
    puts("]]");
    free(times);
    free(fds);
}
