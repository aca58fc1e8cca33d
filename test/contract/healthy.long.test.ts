// No healthy simulated device of any model raises a flag, watched for hours of its own time: what is read of it, judged
// as the agent judges.
import { expect, test } from 'vitest';
import { judge } from '../../src/agent/fleet/anomaly/judge.ts';
import { anomalySettingsSchema } from '../../src/agent/fleet/anomaly/settings.ts';
import type { MinerJudgement } from '../../src/agent/fleet/anomaly/state.ts';
import { loopback } from '../support/loopback.ts';
import { abilityFarm, KINDS, type Kind } from './ability-farm.ts';
import { QUIET } from './quiet.ts';

/** Half an hour of theirs in a second of ours. */
const SPEED = 1_800;
const ROUNDS = 8;

test.each([1, 7])('seed %i', async (seed) => {
  const site = await abilityFarm({ network: loopback(20).network, perKind: 4, seed, speed: SPEED, freeze: false });
  const settings = anomalySettingsSchema.parse({});
  const [startMs, sinceMs] = [Date.now(), performance.now()];
  const watch = async (kind: Kind): Promise<readonly string[]> => {
    const device = site.take(kind);
    const seen = new Set<string>();
    let judgement: MinerJudgement | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const reading = await site.look(kind, device);
      const sample = { kind: 'ok', reading, unparsable: [], loginRefused: false, context: QUIET } as const;
      ({ judgement } = judge(judgement, sample, settings, startMs + (performance.now() - sinceMs) * SPEED));
      for (const { type, message } of judgement.flags) seen.add(`${kind.family} ${kind.model}: ${type}: ${message}`);
      await new Promise((resolve) => void setTimeout(resolve, 200));
    }
    return [...seen];
  };
  try {
    expect((await Promise.all(KINDS.map(watch))).flat()).toEqual([]);
  } finally {
    await site.stop();
  }
});
