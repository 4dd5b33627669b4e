"""The command line. Each subcommand imports what it needs, so that --help, status and show start at once."""

import argparse
import errno
import io
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from actors.errors import BadInput, UnitFault
from pipelines.labels import add_label_words
from pipelines.task import add_task_words

if TYPE_CHECKING:
    from pipelines.work import Work

Act = Callable[[argparse.Namespace], int]
ROOT = Path(__file__).resolve().parent.parent
EXIT_CODES = "exit codes: 0 done, 1 some units failed, 2 bad input, 3 a budget is spent, 130 interrupted"
LABELS = "People's labels: sheets of stored answers and card pairs to fill in, and back."
TASKS = "Tasks of the idea search: list and check them, make their base image, score a solution folder."
RUN_HELP = """\
Overrides are Hydra's: group=choice, key=value, key=[a,b]. For instance:
  heuresis run cast=scripted
  heuresis run experiment=idea_search cast=scripted task.profile=small budget.executions=60 iterations=3
  heuresis run cast=endpoint models.endpoint.model=openai/NAME models.endpoint.api_base=http://HOST:PORT/v1
  heuresis run cast=scripted only.paper=batch-normalization only.replicate=0 force=true
  heuresis run -m cast=scripted questions=20,50 condition=none,full
  heuresis run experiment=prefix_fork cast=scripted 'fork.at=[20]' only.paper=batch-normalization
  heuresis run experiment=study cast=scripted papers=2 questions=30 'fork.at=[10]'
  heuresis run experiment=judge 'from=[outputs/game-1a2b3c4d]' judges=[strict]
  heuresis run experiment=idea_search cast=scripted task.profile=small policy=aim,best_of_n -m
The same command again plays only what is not finished."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point: errors of the person's in one line and exit code 2, bugs with a traceback."""
    try:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows a question mark
        given = parsed(arguments)
        code: int = given.command(given)
        return code
    except (BadInput, UnitFault) as error:  # a unit's fault outside a unit: an engine that went away, say
        return refuse(str(error))
    except KeyboardInterrupt:
        say_error("interrupted; what was paid for and measured is kept, the same command goes on")
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise
        return refuse(f"{error.strerror}: {error.filename or 'the store'}; make room, then the same command goes on")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The words of a command line; what cannot be one ends in argparse's own line and exit code 2."""
    given, more = (top := parser()).parse_known_args(arguments)
    if any(word.startswith("-") for word in more) or (more and "override" not in given):
        top.error(f"unrecognized arguments: {' '.join(more)}")
    if more:  # words after an option: argparse takes one run of them
        given.override += more
    return given


def console(stderr: bool = False) -> Console:
    """Where people read: names of folders and models are printed as they are, whatever is in them."""
    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True)


def refuse(message: str) -> int:
    """One line on stderr, exit code 2."""
    say_error(message)
    return 2


def say_error(message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"heuresis: {' '.join(message.split())}\n")


def groups() -> str:
    """The choices of every config group."""
    folders = sorted(path for path in (ROOT / "conf").iterdir() if path.is_dir())
    rows = {folder.name: sorted(path.stem for path in folder.glob("[!_]*.yaml")) for folder in folders}
    lines = [f"  {name}: {', '.join(found)}" for name, found in rows.items()]
    return "\n".join(["groups, with the files in conf/ that they choose from:", *lines])


def parser() -> argparse.ArgumentParser:
    """Every subcommand with its help."""
    about = "Studies and runs the way language models search for ideas."
    top = argparse.ArgumentParser("heuresis", description=about, epilog=EXIT_CODES)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, act: Act, about: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about)
        made.set_defaults(command=act)
        return made

    demo = command("demo", demo_command, "Play three papers with the model that comes along, and write a page.")
    demo.add_argument("override", nargs="*", help="as for run")
    add_run_words(command("run", run_command, "Play an experiment."))
    report = command("report", report_command, "Tables, figures and one self-contained page from runs' Parquet.")
    report.add_argument("run_dir", nargs="+", type=Path)
    out = "where to write (default: report/ in the folder of the run or study; of several, reports/HASH beside them)"
    report.add_argument("--out", type=Path, help=out)
    report.add_argument("--seed", type=int, default=0, help="seed of the bootstrap (default 0)")
    status = command("status", status_command, "Counts, spend, rates and failures of a run.")
    status.add_argument("run_dir", type=Path)
    show = command("show", show_command, "One game: questions, cards, ratings; or one search, branch by branch.")
    show.add_argument("unit", help="a unit's id, or the beginning of it or of its last part, as status prints it")
    show.add_argument("--branch", type=int, metavar="N", help="of a search: this branch, its code as a diff")
    show.add_argument("--store", type=Path, default=Path("outputs/store"), help="default: outputs/store")
    doctor = command("doctor", doctor_command, "What this machine can do, and how to mend what it cannot.")
    doctor.add_argument("--live", action="store_true", help="ask every model of the cast once; may cost a few tokens")
    doctor.add_argument("override", nargs="*", help="with --live: cast=..., models.NAME.api_base=...")
    add_task_words(commands.add_parser("task", help=TASKS, description=TASKS))
    add_label_words(commands.add_parser("labels", help=LABELS, description=LABELS))
    for machine_readable in (report, status, show, doctor):
        machine_readable.add_argument("--json", action="store_true", help="for scripts")
    return top


