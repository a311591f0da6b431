#include "proxy.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base.h"
#include "bridge.h"
#include "sockets.h"

enum { EVENTS = 256, LINE = 128, STEP_NS = 500, LONGEST_LEAD_NS = 80000 };

typedef struct {
    int listener;
    const char *target;
} door;

static traffic all;
static bridge *bridges;
static int timer;
static int64_t timer_ns = INT64_MAX; /* when it is set to go off */
static int64_t lead_ns;              /* how much before its time, since waking up takes a while */
static door doors[DELAY_DOORS];
static char line[LINE];
static size_t line_size;

/* Before what it delays: a network does not wait for a processor either. What the system does not grant is told. */
static const char *come_first(void) {
    const struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &first) == 0) {
        return "real time";
    }
    if (setpriority(PRIO_PROCESS, 0, -20) == 0) {
        return "nice -20";
    }
    return "normal";
}

static void watch(int fd, void *what) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    if (epoll_ctl(all.epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        stop(EXIT_FAILED, "cannot watch descriptor %d: %s", fd, strerror(errno));
    }
}

/* "hold NS": what is read from now on waits so long. "report": what happened since the last report. */
static void obey(void) {
    if (strncmp(line, "hold ", 5) == 0) {
        all.hold_ns = number("hold", line + 5, 0, DELAY_LONGEST_NS);
        printf("{\"hold_ns\": %" PRId64 "}\n", all.hold_ns);
    } else if (strcmp(line, "report") == 0) {
        const lateness *late = &all.late;
        printf("{\"connections\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"chunks\": %" PRIu64 ", \"bytes\": %" PRIu64
               ", \"late_p50_us\": %.0f, \"late_p99_us\": %.0f, \"late_max_us\": %.1f}\n",
               all.connections, all.refused, late->chunks, late->bytes, lateness_quantile_us(late, 0.5),
               lateness_quantile_us(late, 0.99), (double)late->most_ns / 1000.0);
        memset(&all.late, 0, sizeof all.late);
        all.connections = all.refused = 0;
    } else {
        stop(EXIT_REFUSED, "unknown command '%s'", line);
    }
    fflush(stdout);
}

/* Reads commands; returns false at the end of standard input, which is the owner's. */
static int listen_to_owner(void) {
    char text[LINE];
    const ssize_t size = read(STDIN_FILENO, text, sizeof text);
    if (size <= 0) {
        return size < 0 && errno == EINTR;
    }
    for (ssize_t i = 0; i < size; ++i) {
        if (text[i] == '\n') {
            line[line_size] = '\0';
            line_size = 0;
            obey();
        } else if (line_size + 1 < sizeof line) {
            line[line_size++] = text[i];
        } else {
            stop(EXIT_REFUSED, "a command is too long");
        }
    }
    return 1;
}

static void set_timer(int64_t at_ns) {
    struct itimerspec at = {.it_value = {0}};
    if (at_ns == timer_ns) {
        return;
    }
    if (at_ns != INT64_MAX) {
        at.it_value.tv_sec = at_ns / NS_PER_S;
        at.it_value.tv_nsec = at_ns % NS_PER_S;
    }
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) != 0) {
        stop(EXIT_FAILED, "no timer: %s", strerror(errno));
    }
    timer_ns = at_ns;
}

/* After the timer went off. The lead follows the time of waking up that nine of ten do not exceed; what is left until
 * a chunk is due the loop waits at work, some microseconds. */
static void learn_lead(void) {
    lead_ns += now_ns() - timer_ns > lead_ns ? 9 * STEP_NS : -STEP_NS;
    lead_ns = lead_ns < 0 ? 0 : lead_ns > LONGEST_LEAD_NS ? LONGEST_LEAD_NS : lead_ns;
    timer_ns = INT64_MAX;
}

/* Works on every connection; returns when to come back. */
static int64_t work(int64_t now) {
    int64_t next = INT64_MAX;
    for (bridge **at = &bridges; *at != NULL;) {
        bridge *one = *at;
        const int64_t back = bridge_work(&all, one, now);
        if (one->over) {
            *at = one->next;
            bridge_free(one);
            continue;
        }
        next = back < next ? back : next;
        at = &one->next;
    }
    return next;
}

static int is_door(const void *what) { return what >= (const void *)doors && what < (const void *)(doors + DELAY_DOORS); }

/* Returns false when the owner has gone. */
static int look(const struct epoll_event *event) {
    void *what = event->data.ptr;
    if (what == &timer) {
        uint64_t times;
        if (read(timer, &times, sizeof times) == (ssize_t)sizeof times) {
            learn_lead();
        }
        return 1;
    }
    if (what == NULL) {
        return listen_to_owner();
    }
    if (is_door(what)) {
        const door *entered = what;
        for (int client; (client = accept_next(entered->listener)) >= 0;) {
            bridges = bridge_open(&all, client, entered->target, bridges);
        }
        return 1;
    }
    bridge_seen(what, event->events);
    return 1;
}

void proxy_run(int64_t hold_ns, int count, char *const *pairs) {
    all.hold_ns = hold_ns;
    all.epoll = epoll_create1(EPOLL_CLOEXEC);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (all.epoll < 0 || timer < 0) {
        stop(EXIT_FAILED, "no epoll or no timer: %s", strerror(errno));
    }
    raise_descriptor_limit();
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    for (int i = 0; i < count; ++i) {
        doors[i] = (door){.listener = listen_at(pairs[2 * i]), .target = pairs[2 * i + 1]};
        watch(doors[i].listener, &doors[i]);
    }
    watch(timer, &timer);
    watch(STDIN_FILENO, NULL);
    printf("{\"ready\": true, \"priority\": \"%s\"}\n", come_first());
    fflush(stdout);
    struct epoll_event events[EVENTS];
    for (;;) {
        const int64_t next = work(now_ns());
        const int at_once = next <= now_ns() + lead_ns;
        if (!at_once) {
            set_timer(next == INT64_MAX ? next : next - lead_ns);
        }
        const int seen = epoll_wait(all.epoll, events, EVENTS, at_once ? 0 : -1);
        for (int i = 0; i < seen; ++i) {
            if (!look(&events[i])) {
                return;
            }
        }
    }
}
