// A file stands for a latch: somebody types 'l' to lock it and 'u' to unlock it.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int locked;

int main(void) {
    char letter;
    while (read(0, &letter, 1) == 1) {
        if (letter == 'l' && !locked) {
            int file = open("/data/latch", O_CREAT | O_EXCL | O_WRONLY, 0600);
            if (file < 0) continue;
            write(file, "locked", 6);
            close(file);
            locked = 1;
        }
        if (letter == 'u' && locked) {
            locked = 0;
            if (unlink("/data/latch") < 0) return 1; // is it still there?
        }
    }
    return 0;
}