def add_run_words(run: argparse.ArgumentParser) -> None:
    """What ``heuresis run`` takes."""
    run.formatter_class = argparse.RawDescriptionHelpFormatter
    run.epilog = f"{RUN_HELP}\n\n{groups()}\n\n{EXIT_CODES}"
    run.add_argument("-m", "--multirun", action="store_true", help="a sweep: each combination of values given as a,b")
    run.add_argument("-c", "--cfg", choices=["job"], help="print the composed config and stop")
    run.add_argument("--resolve", action="store_true", help="with --cfg: with interpolations resolved")
    run.add_argument("--config-dir", type=Path, metavar="DIR", help="a folder of your own with cast/, model/, ...")
    run.add_argument("--json", action="store_true", help="print what came of it for scripts")
    run.add_argument("override", nargs="*", help="experiment=, cast=, papers=, questions=, task=, policy=, ...")


def demo_command(given: argparse.Namespace) -> int:
    """``heuresis demo``."""
    from pipelines.demo import demo

    return demo(given.override, console())


def run_command(given: argparse.Namespace) -> int:
    """``heuresis run``."""
    if given.cfg:
        from pipelines.config import as_yaml

        sys.stdout.write(as_yaml(given.override, given.config_dir, given.resolve))
        return 0
    from pipelines.interrupt import end_when_terminated

    end_when_terminated()
    from pipelines.run import run
    from pipelines.status import say_status, status
    from pipelines.study import is_study, keep

    works, bad = planned(given)
    if not works:
        return bad
    whole = keep(works) if is_study(given.override) else None
    screen = console(stderr=given.json)
    code = run(works, screen)
    found = [status(folder) for folder in ([whole] if whole else [work.folder for work in works])]
    if given.json:
        sys.stdout.write(json.dumps(found if given.multirun else found[0], indent=1) + "\n")
    else:
        for one in found:
            say_status(one, screen)
        folders = " ".join(one["run"] for one in found)
        screen.print(f"read them with: heuresis report {folders}")
    return max(code, bad)


def planned(given: argparse.Namespace) -> tuple[list["Work"], int]:
    """The runs of a command line, and 2 where a job of a sweep was refused: the others go on."""
    from pipelines import study
    from pipelines.config import jobs, settings
    from pipelines.plan import plan

    works, bad = [], 0
    if study.is_study(given.override):
        if given.multirun:
            raise BadInput("-m: a study is several runs already; drop it, or sweep one of its experiments")
        return study.planned(given.override, given.config_dir), 0
    for overrides in jobs(given.override) if given.multirun else [given.override]:
        try:
            works.append(plan(settings(overrides, given.config_dir)))
        except BadInput as error:
            if not given.multirun:
                raise
            bad = refuse(f"job {' '.join(overrides)}: {error}")
    return works, bad


def report_command(given: argparse.Namespace) -> int:
    """``heuresis report``."""
    from pipelines.report.make import make_report
    from pipelines.report.say import say_report
    from pipelines.work import runs_of

    runs = [run for folder in given.run_dir for run in runs_of(folder)]
    out = given.out or (given.run_dir[0] / "report" if len(given.run_dir) == 1 < len(runs) else None)
    made = make_report(runs, out, given.seed)
    if given.json:
        sys.stdout.write(json.dumps(made.paths(), indent=1) + "\n")
        return 0
    say_report(made, console())
    return 0


def status_command(given: argparse.Namespace) -> int:
    """``heuresis status``."""
    from pipelines.status import say_status, status

    found = status(given.run_dir)
    if given.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        say_status(found, console())
    return 0


def show_command(given: argparse.Namespace) -> int:
    """``heuresis show``."""
    from pipelines.show import find, open_store, told

    store = open_store(given.store)
    found, say = told(store, find(store, given.unit), given.branch)
    if given.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        say(found, console())
    return 0


def doctor_command(given: argparse.Namespace) -> int:
    """``heuresis doctor``."""
    from pipelines.doctor import checks, live, say_checks

    found = checks() + (live(given.override) if given.live else [])
    if given.json:
        sys.stdout.write(json.dumps([check.model_dump() for check in found], indent=1) + "\n")
    else:
        say_checks(found, console())
    return 0 if all(check.ok is not False for check in found) else 1


if __name__ == "__main__":
    sys.exit(main())
