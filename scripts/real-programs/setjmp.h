// Debian's wasi-libc has no setjmp: an error that a script does not raise goes nowhere, one that it raises ends the program.
#pragma once
#include <stdlib.h>
typedef int jmp_buf[1];
#define setjmp(buffer) 0
#define longjmp(buffer, value) abort()
