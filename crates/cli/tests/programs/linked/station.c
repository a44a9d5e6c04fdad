// The program: it reads a sensor, and a library of its own makes one number of what it read.

__attribute__((import_module("env"), import_name("chip_analog_read"))) int chip_analog_read(int pin);
__attribute__((import_module("env"), import_name("print_int"))) void print_int(int value);

__attribute__((import_module("filter"), import_name("add"))) void filter_add(int value);
__attribute__((import_module("filter"), import_name("mean"))) int filter_mean(void);

static int readings[4];

int main(void) {
    for (int i = 0; i < 4; i++) {
        readings[i] = chip_analog_read(26);
        if (readings[i] > 100)
            filter_add(readings[i]);
    }
    int mean = filter_mean();
    print_int(mean);
    return mean;
}
