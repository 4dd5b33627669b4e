/* A client of the model's unix socket: asks for the list of models with the token of argv[2], prints what comes. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[4096];
    if (count != 3)
        return 2;
    strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address))
        return 1;
    dprintf(fd, "GET /v1/models HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nConnection: close\r\n\r\n", words[2]);
    for (ssize_t got; (got = read(fd, text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)got, stdout);
    return 0;
}
