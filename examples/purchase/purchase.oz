// The purchase workflow: an order is accepted if all checks say so. The credit (10) does not
// suffice for the price (15), not even with a loan of 20 %. Still some runs accept the order.
let yes = true in
let no = false in
let price = 15 in
let credit = 10 in
let input = port in
let result = port in
let outCr = port in
let inCr = port in
let outAdd = port in
let outIt = port in

// Waits for n answers: false as soon as one is false, true if all are true.
let asynchAnd = proc {n inp out}
  if (n > 0) then
    let k = {receive inp} in           // the port on which the answer will come
    let v = {receive k} in
    let m = n - 1 in
      if v then {asynchAnd m inp out}
      else {send out no} end
    end end end
  else {send out yes} end
end in

// Offers a loan of 20 %, and answers whether the sum is enough.
let proposeLoan = proc {amount out}
  let loan = amount * 20 / 100 in
  let sum = amount + loan in
    if (sum >= price) then {send out yes}
    else {send out no} end
  end end
end in

// Answers at once if the credit is enough; otherwise offers a loan.
let checkCredit = proc {out inp}
  let amount = {receive inp} in
    if (amount >= price) then {send out yes}
    else {proposeLoan amount out} end
  end
end in

let checkAddress = proc {out} {send out yes} end in
let checkItem = proc {out} {send out yes} end in

let operands = 2 in
  {send inCr credit};
  thread {asynchAnd operands input result} end;               // t1
  thread {send input outCr}; {checkCredit outCr inCr} end;    // t2
  thread {send input outAdd}; {checkAddress outAdd} end;      // t3
  thread {send input outIt}; {checkItem outIt} end            // t4
end
end end end end end
end end end end end end end end end end
