// Orders, some of which cannot be carried out: exceptions over several calls, an object that is cleaned up on the way,
// and one that nobody catches.
#define IMPORT(n) __attribute__((import_module("env"), import_name(#n))) extern "C"
IMPORT(chip_analog_read) int order(int pin);
IMPORT(print_int) void print_int(int number);

struct Refused {
    int why;
};

static int open_orders;

struct Open {
    Open() { open_orders++; }
    ~Open() { open_orders--; }
};

static int price(int number) {
    if (number % 3 == 0)
        throw Refused{number};
    if (number > 90)
        throw number;
    return number * 2;
}

static int carry_out(int number) {
    Open open;
    int cost = price(number);
    return cost + open_orders;
}

static int serve(int number) {
    int cost = -1;
    try {
        cost = carry_out(number);
        cost += 100;
    } catch (const Refused &refused) {
        cost = -refused.why;
    }
    return cost + 1000 * open_orders;
}

extern "C" __attribute__((export_name("main"))) int run(void) {
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        int cost = serve(order(0));
        print_int(cost);
        sum += cost;
    }
    return sum;
}
