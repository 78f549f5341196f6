"""What the recorder costs (the strict limits stand in helpers/upkeep/bench/)."""

import asyncio
import pickle
import statistics
import time

from helpers.upkeep.bench import recorder as bench
from tests.recorded import nap, recorded


async def switch(times=100):
    async def task():
        for _ in range(times):
            await asyncio.sleep(0)

    await asyncio.gather(*[task() for _ in range(100)])


def test_the_cost_of_a_switch_stays_small():
    ratios = []
    for _ in range(7):
        start = time.process_time()
        asyncio.run(switch())
        middle = time.process_time()
        recorded(switch())
        ratios.append((time.process_time() - middle) / (middle - start))
    assert statistics.median(ratios) < 2.5


def test_the_bytes_of_a_step_stay_few():
    async def main():
        await switch(20)
        await asyncio.gather(*[nap(0.001) for _ in range(200)])

    rec = recorded(main())
    assert rec.nbytes / rec.steps < 150
    assert len(pickle.dumps(rec)) / rec.steps < 150


def test_the_benchmark_of_memory_is_within_its_limit():
    rows = list(bench.memory())
    assert [row.limit for row in rows] == [150, None, 150, None]
    assert not any(row.missed for row in rows)
    over, under = bench.Row("x", 2, limit=1), bench.Row("x", 2, least=3)
    assert over.missed and "MISSED" in str(over) and under.missed and "MISSED" in str(under)
