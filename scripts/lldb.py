"""Stops of example programs, in LLDB and in Borges: see scripts/lldb.sh."""

import json
import os
import re
import subprocess
import sys
import tempfile

BORGES = os.environ["BORGES"]
# Program, function to stop at, stops.
CASES = [
    ("uart-parser", "accept_byte", 6),
    ("uart-parser", "obey", 2),
    ("smart-curtain", "move_to", 2),
    ("blink", "blink::Blinker::tick", 5),
]
# LLDB shows all as signed numbers: of these types that is another one.
UNSIGNED = {"u8": 8, "unsigned char": 8, "u16": 16, "u32": 32, "unsigned int": 32, "usize": 32, "u64": 64}
FRAME = re.compile(r"frame #(\d+): 0x[0-9a-f]+ \S+?`(.+?)(?:\(.*\))?(?: \[inlined\].*?)? at ([^: ]+):(\d+)")
VARIABLE = re.compile(r"^\(([^()]+)\) (\w+) = (-?\d+|true|false|0x[0-9a-f]+)$")


def short(name):
    """The last part of a name: LLDB calls Rust's functions by their symbols, with a hash, and exported ones without a path."""
    return re.sub(r"::h[0-9a-f]{16}$", "", name).rsplit("::", 1)[-1]


def borges(program, function, stops):
    """Frames and scalar variables at each stop, as Borges has them."""
    lines = [f"break function {function}"] + ["continue", "stack", "variables"] * stops
    commands = [word for line in lines for word in ("-x", line)]
    done = subprocess.run([BORGES, "--json", "repl", program, *commands], capture_output=True, text=True, timeout=120, check=True)
    replies = [json.loads(line)["reply"] for line in done.stdout.splitlines() if line.startswith("{")]
    stacks = [reply["frames"] for reply in replies if reply["reply"] == "stack"]
    variables = [reply["locals"] for reply in replies if reply["reply"] == "variables"]
    return [
        ([(short(frame["function"]), frame.get("line", 0)) for frame in frames], {one["name"]: one["value"] for one in known})
        for frames, known in zip(stacks, variables)
    ]


def lldb(program, lines):
    """What LLDB says to these commands, on a twin of the program."""
    server = subprocess.Popen([BORGES, "--json", "gdb", program], stdout=subprocess.PIPE, text=True)
    try:
        connect = json.loads(server.stdout.readline())["connect"]
        with tempfile.NamedTemporaryFile("w", suffix=".lldb") as script:
            script.write("\n".join([connect, *lines, "detach", "quit"]) + "\n")
            script.flush()
            said = subprocess.run(["lldb-22", "--no-lldbinit", "--batch", "-s", script.name], capture_output=True, text=True, timeout=120, check=False)
        return said.stdout + said.stderr
    finally:
        server.wait(timeout=10)


def stopped(program, function, stops):
    """The same as `borges`, as LLDB has it."""
    lines = [f"breakpoint set --name {function}"] + ["process continue", "script print('bt')", "bt", "frame variable --format d"] * stops
    parts = lldb(program, lines).split("(lldb) bt\n")[1:]
    found = []
    for part in parts:
        frames = [(short(name), int(line)) for _, name, _, line in FRAME.findall(part.split("(lldb) frame variable")[0])]
        variables = part.split("(lldb) frame variable --format d\n")[1].split("(lldb)")[0]
        found.append((frames, {m[2]: read(m[3], m[1]) for m in map(VARIABLE.match, variables.splitlines()) if m}))
    return found


def read(text, kind):
    """A scalar of LLDB, as a number of its type."""
    bits = UNSIGNED.get(kind)
    return number(text) if bits is None else number(text) % (1 << bits)


def number(text):
    """A scalar as a number; nothing for what is none."""
    text = text.split(" ")[0]
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text, 0)
    except ValueError:
        return None


def compare(name, function, stops):
    program = f"examples/{name}/{name}.wasm"
    ours, theirs = borges(program, function, stops), stopped(program, function, stops)
    assert len(ours) == len(theirs) == stops, f"{name}: {len(ours)} and {len(theirs)} stops, not {stops}"
    compared = 0
    for at, ((frames, variables), (their_frames, their_variables)) in enumerate(zip(ours, theirs), 1):
        assert frames == their_frames, f"{name}, stop {at}: {frames} here, {their_frames} in LLDB"
        for variable, value in their_variables.items():
            assert variable in variables, f"{name}, stop {at}: {variable} is known to LLDB alone"
            if (known := number(variables[variable])) is not None:
                assert known == value, f"{name}, stop {at}: {variable} is {variables[variable]} here, {value} in LLDB"
                compared += 1
    print(f"lldb: {name}, {function}: {stops} stops, {sum(len(frames) for frames, _ in ours)} frames and {compared} variables are equal")
    return compared


def backwards():
    """There and back, and what is refused."""
    said = lldb(
        "examples/uart-parser/uart-parser.wasm",
        [
            "breakpoint set --name accept_byte",
            "process continue",
            "next",
            "process continue --reverse",
            "process continue --reverse",
            "process plugin packet monitor print parser.length",
            # What fails ends a batch.
            "memory write 0x1000 7",
        ],
    )
    for wanted in ("stop reason = breakpoint 1.1", "stop reason = step over", "stop reason = history boundary", "error: ", "parser.length"):
        assert wanted in said, f"LLDB did not say '{wanted}':\n{said}"
    print("lldb: steps, runs backwards to a breakpoint and to the start; memory is not written")


def watchpoints():
    """Stops after writes of a variable, there and back; that reads are not kept track of is said."""
    said = lldb(
        "examples/uart-parser/uart-parser.wasm",
        [
            "watchpoint set variable parser.state",
            "process continue",
            "process continue",
            "process continue --reverse",
            "process continue --reverse",
            "watchpoint delete 1",
            "breakpoint set --name accept_byte",
            "process continue --forward",
            # What fails ends a batch.
            "watchpoint set variable -w read parser.state",
        ],
    )
    stops = re.findall(r"(?:old value: (\w+)\nnew value: (\w+)\n)?[^\n]*Process 1 resuming\nProcess 1 stopped\n.*stop reason = ([\w ]+)", said)
    wanted = [
        ("WAIT_START", "WAIT_LENGTH", "watchpoint 1"),
        ("WAIT_LENGTH", "WAIT_PAYLOAD", "watchpoint 1"),
        ("WAIT_PAYLOAD", "WAIT_LENGTH", "watchpoint 1"),
        ("", "", "history boundary"),
        ("", "", "breakpoint 1"),
    ]
    assert stops == wanted, f"LLDB's watchpoint stopped at {stops}:\n{said}"
    assert "Watchpoint creation failed" in said, f"LLDB watches reads:\n{said}"
    print("lldb: a watchpoint stops after writes, forwards and backwards; one for reads is refused")


if sum(compare(*case) for case in CASES) < 10:
    sys.exit("lldb: hardly a variable was compared")
backwards()
watchpoints()
