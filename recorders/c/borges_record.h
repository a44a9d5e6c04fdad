/* Records what a WebAssembly program calls and what its host answers; `borges import` replays it.
 *
 * For any engine that runs on anything: no allocation, no floating point, no standard output. What is recorded goes to a
 * function of yours, a few bytes at a time: to a file, a serial line, a buffer.
 *
 *     struct borges_import imports[] = {{"env", "chip_analog_read", "i>i", {0}}, {"env", "chip_delay", "i>", {0}}};
 *     borges_begin(&recorder, sink, context, wasm, wasm_length, "wasm3 on a Pico", "", imports, 2);
 *     borges_call(&recorder, 0, args, &result, NULL, 0);   // once a call has returned
 *     borges_end(&recorder, BORGES_RETURNED, 0);
 *
 * docs/recordings.md has the format. */
#ifndef BORGES_RECORD_H
#define BORGES_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most parameters of one import. */
#ifndef BORGES_MOST_PARAMS
#define BORGES_MOST_PARAMS 8
#endif

/* An imported function of the program: all of them, in the order in which the module imports them. */
struct borges_import {
    const char *module;
    const char *name;
    /* A letter for each parameter, '>', a letter for the result if there is one: i i32, I i64, f f32, F f64. */
    const char *type;
    /* The arguments of the last call: for the recorder. */
    uint64_t last[BORGES_MOST_PARAMS];
};

/* Bytes that the host has written to the program's memory in a call. */
struct borges_write {
    uint32_t address;
    uint32_t length;
    const void *bytes;
};

typedef void (*borges_sink)(void *context, const uint8_t *bytes, size_t length);

struct borges_recorder {
    borges_sink sink;
    void *context;
    struct borges_import *imports;
    uint32_t check;
    uint32_t address;
};

/* How a program ended. */
enum borges_ending { BORGES_RETURNED = 0, BORGES_EXITED = 1, BORGES_TRAPPED = 2, BORGES_STOPPED = 3 };

static uint32_t borges_crc(uint32_t check, const uint8_t *bytes, size_t length) {
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    check = ~check;
    while (length--) {
        check ^= *bytes++;
        check = table[check & 15] ^ check >> 4;
        check = table[check & 15] ^ check >> 4;
    }
    return ~check;
}

static void borges_bytes(struct borges_recorder *recorder, const void *bytes, size_t length) {
    recorder->check = borges_crc(recorder->check, (const uint8_t *)bytes, length);
    recorder->sink(recorder->context, (const uint8_t *)bytes, length);
}

static void borges_number(struct borges_recorder *recorder, uint64_t number) {
    uint8_t bytes[10];
    size_t length = 0;
    while (number >= 0x80) {
        bytes[length++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    bytes[length++] = (uint8_t)number;
    borges_bytes(recorder, bytes, length);
}

static void borges_text(struct borges_recorder *recorder, const char *text) {
    borges_number(recorder, strlen(text));
    borges_bytes(recorder, text, strlen(text));
}

/* The lowest bytes of a number, the least significant first. */
static size_t borges_little(uint8_t *bytes, uint64_t number, size_t length) {
    for (size_t at = 0; at < length; at++) bytes[at] = (uint8_t)(number >> 8 * at);
    return length;
}

/* What checks do not cover: themselves. */
static void borges_check(struct borges_recorder *recorder, size_t length) {
    uint8_t bytes[4];
    uint32_t check = length == 2 ? recorder->check ^ recorder->check >> 16 : recorder->check;
    recorder->sink(recorder->context, bytes, borges_little(bytes, check, length));
}

/* A value, by its bits: integers as the difference to another one. */
static void borges_value(struct borges_recorder *recorder, char type, uint64_t bits, uint64_t last) {
    uint8_t bytes[8];
    int64_t difference = (int64_t)(bits - last);
    if (type == 'f' || type == 'F') {
        borges_bytes(recorder, bytes, borges_little(bytes, bits, type == 'f' ? 4 : 8));
        return;
    }
    if (type == 'i') difference = (int32_t)(uint32_t)difference;
    borges_number(recorder, (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0));
}

/* Begins a recording. `entry` is the export that is called; empty: the usual one. False if an import has more parameters
 * than BORGES_MOST_PARAMS: define it before this file is included. */
static bool borges_begin(struct borges_recorder *recorder, borges_sink sink, void *context, const void *wasm,
                         size_t length, const char *engine, const char *entry, struct borges_import *imports,
                         size_t count) {
    static const uint8_t magic[8] = {0, 'b', 'o', 'r', 'g', 'e', 's', 1};
    uint8_t bytes[4];
    recorder->sink = sink;
    recorder->context = context;
    recorder->imports = imports;
    recorder->check = 0;
    recorder->address = 0;
    borges_bytes(recorder, magic, sizeof magic);
    borges_number(recorder, length);
    borges_bytes(recorder, bytes, borges_little(bytes, borges_crc(0, (const uint8_t *)wasm, length), 4));
    borges_text(recorder, engine);
    borges_text(recorder, entry);
    borges_number(recorder, count);
    for (size_t at = 0; at < count; at++) {
        borges_text(recorder, imports[at].module);
        borges_text(recorder, imports[at].name);
        borges_text(recorder, imports[at].type);
        borges_text(recorder, "");
        if (strcspn(imports[at].type, ">") > BORGES_MOST_PARAMS) return false;
        memset(imports[at].last, 0, sizeof imports[at].last);
    }
    borges_check(recorder, 4);
    return true;
}

/* A call has returned: the bits of its arguments and of its result, and what the host has written. */
static void borges_call(struct borges_recorder *recorder, size_t number, const uint64_t *args, const uint64_t *result,
                        const struct borges_write *writes, size_t count) {
    struct borges_import *import = &recorder->imports[number];
    const char *type = import->type;
    borges_number(recorder, number + 1);
    for (size_t at = 0; *type != '>'; at++, type++) {
        borges_value(recorder, *type, args[at], import->last[at]);
        import->last[at] = args[at];
    }
    if (type[1]) borges_value(recorder, type[1], *result, 0);
    borges_number(recorder, count);
    for (size_t at = 0; at < count; at++) {
        borges_value(recorder, 'i', writes[at].address, recorder->address);
        borges_number(recorder, writes[at].length);
        borges_bytes(recorder, writes[at].bytes, writes[at].length);
        recorder->address = writes[at].address;
    }
    borges_check(recorder, 2);
}

/* The program has ended; `code` is for BORGES_EXITED. */
static void borges_end(struct borges_recorder *recorder, enum borges_ending how, uint32_t code) {
    borges_number(recorder, 0);
    borges_number(recorder, how);
    if (how == BORGES_EXITED) borges_number(recorder, code);
    borges_check(recorder, 4);
}

#endif
