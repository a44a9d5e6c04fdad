// Values of C. The program says itself what its variables hold.
#define IMPORT(n) __attribute__((import_module("env"), import_name(#n)))
IMPORT(said) void said(const char *name, unsigned name_bytes, const char *text, unsigned text_bytes);
IMPORT(stop) void stop(void);

static char text[256];
static unsigned length;
static void letter(char c) { if (length < sizeof text) text[length++] = c; }
static void word(const char *w) { while (*w) letter(*w++); }
static void number(long long n) {
    if (n < 0) { letter('-'); if (n <= -10) number(-(n / 10)); letter('0' - n % 10); return; }
    if (n >= 10) number(n / 10);
    letter('0' + n % 10);
}
static void large(unsigned long long n) { if (n >= 10) large(n / 10); letter('0' + n % 10); }
static void hex(unsigned n) { if (n >= 16) hex(n / 16); letter("0123456789abcdef"[n % 16]); }
static void tell(const char *name) {
    unsigned bytes = 0;
    while (name[bytes]) bytes++;
    said(name, bytes, text, length);
    length = 0;
}
#define SAY(variable) (number(variable), tell(#variable))

enum Mode { Off, Heat = 5, Cool = -2 };
struct Point { short x; long long y; };
struct Flags { unsigned low : 3; int middle : 5; unsigned high : 24; };
struct Node { int value; struct Node *next; };
union Word { unsigned whole; unsigned char bytes[4]; float real; };
struct Holder { struct { int inside; }; union { int a; float b; }; struct Point points[2]; };

static int counter = 41;
const char *greeting = "hello";
struct Node last = {2, 0}, first = {1, &last};

__attribute__((noinline)) static int values(int seed, unsigned char small) {
    signed char negative = -seed;
    unsigned short port = 65535;
    long long far = -4611686018427387904ll;
    unsigned long long most = ~0ull;
    _Bool truth = seed > 1;
    float half = seed / 2.0f;
    double tenth = 0.1;
    enum Mode mode = seed > 2 ? Cool : Heat;
    struct Point point = {seed, -4};
    struct Flags flags = {5, -3, 70000};
    union Word w = {0x40490fdb};
    struct Holder holder = {{6}, {7}, {{1, 2}, {3, 4}}};
    int grid[2][3] = {{1, 2, 3}, {4, 5, seed}};
    char name[8] = "board";
    struct Point *where = &point;
    int *third = &grid[1][2];
    const int *const *twice = (const int *const *)&third;
    struct Node *list = &first;
    SAY(seed); SAY(port); SAY(far); SAY(counter); SAY(small + 0); SAY(negative + 0);
    large(most); tell("most");
    word(truth ? "true" : "false"); tell("truth");
    word("1.5"); tell("half");
    word("0.1"); tell("tenth");
    word(mode == Cool ? "Cool" : "?"); tell("mode");
    SAY(point.x); SAY(point.y); SAY(where->y); SAY((*where).x); SAY(*third); SAY(**twice); SAY(third[-1]);
    word("{x: "); number(point.x); word(", y: "); number(point.y); word("}"); tell("point");
    word("{x: "); number(point.x); word(", y: "); number(point.y); word("}"); tell("*where");
    word("{low: "); number(flags.low); word(", middle: "); number(flags.middle); word(", high: "); number(flags.high);
    word("}"); tell("flags");
    SAY(flags.low); SAY(flags.middle); SAY(flags.high);
    SAY(w.whole);
    SAY(w.bytes[0] + 0); SAY(w.bytes[3] + 0);
    SAY(holder.inside); SAY(holder.a); SAY(holder.points[1].y);
    word("[["); number(grid[0][0]); word(", 2, 3], [4, 5, "); number(grid[1][2]); word("]]"); tell("grid");
    SAY(grid[1][0]);
    letter('"'); word(name); letter('"'); tell("name");
    SAY(name[1] + 0);
    SAY(list->value); SAY(list->next->value);
    word("{value: 2, next: 0x0}"); tell("*list->next");
    word("0x"); hex((unsigned)where); tell("where");
    word("0x"); hex((unsigned)greeting); word(" \""); word(greeting); word("\""); tell("greeting");
    stop();
    return *third + where->x + mode + (int)half + (int)tenth + name[0] + truth + negative + (int)(most + far) + holder.a;
}

__attribute__((export_name("main"))) int start(int seed) {
    return values(seed, 200) + counter;
}
