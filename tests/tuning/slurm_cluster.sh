# shellcheck shell=sh
# Sourced by slurm_test.sh: a Slurm of this machine alone. One node of two CPUs, a controller, and munge for both, in the folder
# $1/cluster; they listen on 127.0.0.1 and end with stop_slurm.

# Ends the test as skipped where Slurm is not installed.
find_slurm() {
    PATH=$PATH:/usr/sbin
    export PATH
    for program in sbatch squeue scontrol slurmctld slurmd munged python3; do
        command -v "$program" >/dev/null 2>&1 || {
            echo "skipped: there is no $program (Debian: slurm-wlm, munge, python3)"
            exit 77
        }
    done
}

two_free_ports() {
    python3 -c 'import socket
s = [socket.socket() for i in range(2)]
for each in s: each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in s))'
}

# start_slurm FOLDER
start_slurm() {
    cluster=$1/cluster
    user=$(id -un)
    two_free_ports >"$1/ports" && read -r control_port node_port <"$1/ports"
    mkdir -p "$cluster/state" "$cluster/spool" "$cluster/munge"
    chmod 700 "$cluster/munge"
    head -c 1024 /dev/urandom >"$cluster/munge/key" && chmod 400 "$cluster/munge/key"
    cat >"$cluster/slurm.conf" <<END
ClusterName=assay
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$node_port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=1
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName=node1 NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES State=UP
END
    SLURM_CONF=$cluster/slurm.conf
    export SLURM_CONF
    munged -F --force --socket="$cluster/munge/socket" --key-file="$cluster/munge/key" --pid-file="$cluster/munge/pid" \
        --log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" >"$cluster/munge/said" 2>&1 &
    slurm_pids=$!
    wait_for 20 test -S "$cluster/munge/socket"
    slurmctld -D -i >"$cluster/slurmctld.said" 2>&1 &
    slurm_pids="$slurm_pids $!"
    slurmd -D -N node1 >"$cluster/slurmd.said" 2>&1 &
    slurm_pids="$slurm_pids $!"
    wait_for 60 node_is_idle || {
        echo "skipped: this Slurm does not start here: $(tail -n 2 "$cluster/slurmctld.said" "$cluster/slurmd.said")"
        stop_slurm
        exit 77
    }
}

node_is_idle() { [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; }

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
    turns=$1
    shift
    while [ "$turns" -gt 0 ]; do
        "$@" && return 0
        sleep 1
        turns=$((turns - 1))
    done
    return 1
}

stop_slurm() {
    scancel --user="$(id -un)" 2>/dev/null
    # shellcheck disable=SC2086 # a list
    kill ${slurm_pids:-} 2>/dev/null
    wait
}
