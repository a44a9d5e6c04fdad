#!/usr/bin/env python3
"""A session in Kate on a screen that nobody sees: keys are pressed as a user presses them, and what Kate asks for and
is answered is read on the way. `scripts/editors.sh kate` runs it.

Kate starts this file as its debug adapter (with `adapter`), which passes everything on to `borges dap`.
"""
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples/color-dial/color-dial.wasm"
SOURCE = ROOT / "examples/color-dial/color-dial.ts"


def adapter():
    """Passes messages on, and keeps each as a line of the file TRAFFIC."""
    borges = subprocess.Popen([os.environ["BORGES"], "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    traffic = os.open(os.environ["TRAFFIC"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def pump(source, target):
        rest = b""
        while piece := os.read(source, 1 << 16):
            rest += piece
            while b"\r\n\r\n" in rest:
                head, body = rest.split(b"\r\n\r\n", 1)
                length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
                if len(body) < length:
                    break
                message, rest = body[:length], body[length:]
                # Kept before it is passed on, so that a request stands before its answer.
                os.write(traffic, json.dumps(json.loads(message)).encode() + b"\n")
                os.write(target, head + b"\r\n\r\n" + message)
        os.close(target)

    threading.Thread(target=pump, args=(0, borges.stdin.fileno()), daemon=True).start()
    pump(borges.stdout.fileno(), 1)
    sys.exit(borges.wait())


def fail(text):
    print(f"kate: {text}", file=sys.stderr)
    sys.exit(1)


def expect(what, found, wanted):
    if found != wanted:
        fail(f"{what}: {found!r}, not {wanted!r}")
    print(f"kate: {what}: {found}")


class Session:
    def __init__(self, home):
        self.traffic = home / "traffic"
        self.traffic.touch()
        self.read = 0
        target = {
            "target": "dial",
            "debuggerKey": "borges",
            "debuggerProfile": "launch",
            "variables": {"file": str(PROGRAM), "workdir": str(PROGRAM.parent)},
        }
        settings = json.loads((ROOT / "editors/kate/dap.json").read_text())
        settings["dap"]["borges"]["run"]["command"] = [sys.executable, __file__, "adapter"]
        self.write(home / ".config/kate/gdbplugin/dap.json", json.dumps(settings))
        # What Kate itself keeps of a session in which the plugin, its target and its views were chosen.
        self.write(
            home / ".local/share/kate/sessions/dial.katesession",
            f"""[Kate Plugins]
kategdbplugin=true
lspclientplugin=false

[MainWindow0]
Kate-MDI-ToolView-Debug View-Position=3
Kate-MDI-ToolView-Debug View-Visible=true
Kate-MDI-ToolView-Locals and Stack-Position=1
Kate-MDI-ToolView-Locals and Stack-Visible=true

[Open MainWindows]
Count=1

[Plugin:kategdbplugin:MainWindow:0]
lastTarget=0
targetCount=1
target_0={json.dumps(target)}
version=5
""",
        )

    def write(self, file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def keys(self, *keys):
        for key in keys:
            subprocess.run(["xdotool", "key", "--delay", "50", key], check=True)
            time.sleep(0.3)

    def messages(self):
        return [json.loads(line) for line in self.traffic.read_text().splitlines()]

    def await_message(self, what, accepted, seconds=30):
        """The next message, after those that were awaited before, that is accepted."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            messages = self.messages()
            for index in range(self.read, len(messages)):
                if accepted(messages[index]):
                    self.read = index + 1
                    return messages[index]
            time.sleep(0.1)
        fail(f"{what}: nothing comes; last was {self.messages()[-1:]}")

    def settle(self):
        """Waits until nothing more is said: Kate takes keys elsewhere while it is busy."""
        said = -1
        while said != (said := len(self.messages())):
            time.sleep(1)

    def answer(self, command):
        found = self.await_message(command, lambda m: m["type"] == "response" and m["command"] == command)
        if not found["success"]:
            fail(f"{command}: {found['message']}")
        return found.get("body", {})

    def event(self, event):
        return self.await_message(event, lambda m: m["type"] == "event" and m["event"] == event).get("body", {})

    def stop(self, what, *keys):
        """What keys lead to: the reason of the stop, the line that Kate is told, and the variables that it then asks for."""
        self.keys(*keys)
        reason = self.event("stopped")["reason"]
        line = self.answer("stackTrace")["stackFrames"][0]["line"]
        variables = {v["name"]: v["value"] for v in self.answer("variables")["variables"]}
        self.settle()
        print(f"kate: {what}: {reason}, line {line}, {variables}")
        return reason, line, variables

    def play(self):
        end = time.monotonic() + 60
        while subprocess.run(["xdotool", "search", "--onlyvisible", "--class", "kate"], capture_output=True).returncode:
            if time.monotonic() > end:
                fail("no window")
            time.sleep(0.5)
        time.sleep(3)
        self.keys("ctrl+F7")
        self.event("initialized")
        self.settle()
        self.keys("shift+F11")
        expect("a breakpoint is verified", [b["verified"] for b in self.answer("setBreakpoints")["breakpoints"]], [True])
        self.settle()
        reason, line, _ = self.stop("start", "alt+d", "c")
        expect("it stops at", (reason, line), ("entry", 24))
        reason, line, variables = self.stop("continue", "alt+d", "c")
        expect("it stops at", (reason, line), ("breakpoint", 19))
        expect("variables", sorted(variables), ["degrees", "fields", "next"])
        reason, line, _ = self.stop("over", "F9")
        expect("it stops at", (reason, line), ("step", 20))
        # To a line before, and the program counter there: the last time that the program was at that line.
        self.keys("ctrl+g", "1", "8", "Return")
        reason, line, variables = self.stop("back", "alt+F9")
        expect("it stops at", (reason, line, variables["degrees"]), ("goto", 18, "0"))
        self.keys("alt+F7")
        self.answer("disconnect")
        print("kate: it ends")


def main():
    session = Session(pathlib.Path(os.environ["HOME"]))
    kate = subprocess.Popen(
        ["kate", "-b", "-n", "-s", "dial", "-l", "19", str(SOURCE)],
        env={**os.environ, "TRAFFIC": str(session.traffic), "LANG": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        session.play()
    finally:
        kate.kill()


adapter() if sys.argv[1:] == ["adapter"] else main()
