// `pithead walk` on a real pseudo-terminal, against a real service: a button, a scanner, the light, a swap and an undo.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { callsOf, SHAPE } from '../unit/service-http/location-farm.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { startRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { runPithead } from './process.ts';
import { runOnTerminal } from './terminal.ts';

async function startFarm() {
  const rig = await startRig();
  const agent = await connect(rig);
  const keys = Array.from({ length: 6 }, () => randomUUID());
  const abilities = ['miner.light.update'];
  await agent.report(keys.map((key, n) => minerRecord(n + 1, rig.clock.nowMs(), { key, abilities })));
  const calls = callsOf(rig);
  await calls.ask('PUT', '/racks/C03', { shape: SHAPE });
  const press = (n: number) => {
    const at = new Date(rig.clock.nowMs()).toISOString();
    return agent.report([{ kind: 'event', key: keys[n - 1] ?? '', type: 'ip_reported', at, detail: {} }]);
  };
  /** The first light that was ordered is on. */
  const lit = async () => {
    const { task_id } = await agent.frame('task');
    const at = new Date(rig.clock.nowMs()).toISOString();
    await agent.report([{ kind: 'task', task_id, status: 'succeeded', at, message: null, evidence: {} }]);
  };
  return { ...calls, agent, keys, lit, press, environment: { PITHEAD_URL: rig.url, PITHEAD_KEY: rig.key } };
}

test('each slot gets its miner at once', async () => {
  const { place, press, standing, environment, agent, keys, lit } = await startFarm();
  await place({ miner: '10.0.0.6', rack: 'C03', position: 4 });
  const { code, lines } = await runOnTerminal(['walk', 'C03'], {
    ...{ columns: 80, environment },
    answers: [
      // A button; its second report is heard as none.
      ['(1 of 6)', () => press(1).then(() => press(1))],
      // A scanner types, and presses Enter.
      ['(2 of 6)', 'SN-0002\r'],
      ['(3 of 6)', 'nobody\r'],
      ["serial number 'nobody'", '0200.0000.0003\r'],
      ['(4 of 6)', '10.0.0.4\r'],
      ['is held by 10.0.0.6', 'y\r'],
      ['(5 of 6)', 'u\r'],
      ['10.0.0.6 is back: C03-4', 's\r'],
      ['u = undo, q = end\ns\n', 'light\r'],
      // Off waits for the end of on.
      ['the light of 10.0.0.4 goes on', 'y\r'],
      ['C03-5  10.0.0.4', lit],
      ['(6 of 6)', 'q\r'],
    ],
  });
  expect(code).toBe(0);
  const results = ['C03-1  10.0.0.1', 'C03-2  10.0.0.2', 'C03-3  10.0.0.3', 'C03-4  10.0.0.4', 'C03-5  10.0.0.4'];
  expect(lines.filter((line) => /^C03-\d {2}/.test(line))).toEqual(results);
  expect(lines).toContain('   C03-4      row 1, column 3   (4 of 6)');
  expect(lines).toContain('held by 10.0.0.6');
  expect(lines.at(-1)).toBe('4 placed, 1 skipped, 1 slot left');
  expect(await standing()).toEqual([
    ...['10.0.0.1 C03-1', '10.0.0.2 C03-2', '10.0.0.3 C03-3', '10.0.0.4 C03-5', '10.0.0.6 C03-4'],
  ]);
  const lights = agent.frames.flatMap((frame) => (frame.type === 'task' ? [[frame.miner_key, frame.params]] : []));
  expect(lights).toEqual([
    [keys[3], { on: true }],
    [keys[3], { on: false }],
  ]);
});

test('without a terminal a scanner types into a pipe, and each miner is a line of JSON', async () => {
  const { environment, standing } = await startFarm();
  const enter = ['sh', '-c', String.raw`printf '10.0.0.1\ns\n10.0.0.2\n' | "$@"`, 'sh'];
  const { code, stdout, stderr } = await runPithead(['walk', 'C03', '--empty', '--json'], { environment, enter });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { slot: 'C03-1', rack: 'C03', position: 1, ip: '10.0.0.1' },
    { slot: 'C03-3', rack: 'C03', position: 3, ip: '10.0.0.2' },
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 placed, 1 skipped, 3 slots left')]);
  expect(await standing()).toEqual(['10.0.0.1 C03-1', '10.0.0.2 C03-3']);
});
