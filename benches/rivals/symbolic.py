"""Explores a native program with angr until a path dies, and prints as JSON what was found.

Standard input is so many bytes, each of which may be anything. All paths go on together, branch by branch, which is what
angr does unless told otherwise.
"""

import argparse
import json
import logging
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import angr
import claripy


def may_die(manager: angr.SimulationManager, trap: int | None) -> Iterator[angr.SimState]:
    """States that came to the trap, failed (an address that is no code, say), or could go on anywhere."""
    yield from (state for state in manager.active if state.addr == trap)
    yield from (record.state for record in manager.errored)
    yield from manager.unconstrained


def dies(program: Path, given: bytes) -> bool:
    """Whether a signal ends the program itself: what angr takes for an error may be one of its own."""
    return subprocess.run([program], input=given, capture_output=True, check=False).returncode < 0


def explore(program: Path, length: int, seconds: float, keep: Path) -> dict[str, object]:
    begun = time.monotonic()
    project = angr.Project(str(program), auto_load_libs=False)
    symbol = project.loader.find_symbol("trap_here")
    trap = symbol.rebased_addr if symbol else None
    given = claripy.BVS("stdin", 8 * length)
    start = project.factory.entry_state(
        stdin=angr.SimFileStream(name="stdin", content=given, has_end=True),
        add_options={
            angr.options.ZERO_FILL_UNCONSTRAINED_MEMORY,
            angr.options.ZERO_FILL_UNCONSTRAINED_REGISTERS,
        },
    )
    manager = project.factory.simulation_manager(start, save_unconstrained=True)
    ended = 0
    found = False
    failures: set[str] = set()
    while manager.active and not found and time.monotonic() - begun < seconds:
        manager.step()
        for state in may_die(manager, trap):
            # Some of what leads there may do no harm: a wrong address can be one of code by chance.
            for inputs in state.solver.eval_upto(given, 16, cast_to=bytes):
                if not found and dies(program, inputs):
                    keep.write_bytes(inputs)
                    found = True
        failures.update(str(record.error) for record in manager.errored)
        manager.drop(stash="unconstrained")
        manager.errored.clear()
        ended += len(manager.deadended)
        # Paths that have ended would only take memory.
        manager.drop(stash="deadended")
    return {
        "found": found,
        "all": not manager.active and not found and not failures,
        "failures": sorted(failures)[:3],
        "ended": ended,
        "open": len(manager.active),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--bytes", type=int, required=True, help="how long standard input is")
    parser.add_argument("--seconds", type=float, required=True, help="when to give up")
    parser.add_argument("--keep", type=Path, required=True, help="where to write the input that was found")
    arguments = parser.parse_args()
    logging.disable(logging.ERROR)
    print(json.dumps(explore(arguments.program.resolve(), arguments.bytes, arguments.seconds, arguments.keep)))


if __name__ == "__main__":
    main()
