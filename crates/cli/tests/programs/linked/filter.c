// A library with a memory of its own, which needs another one.

__attribute__((import_module("units"), import_name("millivolts"))) int millivolts(int raw);

static int sum;
static int count;

__attribute__((export_name("add"))) void filter_add(int value) {
    int scaled = millivolts(value);
    sum += scaled;
    count++;
}

__attribute__((export_name("mean"))) int filter_mean(void) {
    return sum / count; // nothing above 100: there is none
}
