//! Random μOz programs.

use proptest::prelude::*;

/// A statement of a thread that knows two ports and the variable `v` bound last.
#[derive(Clone, Debug)]
pub(crate) enum Do {
    Skip,
    Break,
    /// Sends `v`, a number, or a port.
    Send(Port, What),
    /// The rest of the thread is the scope of what it receives.
    Receive(Port),
    /// Receives from whatever `v` is.
    ReceiveFromLast,
    Compute(u8),
    If(Vec<Do>, Vec<Do>),
    Assert(u8),
    Spawn(Vec<Do>),
    /// Calls a procedure that receives from one port and sends to the other.
    Relay(Port),
    /// Declares a procedure around `v` and calls it.
    Declare,
    /// Makes a port of its own and sends it.
    OwnPort(Port),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Port {
    P,
    Q,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Last,
    Number(u8),
    True,
    Port(Port),
}

impl Port {
    const fn name(self) -> &'static str {
        match self {
            Self::P => "p",
            Self::Q => "q",
        }
    }

    const fn other(self) -> &'static str {
        match self {
            Self::P => "q",
            Self::Q => "p",
        }
    }
}

/// The threads of a program.
#[derive(Clone, Debug)]
pub(crate) struct Source(pub(crate) Vec<Vec<Do>>);

impl Source {
    /// The program's text.
    pub(crate) fn text(&self) -> String {
        let threads = self
            .0
            .iter()
            .map(|body| format!("thread {} end", block(body)));
        let threads: Vec<_> = threads.chain(["skip".to_owned()]).collect();
        format!(
            "let p = port in let q = port in let v = 1 in
             let relay = proc {{from to}} let v = {{receive from}} in {{send to v}} end end in
             {} end end end end",
            threads.join("; ")
        )
    }
}

fn block(body: &[Do]) -> String {
    let Some((first, rest)) = body.split_first() else {
        return "skip".to_owned();
    };
    // Without the statement that only fills an empty block: few steps, few runs.
    let then = |text: String| match rest {
        [] => text,
        _ => format!("{text}; {}", block(rest)),
    };
    match first {
        Do::Skip => then("skip".into()),
        Do::Break => then("<br>".into()),
        Do::Send(port, what) => then(match what {
            What::Last => format!("{{send {} v}}", port.name()),
            What::Number(number) => format!("{{send {} {number}}}", port.name()),
            What::True => format!("{{send {} true}}", port.name()),
            What::Port(sent) => format!("{{send {} {}}}", port.name(), sent.name()),
        }),
        Do::Receive(port) => {
            format!("let v = {{receive {}}} in {} end", port.name(), block(rest))
        }
        Do::ReceiveFromLast => format!("let v = {{receive v}} in {} end", block(rest)),
        Do::Compute(number) => format!("let v = v + {number} in {} end", block(rest)),
        Do::If(yes, no) => then(format!(
            "if (v == 1) then {} else {} end",
            block(yes),
            block(no)
        )),
        Do::Assert(number) => then(format!("assert (v < {number})")),
        Do::Spawn(body) => then(format!("thread {} end", block(body))),
        Do::Relay(port) => then(format!("{{relay {} {}}}", port.name(), port.other())),
        Do::Declare => {
            format!(
                "let f = proc {{to}} {{send to v}} end in {{f p}}; {} end",
                block(rest)
            )
        }
        Do::OwnPort(port) => {
            format!(
                "let v = port in {{send {} v}}; {} end",
                port.name(),
                block(rest)
            )
        }
    }
}

fn port() -> impl Strategy<Value = Port> {
    prop_oneof![3 => Just(Port::P), 1 => Just(Port::Q)]
}

fn statement() -> impl Strategy<Value = Do> {
    let what = prop_oneof![
        3 => Just(What::Last),
        1 => (0..3_u8).prop_map(What::Number),
        1 => Just(What::True),
        1 => port().prop_map(What::Port),
    ];
    let plain = prop_oneof![
        1 => Just(Do::Skip),
        1 => Just(Do::Break),
        6 => (port(), what).prop_map(|(port, what)| Do::Send(port, what)),
        6 => port().prop_map(Do::Receive),
        1 => Just(Do::ReceiveFromLast),
        1 => (0..3_u8).prop_map(Do::Compute),
        1 => (0..3_u8).prop_map(Do::Assert),
        1 => port().prop_map(Do::Relay),
        1 => Just(Do::Declare),
        1 => port().prop_map(Do::OwnPort),
    ];
    plain.prop_recursive(2, 6, 2, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..2);
        prop_oneof![
            8 => inner.clone(),
            1 => (body(), body()).prop_map(|(yes, no)| Do::If(yes, no)),
            2 => body().prop_map(Do::Spawn),
        ]
    })
}

/// Programs of one to three threads, of about `length` statements in all.
pub(crate) fn programs(length: usize) -> impl Strategy<Value = Source> {
    (1..=3_usize).prop_flat_map(move |threads| {
        let thread = prop::collection::vec(statement(), 0..=length / threads);
        prop::collection::vec(thread, threads).prop_map(Source)
    })
}
