// Sums are read by functions that call each other; what cannot be read is left at once, from several calls further in.
#include "jumping.h"

#define IMPORT(n) __attribute__((import_module("env"), import_name(#n)))
IMPORT(chip_analog_read) int next(int pin);
IMPORT(print_int) void print_int(int number);

static jmp_buf given_up;
static int depth;

static int term(void);

static int sum(void) {
    int total = 0;
    depth++;
    for (int terms = 0; terms < 2; terms++)
        total += term();
    depth--;
    return total;
}

static int term(void) {
    int read = next(0);
    if (read > 90)
        longjmp(given_up, read);
    if (read > 60 && depth < 3)
        return sum();
    return read;
}

__attribute__((export_name("main"))) int run(void) {
    volatile int tries = 0;
    int why = setjmp(given_up);
    if (why != 0) {
        print_int(-why);
        depth = 0;
    }
    if (++tries > 2)
        return -1;
    int total = sum();
    print_int(total);
    return total;
}
