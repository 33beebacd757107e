"""Running the cases of a test script: each is counted, and none can hang the script."""

import faulthandler
import os
import sys
import threading
import time
import traceback

from server import STARTED, tf

__all__ = ["run_cases"]

# Deprecations, and tensors that were never used.
tf.compat.v1.logging.set_verbosity("FATAL")


def run_cases(script, cases, seconds, wanted=None):
    """Runs pairs of a name and a function, prints a summary, and ends the process. After `seconds`, the stacks of all
    threads are printed, and the script has failed. Only cases with one of the `wanted` words are run, if there are any;
    unless told, these are the arguments of the command line after the first."""
    guard(script, float(os.environ.get("TEST_SECONDS", seconds)))
    wanted = sys.argv[2:] if wanted is None else wanted
    passed, failed = 0, []
    for name, case in cases:
        if wanted and not any(part in name for part in wanted):
            continue
        begin = time.monotonic()
        try:
            note = case()
        except Exception:
            traceback.print_exc()
            failed.append(name)
            print(f"{name}: FAILED", flush=True)
        else:
            passed += 1
            print(f"{name}: {note or 'fine'} ({time.monotonic() - begin:.1f} s)", flush=True)
    for name in failed:
        print(f"failed: {name}")
    print(f"{script}: {passed} passed, {len(failed)} failed", flush=True)
    end(1 if failed or not passed else 0)


def guard(script, seconds):
    def give_up():
        print(f"{script}: not finished after {seconds} s", file=sys.stderr, flush=True)
        faulthandler.dump_traceback(all_threads=True)
        end(1)

    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    # Should the interpreter itself hang.
    faulthandler.dump_traceback_later(seconds + 10, exit=True)


def end(code):
    for process in STARTED:
        if process.poll() is None:
            process.kill()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of abandoned sessions, and TensorFlow's servers, would keep the interpreter from ending.
    os._exit(code)
