#!/usr/bin/env bash
# A real Slurm on one computer: the job of docs/cluster.md, as it stands there, run by slurmctld on three nodes, and what it
# says held against one process. Each node is a slurmd with a network, a name and a folder of its own, so that nothing of
# the script has to be another one than on a real cluster. All of it is in namespaces of its own, and ends with this.
#
#   scripts/slurm.sh           needs root, and slurmctld, slurmd, slurm-client, munge and iproute2
#                              (Debian: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge iproute2)
set -euo pipefail
cd "$(dirname "$0")/.."

nodes=3
for tool in slurmctld slurmd sbatch munged ip unshare python3; do
    command -v "$tool" >/dev/null || {
        echo "slurm: $tool is not installed: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge iproute2 python3" >&2
        exit 1
    }
done
[ "$(id -u)" = 0 ] || {
    echo "slurm: this sets up networks and must be root: sudo $0" >&2
    exit 1
}

if [ "${1:-}" != inside ]; then
    export BORGES=${BORGES:-${CARGO_TARGET_DIR:-$PWD/target}/debug/borges}
    [ -x "$BORGES" ] || cargo build --quiet -p borges-cli
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    FOLDER=$folder timeout --signal=KILL "${LIMIT:-300}" \
        unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc "$0" inside
    exit
fi

# What went wrong is in the logs of those that ended.
explain() {
    local code=$?
    [ "$code" = 0 ] || tail -n 15 "$FOLDER"/*.log "$FOLDER"/job/slurm-*.out >&2 2>/dev/null || true
    exit "$code"
}
trap explain EXIT

# The network: a bridge, to which the controller and every node have a line.
hostname head
{
    echo "127.0.0.1 localhost"
    echo "10.77.0.1 head"
    for node in $(seq $nodes); do echo "10.77.0.1$node node$node"; done
} >"$FOLDER/hosts"
mount --bind "$FOLDER/hosts" /etc/hosts
ip link set lo up
ip link add cluster type bridge
ip address add 10.77.0.1/24 dev cluster
ip link set cluster up

(umask 077; head -c 128 /dev/urandom >"$FOLDER/munge.key")
munged --force --key-file "$FOLDER/munge.key" --socket "$FOLDER/munge.socket" --pid-file "$FOLDER/munged.pid" \
    --log-file "$FOLDER/munged.log" --seed-file "$FOLDER/munge.seed" 2>"$FOLDER/munged-start.log"

cat >"$FOLDER/slurm.conf" <<SETTINGS
ClusterName=try
SlurmctldHost=head
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$FOLDER/munge.socket
StateSaveLocation=$FOLDER/state
SlurmdSpoolDir=$FOLDER/spool-%n
SlurmctldPidFile=$FOLDER/slurmctld.pid
SlurmdPidFile=$FOLDER/slurmd-%n.pid
SlurmctldLogFile=$FOLDER/slurmctld.log
SlurmdLogFile=$FOLDER/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
NodeName=node[1-$nodes] CPUs=2 RealMemory=500
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
SETTINGS
export SLURM_CONF=$FOLDER/slurm.conf
mkdir "$FOLDER/state" "$FOLDER/job"
slurmctld
for node in $(seq $nodes); do
    mkdir "$FOLDER/spool-node$node"
    NODE=$node unshare --net --uts bash -c '
        hostname "node$NODE"
        touch "$FOLDER/waits-$NODE"
        until [ -e "$FOLDER/wired-$NODE" ]; do sleep 0.02; done
        ip link set lo up
        ip address add "10.77.0.1$NODE/24" dev eth
        ip link set eth up
        exec slurmd -D -N "node$NODE"' >"$FOLDER/node$node.log" 2>&1 &
    until [ -e "$FOLDER/waits-$node" ]; do sleep 0.02; done
    ip link add "line$node" type veth peer name eth netns $!
    ip link set "line$node" master cluster up
    touch "$FOLDER/wired-$node"
done
until [ "$(sinfo --noheader --states=idle --format=%D)" = $nodes ]; do sleep 0.2; done

# The program, and what one process says of it.
export PATH=$FOLDER/bin:$PATH
mkdir "$FOLDER/bin"
ln -s "$BORGES" "$FOLDER/bin/borges"
python3 - "$FOLDER/job/program.at" "${PARTICIPANTS:-6}" <<'PROGRAM'
import sys

names = [f"p{number}" for number in range(int(sys.argv[2]))]
send = lambda message: "; ".join(f"{name}<-{message}" for name in names)
with open(sys.argv[1], "w") as file:
    file.write(f"""def makeParticipant() {{ actor: {{
    def state := 0; def willing := true;
    def cancel() {{ willing := false }};
    def prepare(coordinator) {{ state := 1; coordinator<-vote(willing) }};
    def decide(commit) {{ if: commit then: {{ state := 2 }} else: {{ state := 3 }} }} }} }};
{"".join(f"def {name} := makeParticipant();" for name in names)}
def coordinator := actor: {{ |{", ".join(names)}|
    def open := {len(names)}; def all := true;
    def begin() {{ {send("prepare(self)")} }};
    def vote(yes) {{
        open := open - 1;
        if: yes then: {{ }} else: {{ all := false }};
        if: open == 0 then: {{ {send("decide(all)")} }} }} }};
def client := actor: {{ |p0| def start() {{ p0<-cancel() }} }};
coordinator<-begin(); client<-start();
""")
PROGRAM
borges --json explore "$FOLDER/job/program.at" --survey --cores 1 >"$FOLDER/alone.json" 2>/dev/null

# The job as it is on the page; Slurm takes another number of nodes from the command line.
awk '/^#SBATCH/ { is_job = 1 } /^```/ { if (is_job) exit; text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' \
    docs/cluster.md >"$FOLDER/job/job.sh"
cd "$FOLDER/job"
run() {
    sbatch --quiet --wait --nodes=$nodes --time=4 --output="slurm-$1.out" "${@:2}"
}

compare() {
    python3 - "$FOLDER/alone.json" "slurm-$1.out" "$1" <<'COMPARE'
import json, sys

alone = json.load(open(sys.argv[1]))
reports = [line for line in open(sys.argv[2]) if line.startswith('{"program":')]
assert len(reports) == 1, f"the job says {len(reports)} things"
job = json.loads(reports[0])
for field in ["states", "edges", "complete"]:
    assert job[field] == alone[field], f"{field}: {job[field]} by Slurm, {alone[field]} by one process"
ends = lambda report: sorted(json.dumps(end.get("values"), sort_keys=True) for end in report["ends"])
assert ends(job) == ends(alone), "the ends differ"
survey = job["survey"]
print(f"slurm: {sys.argv[3]}: {job['states']} states, as by one process; {survey}")
COMPARE
}

run first job.sh
compare first
# A job that is ended in the middle, and submitted again, goes on from what was kept.
sed -i 's/--checkpoint run.bx/--checkpoint run.bx --every 1/' job.sh
rm -f run.bx
job=$(sbatch --parsable --nodes=$nodes --time=4 --output=slurm-ended.out job.sh)
until [ -s run.bx ]; do
    sleep 0.1
    squeue --noheader --jobs="$job" | grep -q . || {
        echo "slurm: the job was over before anything was kept: more PARTICIPANTS take longer" >&2
        exit 1
    }
done
scancel "$job"
while squeue --noheader --jobs="$job" | grep -q .; do sleep 0.2; done
run resumed job.sh
compare resumed
echo "slurm: $(slurmctld -V), $(munged --version | head -n 1)"
