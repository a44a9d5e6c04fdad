// Brackets on standard input: whether they close, whatever else is read.
#include <unistd.h>

static int depth;

int main(void) {
    char letter;
    while (read(0, &letter, 1) == 1) {
        if (letter == '(' && depth < 9) depth++;
        if (letter == ')' && depth > 0) depth--;
    }
    if (depth > 9) __builtin_trap();
    return depth > 0;
}
