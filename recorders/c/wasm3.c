/* Records a program of the board "Color dial" on wasm3: an example of a host with imports of its own.
 *
 *     cc -O2 -I WASM3/source recorders/c/wasm3.c WASM3/source/m3_*.c -lm -o dial
 *     ./dial examples/color-dial/color-dial.wasm dial.recording */
#include <stdio.h>
#include <stdlib.h>

#include "borges_record.h"
#include "m3_env.h"
#include "wasm3.h"

/* After so many calls somebody switches the board off. */
#define CALLS 200

static struct borges_recorder recorder;
static int calls;

static struct borges_import imports[] = {
    {"env", "setup_uart_sensor", "ii>", {0}},
    {"env", "read_uart_sensor", "i>i", {0}},
    {"env", "drive_motor_degrees", "iii>", {0}},
    {"env", "chip_delay", "i>", {0}},
};

static void to_file(void *file, const uint8_t *bytes, size_t length) { fwrite(bytes, 1, length, (FILE *)file); }

/* All imports: what each does would be here. wasm3 has the result in front of the arguments, if there is one. */
static const void *imported(IM3Runtime runtime, IM3ImportContext context, uint64_t *stack, void *memory) {
    size_t number = (size_t)context->userdata;
    const char *type = imports[number].type;
    bool has_result = type[strlen(type) - 1] != '>';
    uint64_t args[BORGES_MOST_PARAMS], result = 0;
    (void)runtime, (void)memory;
    for (size_t at = 0; at < strcspn(type, ">"); at++) args[at] = (uint32_t)stack[has_result + at];
    if (calls++ == CALLS) return m3Err_trapExit;
    if (has_result) {
        /* The sensor sees another card now and then. */
        result = (uint64_t)(calls / 7 * 5 % 8);
        *(int32_t *)stack = (int32_t)result;
    }
    borges_call(&recorder, number, args, &result, NULL, 0);
    return m3Err_none;
}

int main(int count, char **arguments) {
    static uint8_t wasm[1 << 20];
    if (count != 3) return 2;
    FILE *program = fopen(arguments[1], "rb"), *recording = fopen(arguments[2], "wb");
    if (!program || !recording) return 1;
    size_t length = fread(wasm, 1, sizeof wasm, program);
    IM3Environment environment = m3_NewEnvironment();
    IM3Runtime runtime = m3_NewRuntime(environment, 64 * 1024, NULL);
    IM3Module module;
    IM3Function entry;
    M3Result failed = m3_ParseModule(environment, &module, wasm, (uint32_t)length);
    if (!failed) failed = m3_LoadModule(runtime, module);
    const char *signatures[] = {"v(ii)", "i(i)", "v(iii)", "v(i)"};
    for (size_t at = 0; at < 4 && !failed; at++) {
        failed = m3_LinkRawFunctionEx(module, imports[at].module, imports[at].name, signatures[at], imported, (void *)at);
    }
    if (!failed) failed = m3_FindFunction(&entry, runtime, "main");
    if (failed) return fprintf(stderr, "%s\n", failed), 1;
    borges_begin(&recorder, to_file, recording, wasm, length, "wasm3 " M3_VERSION, "", imports, 4);
    failed = m3_CallV(entry);
    borges_end(&recorder, failed == m3Err_trapExit ? BORGES_STOPPED : failed ? BORGES_TRAPPED : BORGES_RETURNED, 0);
    return fclose(recording) != 0;
}
