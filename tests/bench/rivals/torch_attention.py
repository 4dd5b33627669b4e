"""Seconds of one scaled_dot_product_attention on one thread: torch_attention.py N D."""

import json
import statistics
import sys
import time

import torch

torch.set_num_threads(1)
n, d = int(sys.argv[1]), int(sys.argv[2])
times = []
with torch.no_grad():
    for _ in range(24):
        q, k, v = (torch.randn(1, 1, n, d) for _ in range(3))
        calls = max(1, round(0.06 / times[-1])) if times else 1
        began = time.perf_counter()
        for _ in range(calls):
            torch.nn.functional.scaled_dot_product_attention(q, k, v)
        times.append((time.perf_counter() - began) / calls)
sys.stdout.write(json.dumps({"version": torch.__version__, "seconds": statistics.median(times[3:])}))
