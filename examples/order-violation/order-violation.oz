// An order violation: who writes this believes that one is sent before two.
let one = 1 in
let two = 2 in
let k = port in
  thread {send k one} end;             // t1
  thread {send k two} end;             // t2
  thread                               // t3
    let x = {receive k} in
      skip
    end
  end
end end end
