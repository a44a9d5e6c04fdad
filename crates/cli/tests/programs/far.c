/* Readings in a list, in a memory whose addresses have 64 bits; each is filtered by a function that a table names. */
__attribute__((import_module("env"), import_name("chip_analog_read"))) int chip_analog_read(int pin);
__attribute__((import_module("env"), import_name("chip_digital_write"))) void chip_digital_write(int pin, int value);

struct reading {
    int value;
    struct reading *before;
};

static struct reading readings[4];
static struct reading *last;
static long sum;

static int at_most_4000(int value) {
    return value > 4000 ? 4000 : value;
}

static int halved(int value) {
    return value / 2;
}

static int (*const filters[2])(int) = {at_most_4000, halved};

int main(void) {
    for (int count = 0; count < 4; count++) {
        struct reading *now = &readings[count];
        now->value = filters[count & 1](chip_analog_read(34));
        now->before = last;
        last = now;
        sum += now->value;
    }
    chip_digital_write(2, sum > 6000);
    return 0;
}
