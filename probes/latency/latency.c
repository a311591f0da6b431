/* Preloaded into a server: makes direct reads and fdatasync take longer below named folders, and counts them.
 *
 * Only reads of files that were opened with O_DIRECT are delayed, since others may not reach the disk; so mapped files
 * and whatever lies elsewhere go on as before. What was delayed, and for how long, is added to a shared file, so that
 * a run can prove it. Pauses that the server makes itself (nanosleep: commit_delay) are counted beside them, not made.
 * Anything missing or wrong in the variables: nothing is delayed and nothing is counted.
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

/* In the shared file, as unsigned 64-bit numbers in this order: what was counted, then how long to wait from now on.
 * engines/storage/latency.py reads the former and writes the latter. */
struct counts {
    _Atomic uint64_t reads, reads_ns, syncs, syncs_ns, pauses, read_wait_ns, sync_wait_ns;
};

static struct counts *counts;
static char folders[4 * PATH_MAX];

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("BENCHBOOK_LATENCY_COUNTS"), *below = getenv("BENCHBOOK_LATENCY_FOLDERS");
    if (!file || !below || strlen(below) >= sizeof folders) return;
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return;
    strcpy(folders, below);
    counts = mapped;
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
static uint64_t sleep_for(uint64_t ns) {
    uint64_t start = now_ns(), end = start + ns;
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
    if (slack > 0) prctl(PR_SET_TIMERSLACK, slack);
    return now_ns() - start;
}

static ssize_t after_read(int descriptor, ssize_t done) {
    uint64_t wait_ns = counts ? atomic_load(&counts->read_wait_ns) : 0;
    if (done > 0 && wait_ns) {
        int before = errno, flags = fcntl(descriptor, F_GETFL);
        if (flags >= 0 && (flags & O_DIRECT) && is_below(descriptor)) {
            uint64_t slept = sleep_for(wait_ns);
            atomic_fetch_add(&counts->reads, 1);
            atomic_fetch_add(&counts->reads_ns, slept);
        }
        errno = before;
    }
    return done;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pread(int descriptor, void *buffer, size_t size, off_t place) {
    REAL(pread);
    return after_read(descriptor, real(descriptor, buffer, size, place));
}

ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t place) {
    REAL(pread64);
    return after_read(descriptor, real(descriptor, buffer, size, place));
}

ssize_t preadv(int descriptor, const struct iovec *parts, int number, off_t place) {
    REAL(preadv);
    return after_read(descriptor, real(descriptor, parts, number, place));
}

ssize_t preadv64(int descriptor, const struct iovec *parts, int number, off64_t place) {
    REAL(preadv64);
    return after_read(descriptor, real(descriptor, parts, number, place));
}

ssize_t preadv2(int descriptor, const struct iovec *parts, int number, off_t place, int flags) {
    REAL(preadv2);
    return after_read(descriptor, real(descriptor, parts, number, place, flags));
}

ssize_t preadv64v2(int descriptor, const struct iovec *parts, int number, off64_t place, int flags) {
    REAL(preadv64v2);
    return after_read(descriptor, real(descriptor, parts, number, place, flags));
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    int done = real(descriptor);
    uint64_t wait_ns = counts ? atomic_load(&counts->sync_wait_ns) : 0;
    if (done == 0 && wait_ns) {
        int before = errno;
        if (is_below(descriptor)) {
            uint64_t slept = sleep_for(wait_ns);
            atomic_fetch_add(&counts->syncs, 1);
            atomic_fetch_add(&counts->syncs_ns, slept);
        }
        errno = before;
    }
    return done;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    REAL(nanosleep);
    if (counts) atomic_fetch_add(&counts->pauses, 1);
    return real(asked, left);
}
