/* The agent's own process, and whatever it leaves behind.
 *
 *   R   seconds, workspace, number of words, the words, then name=value pairs: each ends with a NUL
 */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OURS "/heuresis/bin"

static pid_t agent;
static int output = -1, late, over, ended;
static double ends;
static char workspace[4096];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void become(char **words, char **pairs, int output_end)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    for (; *pairs; pairs++)
        putenv(*pairs);
    const char *path = getenv("PATH");
    static char whole[8192];
    snprintf(whole, sizeof whole, "%s:%s", OURS, path ? path : "/usr/local/bin:/usr/bin:/bin");
    setenv("PATH", whole, 1);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(output_end, 1);
    dup2(output_end, 2);
    if (chdir(workspace))
        dprintf(2, "%s: %s\n", workspace, strerror(errno));
    execvp(words[0], words);
    dprintf(2, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

void agent_run(unsigned char *data, size_t size)
{
    if (agent || !size || data[size - 1])
        leave("a second agent, or none");
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += data[i] == 0;
    char **strings = calloc(count + 1, sizeof *strings), *at = (char *)data;
    for (size_t i = 0; strings && i < count; i++, at += strlen(at) + 1)
        strings[i] = at;
    size_t number = strings && count > 3 ? strtoul(strings[2], NULL, 10) : 0;
    int ends_of[2];
    if (!number || 3 + number > count || pipe2(ends_of, O_CLOEXEC))
        leave("nothing to run");
    char **words = calloc(number + 1, sizeof *words);
    if (!words)
        leave("no memory");
    memcpy(words, strings + 3, number * sizeof *words);
    ends = now() + strtod(strings[0], NULL);
    snprintf(workspace, sizeof workspace, "%s", strings[1]);
    agent = fork();
    if (agent == 0)
        become(words, strings + 3 + number, ends_of[1]);
    if (agent < 0)
        leave("no process for the agent");
    close(ends_of[1]);
    output = ends_of[0];
    free(words);
    free(strings);
}

void agent_kill(void)
{
    if (agent && !ended)
        kill(-1, SIGKILL); /* all of this user id but this process and the container's first */
}

int agent_wait(void)
{
    if (!agent || ended)
        return -1;
    double left = ends - now();
    if (left > 0)
        return left > 1e6 ? 1000000000 : (int)(left * 1000) + 1;
    late = 1;
    agent_kill();
    return 100;
}

int agent_watch(struct pollfd *fds)
{
    if (output < 0)
        return 0;
    *fds = (struct pollfd){output, POLLIN, 0};
    return 1;
}

static void tell(void)
{
    char said[24];
    if (!ended || output >= 0)
        return;
    int code = WIFEXITED(over) ? WEXITSTATUS(over) : -WTERMSIG(over);
    int size = late ? snprintf(said, sizeof said, "late") : snprintf(said, sizeof said, "%d", code);
    say('X', 0, said, (size_t)size);
}

void agent_turn(void)
{
    static unsigned char data[PIECE];
    ssize_t got = read(output, data, sizeof data);
    if (got < 0 && errno == EINTR)
        return;
    if (got > 0) {
        say('S', 0, data, (size_t)got);
        return;
    }
    close(output);
    output = -1;
    tell();
}

void agent_ended(pid_t pid, int status)
{
    if (pid != agent || ended)
        return;
    agent_kill(); /* what it left behind, and its hold on the output */
    ended = 1;
    over = status;
    tell();
}

int agent_over(void)
{
    return ended;
}

const char *agent_workspace(void)
{
    return workspace;
}
