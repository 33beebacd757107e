"""One worker of the documents' MNIST MLP as PyTorch trains it in several processes (DistributedDataParallel over gloo): trains until
it is stopped; the first prints steps/s.

usage: ddp.py RANK WORKERS PORT
"""

import os
import sys
import time

import torch
from torch import nn

import mnist

WARM_UP, MEASURE = 1.5, 3.0


def main(rank, workers, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    # One thread a process is this side's best where two processes share two cores.
    torch.set_num_threads(max(1, os.cpu_count() // workers))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=workers)
    torch.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loss_of = nn.CrossEntropyLoss(reduction="sum")
    batches = mnist.batches(100)
    print("ready", flush=True)
    sys.stdin.readline()
    begin = first = None
    steps = 0
    while True:
        images, labels = next(batches)
        optimizer.zero_grad(set_to_none=True)
        loss_of(model(torch.from_numpy(images)), torch.from_numpy(labels)).backward()
        optimizer.step()
        steps += 1
        now = time.perf_counter()
        begin = begin or now
        if first is None and now - begin > WARM_UP:
            first = (now, steps)
        if rank == 0 and first and now - first[0] > MEASURE:
            print((steps - first[1]) / (now - first[0]), flush=True)
            os._exit(0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
