// A library that keeps nothing.

__attribute__((export_name("millivolts"))) int millivolts(int raw) {
    int scaled = raw * 3300;
    return scaled / 4095;
}
