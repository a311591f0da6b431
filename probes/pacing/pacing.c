/* Preloaded into a server: reads below named folders that the page cache cannot answer take turns, evenly spaced.
 *
 * A read is tried without waiting first. Where the kernel has the pages it is done, and counted as cached; else it takes
 * the next turn, sleeps until then, and is done. Turns are shared by all processes through a mapped file, in which it is
 * also counted how many there were and how long they were waited for. Anything missing or wrong in the variables, or an
 * interval of 0: reads go on as before and are not counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* In the shared file, as unsigned 64-bit numbers in this order: what was counted, when the next turn is, and how far
 * turns are apart from now on. engines/storage/pacing.py reads the first three and writes the last. */
struct state {
    _Atomic uint64_t reads, waited_ns, cached, next_ns, interval_ns;
};

static struct state *state;
static char folders[4 * PATH_MAX];

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("BENCHBOOK_PACING_STATE"), *below = getenv("BENCHBOOK_PACING_FOLDERS");
    if (!file || !below || strlen(below) >= sizeof folders) return;
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return;
    strcpy(folders, below);
    state = mapped;
}

/* Whether the file lies below one of the folders, which are separated by colons. */
static int is_below(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = '\0';
    for (const char *folder = folders; *folder;) {
        size_t size = strcspn(folder, ":");
        if (size && (size_t)length > size && !strncmp(path, folder, size) && path[size] == '/') return 1;
        folder += size + (folder[size] == ':');
    }
    return 0;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Sleeps to a moment, whatever signals come; without this slack the kernel may wake it 50 microseconds late. */
static void sleep_until(uint64_t end) {
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
    if (slack > 0) prctl(PR_SET_TIMERSLACK, slack);
}

/* Takes the next turn and waits for it. */
static void take_turn(uint64_t interval_ns) {
    uint64_t asked = now_ns(), next = atomic_load(&state->next_ns), turn;
    do {
        turn = next > asked ? next : asked;
    } while (!atomic_compare_exchange_weak(&state->next_ns, &next, turn + interval_ns));
    if (turn > asked) sleep_until(turn);
    atomic_fetch_add(&state->reads, 1);
    atomic_fetch_add(&state->waited_ns, now_ns() - asked);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Reads what the page cache has. How many bytes that is where it is all of it; else -1, after a turn was waited for. */
static ssize_t cached_or_turn(int descriptor, const struct iovec *parts, int number, off64_t place) {
    uint64_t interval_ns = state ? atomic_load(&state->interval_ns) : 0;
    if (!interval_ns) return -1;
    int before = errno;
    if (!is_below(descriptor)) {
        errno = before;
        return -1;
    }
    static ssize_t (*nowait)(int, const struct iovec *, int, off64_t, int);
    if (!nowait) nowait = (__typeof__(nowait))dlsym(RTLD_NEXT, "preadv64v2");
    size_t wanted = 0;
    for (int part = 0; part < number; part++) wanted += parts[part].iov_len;
    ssize_t done = nowait ? nowait(descriptor, parts, number, place, RWF_NOWAIT) : -1;
    errno = before;
    if (done == (ssize_t)wanted) {
        atomic_fetch_add(&state->cached, 1);
        return done;
    }
    take_turn(interval_ns);
    errno = before;
    return -1;
}

ssize_t pread(int descriptor, void *buffer, size_t size, off_t place) {
    REAL(pread);
    struct iovec part = {buffer, size};
    ssize_t done = cached_or_turn(descriptor, &part, 1, place);
    return done >= 0 ? done : real(descriptor, buffer, size, place);
}

ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t place) {
    REAL(pread64);
    struct iovec part = {buffer, size};
    ssize_t done = cached_or_turn(descriptor, &part, 1, place);
    return done >= 0 ? done : real(descriptor, buffer, size, place);
}

ssize_t preadv(int descriptor, const struct iovec *parts, int number, off_t place) {
    REAL(preadv);
    ssize_t done = cached_or_turn(descriptor, parts, number, place);
    return done >= 0 ? done : real(descriptor, parts, number, place);
}

ssize_t preadv64(int descriptor, const struct iovec *parts, int number, off64_t place) {
    REAL(preadv64);
    ssize_t done = cached_or_turn(descriptor, parts, number, place);
    return done >= 0 ? done : real(descriptor, parts, number, place);
}
