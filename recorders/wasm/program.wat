  ;; What the functions of make.py have in common, which puts it into their module.
  (memory (export "memory") (import "program" "memory") 0)
  (import "gate" "table" (table 0 funcref))
  (import "stream" "enter" (func $enter (result i32)))
  (import "stream" "leave" (func $leave (param i32) (result i32)))
  (import "stream" "argument" (func $argument (param i32 i64)))
  (import "stream" "argument_32" (func $argument_32 (param i32 i32)))
  (import "stream" "signed" (func $signed (param i64)))
  (import "stream" "handed_byte" (func $handed_byte (param i32)))
  (import "stream" "handed_sums" (func $handed_sums))
  (import "stream" "handed_over" (func $handed_over))
  (import "stream" "listed" (func $listed (param i32)))
  (import "stream" "list" (func $list (param i32 i32 i32)))
  (import "stream" "wrote" (func $wrote (param i32 i32)))
  (import "stream" "wrote_list" (func $wrote_list (param i32)))
  (import "stream" "writes" (func $writes (result i32)))
  (import "stream" "length" (func $length (param i32) (result i32)))
  (import "stream" "begin" (func $begin (param i32) (result i32)))
  (import "stream" "room" (func $room (param i32) (result i32)))
  (import "stream" "few" (func $few (param i32)))
  (import "stream" "many" (func $many (param i32) (result i32)))
  (import "stream" "same" (func $same (param v128 v128 v128 v128) (result i32)))
  (import "stream" "known" (func $known (param i32)))
  (import "stream" "anew" (func $anew (param i32)))
  (import "stream" "many_done" (func $many_done (param i32)))
  (import "stream" "sums" (func $put_sums (param v128 v128)))
  (import "stream" "byte" (func $byte (param i32)))
  (import "stream" "word" (func $word (param i32)))
  (import "stream" "vector" (func $vector (param v128)))
  (import "stream" "vectors" (func $vectors (param v128 v128 v128 v128)))
  (import "stream" "returned" (func $returned))
  ;; Whether bytes lie within the memory.
  (func $is_within (param $address i32) (param $length i32) (result i32)
    (i64.le_u
      (i64.add (i64.extend_i32_u (local.get $address)) (i64.extend_i32_u (local.get $length)))
      (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16))))
  (func $sums (param $at i32) (param $end i32) (local $a v128) (local $b v128)
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a
          (i32x4.add
            (v128.or (i32x4.shl (local.get $a) (i32.const 7)) (i32x4.shr_u (local.get $a) (i32.const 25)))
            (v128.load align=1 (local.get $at))))
        (local.set $b
          (i32x4.add
            (v128.or (i32x4.shl (local.get $b) (i32.const 12)) (i32x4.shr_u (local.get $b) (i32.const 20)))
            (local.get $a)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $on)))
    (call $put_sums (local.get $a) (local.get $b)))
  ;; Bytes that are handed to the host; none if they are not all within.
  (func $handed_part (export "handed") (param $at i32) (param $length i32) (local $end i32)
    (if (i32.eqz (call $is_within (local.get $at) (local.get $length))) (then (return)))
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (if (i32.ge_u (local.get $length) (i32.const 64))
      (then
        (call $sums (local.get $at) (i32.sub (local.get $end) (i32.and (local.get $length) (i32.const 15))))
        (call $handed_sums)
        (local.set $at (i32.sub (local.get $end) (i32.and (local.get $length) (i32.const 15))))))
    (block $done
      (loop $on
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (call $handed_byte (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $on))))
  ;; So many buffers of a list are looked at; none if the list is not all within.
  (func $count (param $list i32) (param $count i32) (result i32)
    (if (i32.gt_u (local.get $count) (i32.const 1024)) (then (local.set $count (i32.const 1024))))
    (if (call $is_within (local.get $list) (i32.shl (local.get $count) (i32.const 3)))
      (then (return (local.get $count))))
    (i32.const 0))
  (func $handed_list (param $list i32) (param $count i32)
    (local.set $count (call $count (local.get $list) (local.get $count)))
    (block $done
      (loop $on
        (br_if $done (i32.eqz (local.get $count)))
        (call $handed_part (i32.load (local.get $list)) (i32.load offset=4 (local.get $list)))
        (local.set $list (i32.add (local.get $list) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $on))))
  (func $look (param $list i32) (param $count i32) (local $nth i32)
    (local.set $count (call $count (local.get $list) (local.get $count)))
    (call $listed (local.get $count))
    (block $done
      (loop $on
        (br_if $done (i32.eq (local.get $nth) (local.get $count)))
        (call $list (local.get $nth) (i32.load (local.get $list)) (i32.load offset=4 (local.get $list)))
        (local.set $list (i32.add (local.get $list) (i32.const 8)))
        (local.set $nth (i32.add (local.get $nth) (i32.const 1)))
        (br $on))))
  ;; Whether these bytes are those that the stream has found.
  (func $is_here (param $at i32) (param $end i32) (result i32)
    (loop $on
      (if (i32.eqz
            (call $same
              (v128.load align=1 (local.get $at))
              (v128.load offset=16 align=1 (local.get $at))
              (v128.load offset=32 align=1 (local.get $at))
              (v128.load offset=48 align=1 (local.get $at))))
        (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $on (i32.lt_u (local.get $at) (local.get $end))))
    (i32.const 1))
  ;; How many bytes the host wrote, and which.
  (func $write (export "write") (param $at i32) (param $length i32) (local $end i32)
    (if (i32.eqz (call $is_within (local.get $at) (local.get $length))) (then (local.set $length (i32.const 0))))
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (if (i32.ge_u (local.get $length) (i32.const 64))
      (then
        (call $sums (local.get $at) (i32.sub (local.get $end) (i32.and (local.get $length) (i32.const 15))))
        (if (call $many (local.get $length))
          (then
            (if (call $is_here (local.get $at) (local.get $end))
              (then
                (call $known (local.get $length))
                (return)))))
        (call $anew (local.get $length)))
      (else
        (drop (call $room (i32.const 80)))
        (call $few (local.get $length))))
    (block $done
      (loop $on
        (br_if $done (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 64)))
        (call $vectors
          (v128.load align=1 (local.get $at))
          (v128.load offset=16 align=1 (local.get $at))
          (v128.load offset=32 align=1 (local.get $at))
          (v128.load offset=48 align=1 (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $on)))
    (block $done
      (loop $on
        (br_if $done (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 16)))
        (call $vector (v128.load align=1 (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $on)))
    (block $done
      (loop $on
        (br_if $done (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 4)))
        (call $word (i32.load align=1 (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $on)))
    (block $done
      (loop $on
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (call $byte (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $on)))
    (if (i32.ge_u (local.get $length) (i32.const 64)) (then (call $many_done (local.get $length)))))
  (func $writes_of (local $nth i32) (local $count i32)
    (local.set $count (call $writes))
    (block $done
      (loop $on
        (br_if $done (i32.eq (local.get $nth) (local.get $count)))
        (drop (call $room (i32.const 16)))
        (call $write (call $begin (local.get $nth)) (call $length (local.get $nth)))
        (local.set $nth (i32.add (local.get $nth) (i32.const 1)))
        (br $on))))
