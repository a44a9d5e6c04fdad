// What compiled C calls for `setjmp` and `longjmp`: the names and arguments are the compiler's.
#include "jumping.h"

void __wasm_setjmp(struct jump *jump, unsigned place, void *call) {
    jump->call = call;
    jump->place = place;
}

// Which of the places of this call it is; 0 if it is another call's.
unsigned __wasm_setjmp_test(struct jump *jump, void *call) { return jump->call == call ? jump->place : 0; }

void __wasm_longjmp(struct jump *jump, int value) {
    jump->thrown.to = jump;
    jump->thrown.value = value == 0 ? 1 : value;
    __builtin_wasm_throw(1, &jump->thrown);
}
