#include "sockets.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base.h"

static const int BACKLOG = 1024;

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        stop(EXIT_REFUSED, "%s is too long a path for a Unix socket", path);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    return address;
}

static int made(int flags) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0) {
        stop(EXIT_FAILED, "no socket: %s", strerror(errno));
    }
    return fd;
}

int listen_at(const char *path) {
    const struct sockaddr_un address = address_of(path);
    const int fd = made(SOCK_NONBLOCK);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0) {
        stop(EXIT_FAILED, "cannot listen at %s: %s", path, strerror(errno));
    }
    return fd;
}

int connect_to(const char *path, bool blocking) {
    const struct sockaddr_un address = address_of(path);
    const int fd = made(blocking ? 0 : SOCK_NONBLOCK);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        return fd;
    }
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int accept_next(int listener) {
    const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        stop(EXIT_FAILED, "no further connection: %s", strerror(errno));
    }
    return fd;
}

void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}
