# The builder: one shared object from one set of sources, again and again, in a container that sees nothing else.
#
#   order   "<bytes>" on a line, then a tar of that many bytes
#   answer  "<exit code> <object bytes> <log bytes> <kills for memory>" on a line, then object and log
#
# The command to build with is this script's own arguments; it runs in a folder that holds the sources alone, and must
# write ./object. Sources are data here: no code of theirs runs. Time and memory are limited from outside.
work=/work/solution

kills() { cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n 's/^oom_kill //p'; }
size() { stat -c %s "$1" 2>/dev/null || echo 0; }

while read -r bytes; do
    cd /work && rm -rf "$work" /work/log && mkdir "$work" && cd "$work" || exit 70
    before=$(kills)
    head -c "$bytes" | tar -x --no-same-owner --no-same-permissions || exit 71
    "$@" </dev/null 2>&1 | head -c 65536 >/work/log
    test -s object
    code=$?
    echo "$code $(size object) $(size /work/log) $(($(kills) - before))"
    test $code -eq 0 && cat object
    cat /work/log
done
