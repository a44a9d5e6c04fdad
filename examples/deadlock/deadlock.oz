// A deadlock: the second thread passes on what it receives, the third keeps it.
let t = true in
let k = port in
  thread {send k t} end;               // t1
  thread                               // t2
    let x = {receive k} in {send k t} end
  end;
  thread                               // t3
    let y = {receive k} in skip end
  end
end end
