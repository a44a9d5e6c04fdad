/* Records a program that reads lines from a modem on WAMR: an example of a host that writes to a program's memory. The
 * modem sends what stands on standard input.
 *
 *     cmake -S WAMR -B build -DWAMR_BUILD_INTERP=1 -DWAMR_BUILD_AOT=0 -DWAMR_BUILD_LIBC_WASI=0 && make -C build vmlib
 *     cc -O2 -I WAMR/core/iwasm/include recorders/c/wamr.c build/libiwasm.a -lm -lpthread -o modem
 *     ./modem crates/session/tests/fills/modem.wasm modem.recording < LINES */
#include <stdio.h>

#include "borges_record.h"
#include "wasm_export.h"

static struct borges_recorder recorder;

static struct borges_import imports[] = {
    {"env", "uart_read", "ii>i", {0}},
    {"env", "print_string", "ii>", {0}},
    {"env", "print_int", "i>", {0}},
};

static void to_file(void *file, const uint8_t *bytes, size_t length) { fwrite(bytes, 1, length, (FILE *)file); }

/* All imports. WAMR has an argument in each word, and wants the result in the first. */
static void imported(wasm_exec_env_t environment, uint64_t *words) {
    size_t number = (size_t)wasm_runtime_get_function_attachment(environment);
    wasm_module_inst_t instance = wasm_runtime_get_module_inst(environment);
    const char *type = imports[number].type;
    uint64_t args[BORGES_MOST_PARAMS], result = 0;
    struct borges_write write = {0, 0, NULL};
    for (size_t at = 0; at < strcspn(type, ">"); at++) args[at] = (uint32_t)words[at];
    if (number == 0 && args[1] > 1 && wasm_runtime_validate_app_addr(instance, args[0], args[1])) {
        char *line = wasm_runtime_addr_app_to_native(instance, args[0]);
        /* As many bytes as there is room for; none at the end. */
        write.length = (uint32_t)fread(line, 1, (size_t)(args[1] < 8 ? args[1] : 8), stdin);
        write.address = (uint32_t)args[0];
        write.bytes = line;
        result = write.length;
    }
    if (strchr(type, '>')[1]) words[0] = result;
    borges_call(&recorder, number, args, &result, &write, write.length > 0);
}

int main(int count, char **arguments) {
    static uint8_t wasm[1 << 20], original[1 << 20];
    char failed[128] = "";
    if (count != 3) return 2;
    FILE *program = fopen(arguments[1], "rb"), *recording = fopen(arguments[2], "wb");
    if (!program || !recording || !wasm_runtime_init()) return 1;
    uint32_t length = (uint32_t)fread(wasm, 1, sizeof wasm, program);
    /* WAMR changes the module while it loads it. */
    memcpy(original, wasm, length);
    static NativeSymbol natives[] = {
        {"uart_read", (void *)imported, "(ii)i", (void *)0},
        {"print_string", (void *)imported, "(ii)", (void *)1},
        {"print_int", (void *)imported, "(i)", (void *)2},
    };
    wasm_runtime_register_natives_raw("env", natives, 3);
    wasm_module_t module = wasm_runtime_load(wasm, length, failed, sizeof failed);
    wasm_module_inst_t instance = module ? wasm_runtime_instantiate(module, 8192, 0, failed, sizeof failed) : NULL;
    wasm_function_inst_t entry = instance ? wasm_runtime_lookup_function(instance, "main") : NULL;
    if (!entry) return fprintf(stderr, "%s\n", failed), 1;
    wasm_exec_env_t environment = wasm_runtime_create_exec_env(instance, 8192);
    uint32_t major, minor, patch, words[2] = {0, 0};
    char engine[32];
    wasm_runtime_get_version(&major, &minor, &patch);
    snprintf(engine, sizeof engine, "WAMR %u.%u.%u", (unsigned)major, (unsigned)minor, (unsigned)patch);
    borges_begin(&recorder, to_file, recording, original, length, engine, "", imports, 3);
    bool returned = wasm_runtime_call_wasm(environment, entry, 2, words);
    if (!returned) fprintf(stderr, "%s\n", wasm_runtime_get_exception(instance));
    borges_end(&recorder, returned ? BORGES_RETURNED : BORGES_TRAPPED, 0);
    return fclose(recording) != 0;
}
