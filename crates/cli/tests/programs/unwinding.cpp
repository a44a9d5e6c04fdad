// The least that compiled C++ needs to throw and catch, for programs without a library. One exception is there at a time.
typedef unsigned char byte;

// What the compiler looks at after a catch: which of the clauses it is for.
extern "C" struct {
    unsigned lpad_index;
    const byte *lsda;
    unsigned selector;
} __wasm_lpad_context = {};

static const void *type_thrown;
alignas(16) static byte object[64];

static unsigned uleb(const byte *&at) {
    unsigned value = 0, shift = 0;
    do {
        value |= (*at & 0x7fu) << shift;
        shift += 7;
    } while (*at++ & 0x80);
    return value;
}

static int sleb(const byte *&at) {
    int value = 0;
    unsigned shift = 0;
    do {
        value |= (int)((*at & 0x7fu) << shift);
        shift += 7;
    } while (*at++ & 0x80);
    return shift < 32 && at[-1] & 0x40 ? value - (1 << shift) : value;
}

// Which clause of the place that is noted catches what was thrown; 0 for none.
static unsigned clause(const byte *at) {
    at++; // No start of landing pads.
    const void *const *types = nullptr;
    if (*at++ != 0xff) {
        unsigned offset = uleb(at);
        types = (const void *const *)(at + offset);
    }
    at++; // Call sites in LEB128.
    unsigned length = uleb(at);
    const byte *action = at + length;
    for (unsigned index = 0;; index++) {
        uleb(at);
        unsigned first = uleb(at);
        if (index == __wasm_lpad_context.lpad_index) {
            if (first == 0)
                return 0;
            action += first - 1;
            break;
        }
    }
    for (;;) {
        int filter = sleb(action);
        const byte *here = action;
        int next = sleb(action);
        if (filter > 0) {
            const void *type = types[-filter];
            if (type == nullptr || type == type_thrown)
                return (unsigned)filter;
        }
        if (next == 0)
            return 0;
        action = here + next;
    }
}

extern "C" int _Unwind_CallPersonality(void *) {
    __wasm_lpad_context.selector = clause(__wasm_lpad_context.lsda);
    return 0;
}

extern "C" void *__cxa_allocate_exception(unsigned long) { return object; }

extern "C" void __cxa_throw(void *thrown, void *type, void (*)(void *)) {
    type_thrown = type;
    __builtin_wasm_throw(0, thrown);
}

extern "C" void *__cxa_begin_catch(void *caught) { return caught; }

extern "C" void __cxa_end_catch(void) {}

// Type information has the address of these.
extern "C" {
void *_ZTVN10__cxxabiv117__class_type_infoE[3];
void *_ZTIi[2];
}
