// Two timers: a lamp that blinks every second, and a button that counts only when it has been quiet for 50 ms.
__attribute__((import_module("env"), import_name("chip_digital_read"))) int digital_read(int pin);
__attribute__((import_module("env"), import_name("chip_digital_write"))) void digital_write(int pin, int level);
__attribute__((import_module("env"), import_name("millis"))) unsigned millis(void);

#define LAMP 13
#define BUTTON 2

unsigned last_blink = 0;
unsigned last_bounce = 0;
int lamp = 0;
int level = 0;
int button = 0;

void loop(void) {
    unsigned now = millis();
    if (now - last_blink >= 1000) {
        last_blink = now;
        lamp = !lamp;
        digital_write(LAMP, lamp);
    }
    int reading = digital_read(BUTTON);
    if (reading != level)
        last_bounce = millis();
    if (millis() - last_bounce > 50 && reading != button)
        button = reading;
    level = reading;
}

__attribute__((export_name("main"))) void start(void) {
    for (;;)
        loop();
}
