// An atomicity violation: each thread believes that it receives its own message.
let t = true in
let f = false in
let k = port in
  thread                               // t1
    {send k t};
    let x = {receive k} in skip end
  end;
  thread                               // t2
    {send k f};
    let y = {receive k} in skip end
  end
end end end
