# The builder: one shared object from one set of sources, again and again, in a container that sees nothing else.
#
#   order   "<bytes>" on a line, then a tar of that many bytes
#   answer  "<exit code> <object bytes> <log bytes> <kills for memory>" on a line, then object and log
#
# The command to build with is this script's own arguments; it runs in a folder that holds the sources alone, and must
# write /work/object, where no source can lie. Sources are data here: no code of theirs runs, so precompiled headers,
# which are the compiler's own memory and go before headers, are taken away. What a build leaves in /tmp goes with it.
# Time and memory are limited from outside.
work=/work/solution

kills() { cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n 's/^oom_kill //p'; }
size() { stat -c %s "$1" 2>/dev/null || echo 0; }

# While it builds, nobody reads orders: their end, when the driver dies, has to end the compiler. The next order comes only
# after our answer, so the watch reads none.
watch() { read -r _ <&3 || kill -9 -1; }

exec 3<&0
while read -r bytes; do
    cd /work && rm -rf "$work" log object && mkdir "$work" && cd "$work" || exit 70
    find /tmp -mindepth 1 -delete
    before=$(kills)
    head -c "$bytes" | tar -x --no-same-owner --no-same-permissions || exit 71
    find . -name '*.gch' -prune -exec rm -rf {} +
    watch &
    "$@" </dev/null 2>&1 3<&- | { head -c 65536 >/work/log; cat >/dev/null; } # a compiler that nobody hears would end early
    kill $! && wait $!
    test -s /work/object
    code=$?
    echo "$code $(size /work/object) $(size /work/log) $(($(kills) - before))"
    test $code -eq 0 && cat /work/object
    cat /work/log
done
