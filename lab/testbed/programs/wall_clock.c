// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into a process, this sets its wall clock off by as many seconds as the file
 * SLUICE_LAB_CLOCK_FILE holds (64 bits, native order), now and whenever that changes. The machine's
 * clock, and the process's monotonic clock, are left as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_seconds;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("SLUICE_LAB_CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        offset_seconds = mapped;
}

static int64_t offset(clockid_t clock) {
    int is_wall_clock = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    return is_wall_clock && offset_seconds ? *offset_seconds : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = real_clock_gettime ? real_clock_gettime(clock, now)
                                    : (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed)
        now->tv_sec += offset(clock);
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact))
        return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact))
        return (time_t)-1;
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
