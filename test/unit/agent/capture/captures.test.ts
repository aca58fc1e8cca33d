// A recording by the running agent: its device is left alone by everybody else from the first question to the last, and
// each question takes a turn of its own. A simulated device on real sockets.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../../../fixtures/farm/farm.ts';
import { FAMILY_NAMES } from '../../../../fixtures/farm/mix.ts';
import { suitablePortMap } from '../../../../fixtures/farm/ports.ts';
import { createCaptures } from '../../../../src/agent/capture/captures.ts';
import { type AgentConfig, parseConfig } from '../../../../src/agent/config/config.ts';
import { freshTrust } from '../../../support/fresh-trust.ts';
import { loopback } from '../../../support/loopback.ts';

let farm: Farm;
let config: AgentConfig;

beforeAll(async () => {
  const portMap = await suitablePortMap();
  farm = await startFarm({
    network: loopback().network,
    miners: 1,
    mix: { [FAMILY_NAMES[0] ?? '']: 1 },
    seed: 5,
    portMap,
  });
  config = parseConfig(JSON.stringify({ portMap }), { baseDir: '.', environment: {}, name: 'test' });
});
afterAll(() => farm.stop());

const forever = () => new AbortController().signal;
const ipOf = () => farm.devices[0]?.ip ?? '';

test('it is neither polled nor recorded twice meanwhile; a command waits for one question', async () => {
  const ip = ipOf();
  let underWay = 0;
  const turns: { priority: string; underWay: number; isAt: boolean }[] = [];
  const captures = createCaptures(
    config,
    {
      async run(_ip, priority, _signal, work) {
        turns.push({ priority, underWay: ++underWay, isAt: captures.isAt(ip) });
        return work().finally(() => underWay--);
      },
    },
    freshTrust(),
  );
  const first = captures.capture({ ip }, () => {}, forever());
  await expect(captures.capture({ ip }, () => {}, forever())).rejects.toMatchObject({ code: 'capture.under-way' });
  const found = await first;
  expect(found?.driver).toBe(farm.devices[0]?.driver);
  expect(turns.length).toBeGreaterThan(found?.case.responses.length ?? 0);
  expect(new Set(turns.map((turn) => JSON.stringify(turn)))).toEqual(
    new Set(['{"priority":"command","underWay":1,"isAt":true}']),
  );
  expect(captures.isAt(ip)).toBe(false);
});

test('what a person names is asked as well, and what may change the device is not', async () => {
  const ip = ipOf();
  const captures = createCaptures(config, { run: (_ip, _priority, _signal, work) => work() }, freshTrust());
  const found = await captures.capture({ ip, also: ['/?all=1'] }, () => {}, forever());
  const named = found?.case.responses.filter(({ ask }) => ask?.startsWith('also.'));
  expect(named).toMatchObject([{ ask: expect.stringMatching(/^also\./), path: '/?all=1' }]);
  const before = farm.devices[0]?.requests;
  const wrong = captures.capture({ ip, also: ['/api/system/restart'] }, () => {}, forever());
  await expect(wrong).rejects.toMatchObject({ family: 'config' });
  expect(farm.devices[0]?.requests).toBe(before);
  expect(captures.isAt(ip)).toBe(false);
});

test('who goes away ends it, and it is polled again', async () => {
  const ip = ipOf();
  const gone = new AbortController();
  const captures = createCaptures(config, { run: (_ip, _priority, _signal, work) => work() }, freshTrust());
  const ended = captures.capture({ ip }, () => gone.abort(), gone.signal);
  await expect(ended).rejects.toMatchObject({ family: 'cancelled' });
  expect(captures.isAt(ip)).toBe(false);
});
