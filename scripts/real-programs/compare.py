#!/usr/bin/env python3
"""Runs programs that we did not write on wasmtime and with `borges run --write-back`, and compares exit codes, outputs and
the files that they leave; then debugs each and compares the state at its end with the plain run's.

    compare.py BORGES FOLDER [NAME…]     FOLDER keeps what was fetched and built; without names, all programs
"""
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request

import runtime

HERE = pathlib.Path(__file__).absolute().parent
CRATES = "https://static.crates.io/crates/{0}/{0}-{1}.crate"
NPM = "https://registry.npmjs.org/{}"
# What preview 1 has no call for is taken from wasi-libc's emulations, or does nothing (posix.h).
CLANG = [shutil.which("clang-14") or "clang", "--target=wasm32-wasi", "-O2", "-w", f"-I{HERE}"]
for library in ("signal", "process-clocks", "getpid", "mman"):
    CLANG += [f"-D_WASI_EMULATED_{library.upper().replace('-', '_')}", f"-lwasi-emulated-{library}"]


def clang(folder, output, sources, *options):
    files = [str(path) for source in sources for path in sorted(folder.glob(source))]
    subprocess.run([*CLANG, *options, *files, "-o", output], check=True)


def lua(folder, output):
    sources = folder / "lua-5.4.9"
    clang(sources, output, ["*.c"], HERE / "lua.c", f"-I{sources}", "-Dl_system(command)=((void)(command), -1)")


def bzip2(folder, output):
    names = "bzip2 blocksort huffman crctable randtable compress decompress bzlib"
    sources = [f"bzip2-1.0.8/{name}.c" for name in names.split()]
    clang(folder, output, sources, "-DBZ_UNIX=1", "-include", HERE / "posix.h")


def quickjs(folder, output):
    names = "qjs quickjs quickjs-libc libregexp libunicode dtoa gen/repl gen/standalone"
    sources = [f"quickjs/{name}.c" for name in names.split()]
    clang(folder, output, sources, "-D_GNU_SOURCE", '-DCONFIG_VERSION="registry"')


