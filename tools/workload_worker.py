"""What the workers of `workloads.py` have in common: they answer seconds with the seconds of a step."""

import sys
import time


def serve(step, steps_of_a_call=1):
    """Warms up, says so, and then measures whenever it is asked to."""
    for _ in range(3):
        step()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, calls, start = float(line), 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - start < seconds:
            step()
            calls += 1
        print((time.perf_counter() - start) / (calls * steps_of_a_call), flush=True)
