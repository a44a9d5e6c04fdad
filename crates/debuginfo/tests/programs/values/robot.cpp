// References, bases, templates and a lambda.
#define IMPORT(n) __attribute__((import_module("env"), import_name(#n))) extern "C"
IMPORT(chip_analog_read) int chip_analog_read(int pin);
IMPORT(drive_motor) void drive_motor(int port, int speed);
typedef unsigned char u8; typedef unsigned int u32;
namespace hw {
enum class Dir : signed char { Back = -1, Stop, Fwd };
struct Base { int id; virtual int speed() const { return id; } virtual ~Base() {} };
struct Wheel : Base { short rpm = 5; Dir dir = Dir::Fwd; int speed() const override { return rpm * int(dir); } };
template <typename T, int N> struct Ring {
    T items[N]; u32 head = 0; bool full = false;
    void push(const T &t) { items[head % N] = t; head++; full = head >= N; }
    T sum() const { T s{}; for (const auto &i : items) s += i; return s; }
};
}
struct Robot {
    hw::Wheel left, right; hw::Ring<float, 4> ring; hw::Wheel &ref; const char *name; int (*fn)(int); static int count; 
    int Robot::*member = nullptr; long long big = -1; double d = 1e100; char16_t c16 = u'ß'; wchar_t w = L'x'; unsigned long long ull = ~0ull; 
    Robot() : ref(left), name("Robo"), fn(nullptr) { left.id = 1; right.id = 2; count++; }
    int pos = 3;
};
int Robot::count = 0;
static Robot *robot;
extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
void operator delete(void *) noexcept {}
void operator delete(void *, unsigned long) noexcept {}
extern "C" int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
extern "C" int main() {
    static Robot r; robot = &r;
    auto lambda = [&](int x) { return x * r.left.rpm; };
    for (int i = 0; i < 5; i++) {
        int v = chip_analog_read(3);
        r.ring.push(v / 10.0f);
        float s = r.ring.sum();
        hw::Base *b = v > 2000 ? &r.left : &r.right;
        int &alias = v;
        alias = lambda(b->speed());
        drive_motor(0, v + (int)s);
    }
    return 0;
}
