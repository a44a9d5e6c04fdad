// Three philosophers. A fork is a port with one token; who receives the token has the fork.
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
  thread {philosopher fork3 fork1} end
end end end end end
