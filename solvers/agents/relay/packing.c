/* Folders as tars, by the image's own tar. One goes in or out at a time. */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct tar {
    pid_t pid;
    int fd, ended;
    unsigned char code;
};

static struct tar in = {.fd = -1}, out = {.fd = -1};

static pid_t start(const char *folder, const char *what, int end, int fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nothing, 1 - end);
        dup2(fd, end);
        execlp("tar", "tar", "-C", folder, what, "-", what[1] == 'c' ? "." : "--no-same-owner", (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* Its exit code; 128 and more is a signal. */
static unsigned char wait_for(struct tar *tar)
{
    int status;
    if (tar->fd >= 0)
        close(tar->fd); /* what it waits for */
    tar->fd = -1;
    while (tar->pid > 0 && !tar->ended)
        if (waitpid(tar->pid, &status, 0) == tar->pid)
            packing_ended(tar->pid, status);
        else if (errno != EINTR)
            break;
    return tar->code;
}

void put_begin(const char *folder)
{
    int ends[2];
    if (in.fd >= 0 || pipe2(ends, O_CLOEXEC))
        leave("a tar within a tar");
    in = (struct tar){start(folder, "-xf", 0, ends[0]), ends[1], 0, 127};
    close(ends[0]);
}

void put_more(const void *data, size_t size)
{
    const char *at = data;
    for (size_t left = size; left && in.fd >= 0;) {
        ssize_t done = write(in.fd, at, left);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break; /* how it ended is told at the end */
        at += done;
        left -= (size_t)done;
    }
    if (size)
        return;
    char said[8];
    say('p', 0, said, (size_t)snprintf(said, sizeof said, "%d", wait_for(&in)));
}

void take_begin(const char *folder)
{
    int ends[2];
    if (out.fd >= 0 || pipe2(ends, O_CLOEXEC))
        leave("a tar within a tar");
    out = (struct tar){start(folder, "-cf", 1, ends[1]), ends[0], 0, 127};
    close(ends[1]);
}

int take_watch(struct pollfd *fds)
{
    if (out.fd < 0)
        return 0;
    *fds = (struct pollfd){out.fd, POLLIN, 0};
    return 1;
}

void take_turn(void)
{
    static unsigned char data[PIECE];
    ssize_t got = read(out.fd, data, sizeof data);
    if (got < 0 && errno == EINTR)
        return;
    if (got > 0) {
        say('T', 0, data, (size_t)got);
        return;
    }
    unsigned char code = wait_for(&out);
    say('Z', 0, &code, 1);
}

int packing_ended(pid_t pid, int status)
{
    struct tar *tar = pid == out.pid ? &out : &in;
    if (pid != tar->pid)
        return 0;
    tar->ended = 1;
    tar->code = (unsigned char)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 1;
}
