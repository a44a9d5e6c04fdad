// What a C library has of this, where there is none.
struct jump {
    // The call that set it, and which of its places that was.
    void *call;
    unsigned place;
    // What is thrown.
    struct {
        struct jump *to;
        int value;
    } thrown;
};
typedef struct jump jmp_buf[1];

int setjmp(jmp_buf) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
