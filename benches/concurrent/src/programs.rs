//! The problems, in AmbientTalk.

use std::fmt::Write;

/// Philosophers ask the fork actors on both sides, left first, and give both back.
pub(crate) fn philosophers(seats: usize) -> String {
    let mut text = String::from(
        "def makeFork() { actor: {
           def free := true; def waiting := null;
           def take(who) { if: free then: { free := false; who<-got() } else: { waiting := who } };
           def release() { if: waiting == null then: { free := true }
                           else: { waiting<-got(); waiting := null } } } };
         def makeSeat(left, right) { actor: { |left, right|
           def count := 0;
           def start() { left<-take(self) };
           def got() {
             count := count + 1;
             if: count == 1 then: { right<-take(self) }
             else: { left<-release(); right<-release() } } } };\n",
    );
    for seat in 0..seats {
        let _ = writeln!(text, "def fork{seat} := makeFork();");
    }
    for seat in 0..seats {
        let _ = writeln!(
            text,
            "def seat{seat} := makeSeat(fork{seat}, fork{});",
            (seat + 1) % seats
        );
    }
    for seat in 0..seats {
        let _ = writeln!(text, "seat{seat}<-start();");
    }
    text
}

/// A coordinator asks everyone to prepare; a cancellation races with its question to the first.
pub(crate) fn two_phase_commit(participants: usize) -> String {
    let mut text = String::from(
        "def makeParticipant() { actor: {
           def state := 0; def willing := true;
           def cancel() { willing := false };
           def prepare(coordinator) { state := 1; coordinator<-vote(willing) };
           def decide(commit) { if: commit then: { state := 2 } else: { state := 3 } } } };\n",
    );
    let names: Vec<_> = (0..participants).map(|n| format!("p{n}")).collect();
    for name in &names {
        let _ = writeln!(text, "def {name} := makeParticipant();");
    }
    let send = |message: &str| {
        let sends: Vec<_> = names
            .iter()
            .map(|name| format!("{name}<-{message}"))
            .collect();
        sends.join("; ")
    };
    let _ = writeln!(
        text,
        "def coordinator := actor: {{ |{}|
           def open := {participants}; def all := true;
           def begin() {{ {} }};
           def vote(yes) {{
             open := open - 1;
             if: yes then: {{ }} else: {{ all := false }};
             if: open == 0 then: {{ {} }} }} }};
         def client := actor: {{ |p0| def start() {{ p0<-cancel() }} }};
         coordinator<-begin(); client<-start();",
        names.join(", "),
        send("prepare(self)"),
        send("decide(all)")
    );
    text
}

/// Clients double numbers; the first one also asks for the result.
pub(crate) fn math(clients: usize) -> String {
    let mut text = String::from(
        "def math := actor: { def result := 0; def double(x) { result := x + x };
                              def ask(who) { who<-tell(result) } };
         def makeClient(math, n, asks) { actor: { |math, n, asks|
           def told := 0;
           def start() { math<-double(n); if: asks then: { math<-ask(self) } };
           def tell(x) { told := x } } };\n",
    );
    for client in 0..clients {
        let asks = client == 0;
        let _ = writeln!(
            text,
            "def c{client} := makeClient(math, {}, {asks});",
            12 + client
        );
    }
    for client in 0..clients {
        let _ = writeln!(text, "c{client}<-start();");
    }
    text
}
