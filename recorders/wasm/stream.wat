;; A recording as it is written: numbers and bytes in a row, with their running check (docs/recordings.md). It has a memory
;; of its own; what the program's memory has comes from program.wat, and all else from JavaScript or Python.
;;
;; 0: the sums of bytes; 2048: the numbers of imports; 4096: their last arguments, 128 bytes each; 10240: the tables of
;; CRC-32, for a byte that stands 0 to 3 bytes before the end; 16384: a list of buffers; 32768: what the host wrote; 65536:
;; where bytes stand already, 16 for each of 65,536 entries (their sums in short, how many they are, where); 1114112: the
;; recording, of which what was taken is gone.
(module
  (import "host" "stopped" (func $stopped))
  (memory (export "memory") 34)
  (global $at (export "at") (mut i32) (i32.const 1114112))
  (global $checked (mut i32) (i32.const 1114112))
  (global $check (mut i32) (i32.const 0))
  ;; What was taken: the recording's byte 0 stands so far before the buffer.
  (global $before (mut i64) (i64.const 0))
  (global $handed (mut i32) (i32.const 0))
  (global $address (export "address") (mut i32) (i32.const 0))
  (global $done (export "done") (mut i32) (i32.const 0))
  (global $within (export "within") (mut i32) (i32.const 0))
  (global $listed (mut i32) (i32.const 0))
  (global $writes (mut i32) (i32.const 0))
  ;; Where many bytes may stand already: their sums in short, their entry, and which of them are compared next.
  (global $mixed (mut i32) (i32.const 0))
  (global $entry (mut i32) (i32.const 0))
  (global $compared (mut i32) (i32.const 0))
  ;; How many bytes of this call were said by where they stand: no more than 64 MiB are.
  (global $again (mut i32) (i32.const 0))
  (global $calls (export "calls") (mut i32) (i32.const 0))

  (func $begin (local $byte i32) (local $bits i32) (local $bit i32)
    (loop $bytes
      (local.set $bits (local.get $byte))
      (local.set $bit (i32.const 8))
      (loop $on
        (local.set $bits
          (i32.xor
            (i32.shr_u (local.get $bits) (i32.const 1))
            (i32.and (i32.const 0xedb88320) (i32.sub (i32.const 0) (i32.and (local.get $bits) (i32.const 1))))))
        (local.set $bit (i32.sub (local.get $bit) (i32.const 1)))
        (br_if $on (local.get $bit)))
      (i32.store offset=10240 (i32.shl (local.get $byte) (i32.const 2)) (local.get $bits))
      (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
      (br_if $bytes (i32.lt_u (local.get $byte) (i32.const 256))))
    ;; A byte that stands one byte before another goes through the table once more.
    (local.set $byte (i32.const 0))
    (loop $further
      (i32.store offset=11264 (local.get $byte)
        (call $shifted (i32.load offset=10240 (local.get $byte))))
      (local.set $byte (i32.add (local.get $byte) (i32.const 4)))
      (br_if $further (i32.lt_u (local.get $byte) (i32.const 3072)))))
  (start $begin)

  ;; CRC-32 of bytes here, behind a check.
  (func $crc (export "crc") (param $check i32) (param $from i32) (param $to i32) (result i32)
    (local.set $check (i32.xor (local.get $check) (i32.const -1)))
    (block $done
      (loop $on
        (br_if $done (i32.lt_u (i32.sub (local.get $to) (local.get $from)) (i32.const 4)))
        (local.set $check (i32.xor (local.get $check) (i32.load align=1 (local.get $from))))
        (local.set $check
          (i32.xor
            (i32.xor
              (i32.load offset=13312 (i32.shl (i32.and (local.get $check) (i32.const 255)) (i32.const 2)))
              (i32.load offset=12288 (i32.and (i32.shr_u (local.get $check) (i32.const 6)) (i32.const 1020))))
            (i32.xor
              (i32.load offset=11264 (i32.and (i32.shr_u (local.get $check) (i32.const 14)) (i32.const 1020)))
              (i32.load offset=10240 (i32.and (i32.shr_u (local.get $check) (i32.const 22)) (i32.const 1020))))))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (br $on)))
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $check (call $crc_byte (local.get $check) (i32.load8_u (local.get $from))))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $on)))
    (i32.xor (local.get $check) (i32.const -1)))
  (func $crc_byte (param $check i32) (param $byte i32) (result i32)
    (call $shifted (i32.xor (local.get $check) (local.get $byte))))
  (func $shifted (param $check i32) (result i32)
    (i32.xor
      (i32.load offset=10240 (i32.shl (i32.and (local.get $check) (i32.const 255)) (i32.const 2)))
      (i32.shr_u (local.get $check) (i32.const 8))))
  (func $folded (param $check i32) (result i32)
    (i32.xor (local.get $check) (i32.shr_u (local.get $check) (i32.const 16))))

  ;; Room for so many bytes; where they go.
  (func $room (export "room") (param $count i32) (result i32) (local $end i32)
    (local.set $end (i32.add (global.get $at) (local.get $count)))
    (if (i32.gt_u (local.get $end) (i32.shl (memory.size) (i32.const 16)))
      (then
        (if (i32.lt_s
              (memory.grow (i32.add (i32.shr_u (local.get $count) (i32.const 16)) (i32.const 64)))
              (i32.const 0))
          (then unreachable))))
    (global.get $at))
  ;; So many bytes were put there.
  (func $put (export "put") (param $count i32)
    (global.set $at (i32.add (global.get $at) (local.get $count))))
  (func $byte (export "byte") (param $byte i32)
    (i32.store8 (global.get $at) (local.get $byte))
    (call $put (i32.const 1)))
  (func (export "word") (param $word i32)
    (i32.store (global.get $at) (local.get $word))
    (call $put (i32.const 4)))
  (func (export "vector") (param $vector v128)
    (v128.store (global.get $at) (local.get $vector))
    (call $put (i32.const 16)))
  (func (export "vectors") (param $first v128) (param $second v128) (param $third v128) (param $fourth v128)
    (v128.store (global.get $at) (local.get $first))
    (v128.store offset=16 (global.get $at) (local.get $second))
    (v128.store offset=32 (global.get $at) (local.get $third))
    (v128.store offset=48 (global.get $at) (local.get $fourth))
    (call $put (i32.const 64)))
  (func $number (param $number i64)
    (loop $on
      (if (i64.ge_u (local.get $number) (i64.const 128))
        (then
          (call $byte (i32.or (i32.wrap_i64 (local.get $number)) (i32.const 128)))
          (local.set $number (i64.shr_u (local.get $number) (i64.const 7)))
          (br $on))))
    (call $byte (i32.wrap_i64 (local.get $number))))
  (func $signed (export "signed") (param $number i64)
    (call $number
      (i64.xor (i64.shl (local.get $number) (i64.const 1)) (i64.shr_s (local.get $number) (i64.const 63)))))
  (func $sum
    (global.set $check (call $crc (global.get $check) (global.get $checked) (global.get $at)))
    (global.set $checked (global.get $at)))
  ;; The check of all so far: of 32 bits, or of 16 behind a call.
  (func $check_long (export "check_long")
    (drop (call $room (i32.const 4)))
    (call $sum)
    (i32.store (global.get $at) (global.get $check))
    (call $put (i32.const 4))
    (global.set $checked (global.get $at)))
  (func $check_call (export "check_call")
    (global.set $again (i32.const 0))
    (drop (call $room (i32.const 2)))
    (call $sum)
    (i32.store16 (global.get $at) (call $folded (global.get $check)))
    (call $put (i32.const 2))
    (global.set $checked (global.get $at)))
  ;; How many bytes the recording has.
  (func $here (result i64)
    (i64.add (global.get $before) (i64.extend_i32_u (i32.sub (global.get $at) (i32.const 1114112)))))
  ;; What was written is taken.
  (func (export "taken")
    (call $sum)
    (global.set $before (call $here))
    (global.set $at (i32.const 1114112))
    (global.set $checked (global.get $at)))

  ;; A call begins: 1 if it is to be recorded.
  (func (export "enter") (result i32)
    (if (global.get $done) (then (return (i32.const 0))))
    (if (global.get $within)
      (then
        (call $stopped)
        (return (i32.const 0))))
    (global.set $within (i32.const 1))
    (global.set $handed (i32.const 0))
    (global.set $writes (i32.const 0))
    (i32.const 1))
  ;; It has returned: 1 if it still is to be recorded. `call` is its number in program.wat.
  (func (export "leave") (param $call i32) (result i32)
    (global.set $within (i32.const 0))
    (if (global.get $done) (then (return (i32.const 0))))
    (drop (call $room (i32.const 512)))
    (call $number (i64.extend_i32_u (i32.load offset=2048 (i32.shl (local.get $call) (i32.const 2)))))
    (i32.const 1))
  (func (export "imported") (param $call i32) (param $number i32)
    (i32.store offset=2048 (i32.shl (local.get $call) (i32.const 2)) (local.get $number)))
  ;; An argument, whose last value stands there.
  (func (export "argument") (param $last i32) (param $value i64)
    (call $signed (i64.sub (local.get $value) (i64.load (local.get $last))))
    (i64.store (local.get $last) (local.get $value)))
  (func (export "argument_32") (param $last i32) (param $value i32)
    (call $signed (i64.extend_i32_s (i32.sub (local.get $value) (i32.load (local.get $last)))))
    (i32.store (local.get $last) (local.get $value)))

  ;; Bytes that are handed to the host: one, the sums of many, and their check.
  (func (export "handed_byte") (param $byte i32)
    (global.set $handed
      (i32.xor
        (call $crc_byte (i32.xor (global.get $handed) (i32.const -1)) (local.get $byte))
        (i32.const -1))))
  (func (export "handed_sums")
    (global.set $handed (call $crc (global.get $handed) (i32.const 0) (i32.const 32))))
  (func (export "handed") (result i32) (call $folded (global.get $handed)))
  (func (export "handed_over")
    (i32.store16 (global.get $at) (call $folded (global.get $handed)))
    (call $put (i32.const 2)))
  (func (export "handed_none") (global.set $handed (i32.const 0)))

  ;; A list of buffers that the host may fill.
  (func (export "listed") (param $count i32) (global.set $listed (local.get $count)))
  (func (export "list") (param $nth i32) (param $address i32) (param $length i32)
    (i32.store offset=16384 (i32.shl (local.get $nth) (i32.const 3)) (local.get $address))
    (i32.store offset=16388 (i32.shl (local.get $nth) (i32.const 3)) (local.get $length)))
  ;; What it wrote: some bytes, or the first of those that were listed.
  (func $wrote (export "wrote") (param $address i32) (param $length i32)
    (if (local.get $length)
      (then
        (i32.store offset=32768 (i32.shl (global.get $writes) (i32.const 3)) (local.get $address))
        (i32.store offset=32772 (i32.shl (global.get $writes) (i32.const 3)) (local.get $length))
        (global.set $writes (i32.add (global.get $writes) (i32.const 1))))))
  (func (export "wrote_list") (param $rest i32) (local $nth i32) (local $length i32)
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $nth) (global.get $listed)))
        (local.set $length (i32.load offset=16388 (i32.shl (local.get $nth) (i32.const 3))))
        (if (i32.gt_u (local.get $length) (local.get $rest)) (then (local.set $length (local.get $rest))))
        (call $wrote (i32.load offset=16384 (i32.shl (local.get $nth) (i32.const 3))) (local.get $length))
        (local.set $rest (i32.sub (local.get $rest) (local.get $length)))
        (local.set $nth (i32.add (local.get $nth) (i32.const 1)))
        (br $on))))
  (func (export "writes") (result i32)
    (call $number (i64.extend_i32_u (global.get $writes)))
    (global.get $writes))
  (func (export "length") (param $nth i32) (result i32)
    (i32.load offset=32772 (i32.shl (local.get $nth) (i32.const 3))))
  ;; Writes where one of them begins, and says it.
  (func (export "begin") (param $nth i32) (result i32) (local $address i32)
    (local.set $address (i32.load offset=32768 (i32.shl (local.get $nth) (i32.const 3))))
    (call $signed (i64.extend_i32_s (i32.sub (local.get $address) (global.get $address))))
    (global.set $address (local.get $address))
    (local.get $address))
  (func $few (export "few") (param $length i32)
    (call $number (i64.shl (i64.extend_i32_u (local.get $length)) (i64.const 1))))

  ;; The sums of bytes of the program's.
  (func (export "sums") (param $a v128) (param $b v128)
    (v128.store (i32.const 0) (local.get $a))
    (v128.store (i32.const 16) (local.get $b)))
  ;; Many bytes, of which those are the sums: 1 if some that seem to be the same are still here, which are to be compared with
  ;; them (`same`) and then said by where they stand (`known`) or not (`anew`).
  (func (export "many") (param $length i32) (result i32) (local $back i64)
    (drop (call $room (i32.add (local.get $length) (i32.const 32))))
    (global.set $entry (i32.const 0))
    (if (i32.or
          (i32.and (local.get $length) (i32.const 63))
          (i32.gt_u (local.get $length) (i32.sub (i32.const 0x4000000) (global.get $again))))
      (then (return (i32.const 0))))
    (global.set $mixed
      (i32.mul
        (i32.xor
          (i32.mul (i32.xor (i32.load offset=0 (i32.const 0)) (i32.load offset=20 (i32.const 0))) (i32.const 31))
          (i32.xor (i32.load offset=8 (i32.const 0)) (i32.load offset=28 (i32.const 0))))
        (i32.const 0x9e3779b1)))
    (global.set $entry
      (i32.add (i32.const 65536) (i32.shl (i32.shr_u (global.get $mixed) (i32.const 16)) (i32.const 4))))
    (local.set $back (i64.sub (i64.load offset=8 (global.get $entry)) (global.get $before)))
    (if (i64.lt_s (local.get $back) (i64.const 0)) (then (return (i32.const 0))))
    (global.set $compared (i32.add (i32.wrap_i64 (local.get $back)) (i32.const 1114112)))
    (i32.and
      (i32.eq (i32.load (global.get $entry)) (global.get $mixed))
      (i32.eq (i32.load offset=4 (global.get $entry)) (local.get $length))))
  ;; Whether the next 64 bytes of those that are here are these.
  (func (export "same") (param $first v128) (param $second v128) (param $third v128) (param $fourth v128) (result i32)
    (local $at i32)
    (local.set $at (global.get $compared))
    (global.set $compared (i32.add (local.get $at) (i32.const 64)))
    (i8x16.all_true
      (v128.and
        (v128.and
          (i8x16.eq (local.get $first) (v128.load align=1 (local.get $at)))
          (i8x16.eq (local.get $second) (v128.load offset=16 align=1 (local.get $at))))
        (v128.and
          (i8x16.eq (local.get $third) (v128.load offset=32 align=1 (local.get $at)))
          (i8x16.eq (local.get $fourth) (v128.load offset=48 align=1 (local.get $at)))))))
  (func (export "known") (param $length i32) (local $here i64)
    (global.set $again (i32.add (global.get $again) (local.get $length)))
    (local.set $here (call $here))
    (call $number (i64.or (i64.shl (i64.extend_i32_u (local.get $length)) (i64.const 1)) (i64.const 1)))
    (call $number (i64.sub (local.get $here) (i64.load offset=8 (global.get $entry)))))
  ;; How many they are is written, and they are to follow.
  (func (export "anew") (param $length i32)
    (call $few (local.get $length))
    (if (global.get $entry)
      (then
        (i32.store (global.get $entry) (global.get $mixed))
        (i32.store offset=4 (global.get $entry) (local.get $length))
        (i64.store offset=8 (global.get $entry) (call $here))))
    (call $sum))
  ;; They did follow.
  (func (export "many_done") (param $length i32)
    (global.set $check (call $crc (global.get $check) (i32.const 0) (i32.const 32)))
    (global.set $checked (i32.sub (global.get $at) (i32.and (local.get $length) (i32.const 15)))))
  (func (export "returned")
    (call $check_call)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))))
