(module
  (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
  (import "env" "print_int" (func $print (param i32)))
  (memory 1)
  (memory $log 1 2)
  (memory $squares 1)
  (data (memory $squares) (i32.const 0) "\00\01\04\09\10\19\24\31")
  (func $main (export "main") (local $at i32) (local $value i32)
    (loop $again
      (local.set $value (i32.load8_u $squares (i32.const 3)))
      (local.set $value (i32.add (local.get $value) (call $read (i32.const 26))))
      (if (i32.gt_u (local.get $value) (i32.const 100))
        (then
          (i32.store16 $log offset=2 (local.get $at) (local.get $value))
          (memory.copy 0 $log (i32.const 256) (i32.const 0) (i32.const 16))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br_if $again (i32.lt_u (local.get $at) (i32.const 6))))
    (drop (memory.grow $log (i32.const 1)))
    (call $print (i32.load16_u $log (i32.const 4)))))
