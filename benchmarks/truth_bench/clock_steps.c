/* Preloaded, the wall clock is off by as many seconds as $CLOCK_STEP_FILE says; steady clocks and waits stay true.
   libfaketime also wraps clock_nanosleep, in a way that makes every time.sleep of Python 3.11 fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double step(void)
{
    const char *name = getenv("CLOCK_STEP_FILE");
    FILE *file = name ? fopen(name, "r") : NULL;
    double seconds = 0;
    if (file) {
        if (fscanf(file, "%lf", &seconds) != 1)
            seconds = 0;
        fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    int result = syscall(SYS_clock_gettime, which, now);
    if (!result && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        double seconds = step();
        long long whole = (long long)seconds;
        now->tv_sec += whole;
        now->tv_nsec += (long)((seconds - whole) * 1e9);
        if (now->tv_nsec >= 1000000000) { now->tv_nsec -= 1000000000; now->tv_sec++; }
        if (now->tv_nsec < 0) { now->tv_nsec += 1000000000; now->tv_sec--; }
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact))
        return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
