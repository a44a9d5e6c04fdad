;; Counts levels that are low, up to 2,000, however long that takes: so many states, which several cores look at.
(module
  (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
  (func (export "main") (local $lows i32)
    (loop $on
      (br_if $on (call $read (i32.const 0)))
      (local.set $lows (i32.add (local.get $lows) (i32.const 1)))
      (br_if $on (i32.lt_u (local.get $lows) (i32.const 2000))))))
