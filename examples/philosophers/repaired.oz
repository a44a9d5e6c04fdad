// Three philosophers, of whom the last reaches for his forks the other way round.
let token = true in
let fork1 = port in
let fork2 = port in
let fork3 = port in
let philosopher = proc {first second}
  let a = {receive first} in
  let b = {receive second} in
    {send first token};
    {send second token}
  end end
end in
  {send fork1 token};
  {send fork2 token};
  {send fork3 token};
  thread {philosopher fork1 fork2} end;
  thread {philosopher fork2 fork3} end;
  thread {philosopher fork1 fork3} end
end end end end end
