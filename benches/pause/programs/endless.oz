// Two threads that go round for ever, and ten that send, in more orders than anybody looks at.
let k = port in
let round = proc {self}
  let n = 1 in {self self} end
end in
  thread {round round} end;
  thread {round round} end;
  thread {send k 1}; {send k 2} end;
  thread {send k 3}; {send k 4} end;
  thread {send k 5}; {send k 6} end;
  thread {send k 7}; {send k 8} end;
  thread {send k 9}; {send k 10} end;
  thread {send k 11}; {send k 12} end;
  thread {send k 13}; {send k 14} end;
  thread {send k 15}; {send k 16} end;
  thread {send k 17}; {send k 18} end;
  thread {send k 19}; {send k 20} end
end end
