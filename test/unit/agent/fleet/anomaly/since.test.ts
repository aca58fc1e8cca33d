// What a flag is dated by: the evidence that it shows.
import { expect, test } from 'vitest';
import { createBench, put, START_MS } from './fixture.ts';

const at = (minute: number) => new Date(START_MS + minute * 60_000).toISOString();

test('a miner that showed the MAC of another for an hour, and then falls silent, is silent since then', () => {
  const bench = createBench();
  bench.polls(60, undefined, { macState: 'duplicate' });
  expect(bench.flag('network')).toMatchObject({ source: 'mac', since: at(0) });
  for (let poll = 1; poll <= 5; poll++) bench.fail(poll);
  expect(bench.flag('network')).toMatchObject({ source: 'contact', since: at(60) });
  bench.restart();
  bench.polls(3, undefined, { macState: 'duplicate' });
  expect(bench.flag('network')).toMatchObject({ source: 'mac', since: at(0) });
});

test('pools that are all dead are so since the last of them died', () => {
  const bench = createBench();
  const pools = (second: boolean) =>
    put({
      pools: [
        { index: 0, url: 'a.example:1', user: 'w', isAlive: false },
        { index: 1, url: 'b.example:1', user: 'w', isAlive: second },
      ],
    });
  bench.polls(30, pools(true));
  expect(bench.flag('pool')).toMatchObject({ severity: 'minor', since: at(0) });
  bench.polls(5, pools(false));
  expect(bench.flag('pool')).toMatchObject({ severity: 'critical', since: at(30) });
});