def sqlite(folder, output):
    with tarfile.open(next(folder.glob("deps/*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    options = "THREADSAFE=0 OMIT_LOAD_EXTENSION OMIT_POPEN NOHAVE_SYSTEM OMIT_WAL"
    defines = [f"-DSQLITE_{option}" for option in options.split()]
    sources = ["sqlite-*/shell.c", "sqlite-*/sqlite3.c"]
    clang(folder, output, sources, *defines, "-include", HERE / "posix.h")


def esbuild(folder, output):
    shutil.copy(folder / "esbuild.wasm", output)


def cargo(name):
    def build(folder, output):
        # Or cargo takes it for a member of the workspace whose target folder it lies in.
        with open(folder / "Cargo.toml", "a") as manifest:
            manifest.write("\n[workspace]\n")
        if subprocess.run(["rustup", "--quiet", "target", "add", "wasm32-wasip1"]).returncode:
            sys.exit(75)
        target = output.parent / "cargo"
        command = ["cargo", "build", "--quiet", "--release", "--locked", "--target", "wasm32-wasip1", "--bin", name]
        subprocess.run([*command, "--target-dir", target], cwd=folder, check=True)
        shutil.copy(target / "wasm32-wasip1/release" / f"{name}.wasm", output)

    return build


# These write files, each in one of its runs at least: or else the comparison of what they leave would say nothing.
WRITERS = {"lua", "bzip2", "esbuild", "quickjs", "sqlite", "zopfli"}
# How the command ends where a registry cannot be reached: nothing was found out.
NOT_REACHED = 75
# Each program: where from, the archive's SHA-256, how it is built, and its runs: arguments, and standard input.
PROGRAMS = {
    "lua": (
        CRATES.format("lua-src", "551.1.0"),
        "41d22b201501a536c0f5a96c7589b268b559172b20fb029064434e38ddcecb1f",
        lua,
        [(["/words.lua", "7"], ""), (["/words.lua", "5"], "")],
    ),
    "bzip2": (
        CRATES.format("bzip2-sys", "0.1.13+1.0.8"),
        "225bff33b2141874fe80d71e07d6eec4f85c5c216453dd96388240f96e1acc14",
        bzip2,
        [
            (["-kv", "/text"], ""),
            (["-c"], "to be packed\n" * 999),
            (["-d", "/text"], ""),
            (["--test", "/nowhere"], ""),
        ],
    ),
    "esbuild": (
        NPM.format("@esbuild/wasi-preview1/-/wasi-preview1-0.27.2.tgz"),
        "1233c0473ab65f3c28943b8456a675d22bc060f0459345d27a82af0226f5dd55",
        esbuild,
        [
            (["main.ts", "--bundle", "--outdir=/out", "--log-level=warning", "--target=es2017", "--sourcemap"], ""),
            (["--minify", "--loader=ts"], "let answer: number = 6 * 7; export default answer"),
            (["wrong.ts", "--bundle"], ""),
        ],
    ),
    "quickjs": (
        CRATES.format("rquickjs-sys", "0.14.0"),
        "cee271d0eeba64f0915b846cb7ae02e16faf3dfdffdca91731101d9d30fe3423",
        quickjs,
        [(["/work.js"], ""), (["-e", "throw new Error('thrown')"], "")],
    ),
    "sqlite": (
        NPM.format("sqlite3/-/sqlite3-6.0.1.tgz"),
        "ab8d044a93e05bd031d7ea75547c7fa60387cdc259d27f93c0e3e2832c4b1df9",
        sqlite,
        [
            (
                ["-batch", "/new.db"],
                "create table t(a integer primary key, b text);\n"
                "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)\n"
                "insert into t select i, hex(i * i) from n;\n"
                "create index by_b on t(b);\n"
                "begin; delete from t where a % 3 = 0; rollback;\n"
                "update t set b = upper(b) || '!' where a % 7 = 0;\n"
                "select count(*), sum(a), max(b) from t;\n"
                ".mode box\n"
                "select * from t order by b limit 3;\n"
                "pragma integrity_check;\n",
            ),
            (["/new.db", "select nothing from t"], ""),
        ],
    ),
    "rg": (
        CRATES.format("ripgrep", "15.2.0"),
        "a30750b6d0743bfdd2656ebbaf4555aa278c43144b84bc389bcbfa399485ec71",
        cargo("rg"),
        [
            (["--sort", "path", "-n", r"\b(the|of)\b.*\w{9,}", "/"], ""),
            (["-c", "--no-filename", "nowhere to be found", "/"], ""),
            (["(", "/"], ""),
        ],
    ),
    "zopfli": (
        CRATES.format("zopfli", "0.8.4"),
        "aaf7fc5d30c28483d93805c4a5e12b05bbb52407fa67c5f8bd552374cd01fb11",
        cargo("zopfli"),
        [(["/words.lua"], "")],
    ),
    "hexyl": (
        CRATES.format("hexyl", "0.17.0"),
        "e0df0c7b9afa020673c0942ae257a938b257d79e6395d8f1b8b45898f3391c5e",
        cargo("hexyl"),
        [(["--color=never", "-n", "99", "/text"], ""), ([], "from standard input\0\x01")],
    ),
}


def files():
    """What every run finds: the same bytes whoever runs it."""
    text = "".join(f"{i} lines of the text of number {i * i % 97}, which is longer\n" for i in range(3000))
    return {
        "text": text,
        "words.lua": (HERE / "words.lua").read_text(),
        "work.js": (HERE / "work.js").read_text(),
        "main.ts": 'import { b } from "./lib/b";\nenum Colour { Red, Green }\n'
        "class A { #x = 1; get x(): number { return this.#x ** 2 } }\n"
        'console.log(new A().x, b?.(Colour.Green) ?? "none");\n',
        "lib/b.ts": "export const b = (n: number): string => `colour ${n}`;\nexport const unused = 1;\n",
        "wrong.ts": 'import { nothing } from "./lib/c";\nlet a: = 1;\n',
    }


def fetched(url):
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return answer.read()
        except OSError as error:
            print(f"{url}: {error}", file=sys.stderr)
            time.sleep(attempt * 5)
    sys.exit(NOT_REACHED)


def unpacked(source, folder):
    """Fetches an archive, which must have this checksum, into a folder."""
    url, checksum = source
    archive = fetched(url)
    if hashlib.sha256(archive).hexdigest() != checksum:
        sys.exit(f"{url}: these are other bytes than those that were looked at")
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def program(folder, name):
    """The path of a module, which is fetched and built if it is not there."""
    module = folder / f"{name}.wasm"
    if not module.exists():
        *source, build, _ = PROGRAMS[name]
        sources = folder / name
        unpacked(source, sources)
        (top,) = sources.iterdir()
        build(top.absolute(), module.absolute())
    return module


def tree(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found


def same(what, ours, theirs):
    if ours != theirs:
        print(f"FAILED: {what}: borges {ours!r:.2000}\nwasmtime {theirs!r:.2000}")
    return ours == theirs


def compare(borges, module, arguments, stdin, data):
    """One run on both; `data` has a folder for each, which keeps what the run leaves. Whether all is equal, the report of the
    run here, and how many files and folders it changed."""
    before = tree(data["wasmtime"])
    environment = [("PWD", "/")]
    code, *said = runtime.run(
        module, [module.name, *arguments], environment, stdin.encode(), data["wasmtime"], "/"
    )
    options = [module, "--env", "PWD=/"]
    debugged = ["--dir", f"{data['debugged']}::/", "--seed", "1", "--stdin", data["stdin"]]
    data["stdin"].write_text(stdin)
    # What takes longer than a second on a busy machine says how far it is, and that is no word of the program.
    plain = subprocess.run(
        [borges, "--quiet", "run", *options, "--dir", f"{data['borges']}::/", "--write-back", "--", *arguments],
        input=stdin.encode(),
        capture_output=True,
    )
    ok = same("exit code", plain.returncode, code & 255)
    ok &= same("standard output", plain.stdout, said[0])
    ok &= same("standard error", plain.stderr, said[1])
    after = tree(data["wasmtime"])
    ok &= same("files", tree(data["borges"]), after)
    changed = sum(before.get(path) != after.get(path) for path in before.keys() | after.keys())
    # In the debugger it comes to where a plain run comes that finds the same: on the device, and on its twin.
    report = subprocess.run(
        [borges, "--json", "run", *options, *debugged, "--", *arguments], capture_output=True, text=True
    )
    report = json.loads(report.stdout)
    session = subprocess.run(
        [borges, "repl", *options, *debugged, "-x", "continue; verify", "--", *arguments], capture_output=True, text=True
    )
    agree = re.findall(r"agree at step (\d+): state (\w+)", session.stdout.replace(",", ""))
    wanted = [(f"{report['steps']}", report["state_hash"])]
    if agree != wanted:
        print(f"FAILED: a session ends at {agree}, a plain run at {wanted}:\n{session.stdout[-1000:]}{session.stderr}")
    return ok and agree == wanted, report, changed


def main():
    borges, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        sys.exit(f"there is no program {unknown[0]}: {', '.join(PROGRAMS)}")
    failed = 0
    for name in names or PROGRAMS:
        module = program(folder, name)
        written = 0
        with tempfile.TemporaryDirectory() as place:
            data = {who: pathlib.Path(place, who) for who in ("wasmtime", "borges", "debugged", "stdin")}
            for path, text in files().items():
                for who in ("wasmtime", "borges", "debugged"):
                    (data[who] / path).parent.mkdir(parents=True, exist_ok=True)
                    (data[who] / path).write_text(text)
            for arguments, stdin in PROGRAMS[name][3]:
                begun = time.monotonic()
                ok, report, changed = compare(borges, module, arguments, stdin, data)
                failed += not ok
                written += changed
                shutil.rmtree(data["debugged"])
                shutil.copytree(data["borges"], data["debugged"])
                how = "equal" if ok else "DIFFERENT"
                shown = " ".join(arguments)
                took = f"{time.monotonic() - begun:.1f} s"
                print(f"{how}  {name} {shown}: {report['steps']:,} steps, {changed} files changed, {took}", flush=True)
        if name in WRITERS and not written:
            print(f"FAILED: {name} writes nothing")
            failed += 1
    if failed:
        sys.exit(f"{failed} runs differ")


if __name__ == "__main__":
    main()
