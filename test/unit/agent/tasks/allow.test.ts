// Local switches: what is off is refused before anything is sent, whoever asks, and the refusal names the setting.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { notAllowed, switchedOff, taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { EXECUTION_TASK_NAMES } from '../../../../src/model/task.ts';
import { createBench, keyOf } from './test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
beforeEach(() => {
  bench = createBench();
  bench.farm.add(keyOf(1));
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  bench.remove();
});

test('everything but changes of passwords is allowed unless the configuration says otherwise', () => {
  const settings = taskSettingsSchema.parse({});
  const refused = EXECUTION_TASK_NAMES.filter((name) => notAllowed(name, settings) !== undefined);
  expect(refused).toEqual(['miner.password.update']);
  expect(notAllowed('miner.password.update', settings)).toContain('tasks.allow.password is false');
  expect(switchedOff(settings), 'nobody has switched it off').toEqual([]);
});

test('each kind of task has its switch, but a refresh, which only looks; and each switch a kind', () => {
  const { allow } = taskSettingsSchema.parse({});
  for (const kind of Object.keys(allow)) {
    const settings = taskSettingsSchema.parse({ allow: { password: true, [kind]: false } });
    const refused = EXECUTION_TASK_NAMES.filter((name) => notAllowed(name, settings) !== undefined);
    expect(refused).toHaveLength(1);
    expect(notAllowed(refused[0] ?? '', settings)).toContain(`tasks.allow.${kind} is false`);
    expect(switchedOff(settings)).toEqual(kind === 'password' ? [] : [`tasks.allow.${kind}`]);
  }
  expect(Object.keys(allow)).toHaveLength(EXECUTION_TASK_NAMES.filter((name) => name !== 'miner.refresh.get').length);
});

test('an agent without control only reads: miners, their logs and scans', () => {
  const settings = taskSettingsSchema.parse({ control: false });
  const allowed = EXECUTION_TASK_NAMES.filter((name) => notAllowed(name, settings) === undefined);
  expect(allowed).toEqual(['miner.log.get', 'miner.refresh.get', 'agent.scan.create']);
  expect(notAllowed('miner.system.reboot', settings)).toContain('tasks.control');
});

test('neither the service nor a technician gets done what is switched off, and the log has it', async () => {
  gate = bench.make({ allow: { reboot: false } });
  gate.start();
  gate.acceptAll([bench.order(keyOf(1))]);
  const { outcome } = gate.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(1) });
  await bench.clock.advance(5_000);
  const refused = { status: 'failed', message: expect.stringContaining('not allowed here: tasks.allow.reboot') };
  expect(await outcome).toMatchObject(refused);
  expect(bench.farm.finals()).toMatchObject([refused]);
  expect(bench.farm.orders).toEqual([]);
  expect(bench.warnings.filter((line) => line.includes('tasks.allow.reboot'))).toHaveLength(2);
});

test('a switch that is turned while tasks wait holds for those, and back again for new ones', async () => {
  bench.farm.add(keyOf(2));
  const settings = taskSettingsSchema.parse({ reboot: { concurrency: 1 } });
  gate = bench.makeWith(settings);
  gate.start();
  gate.acceptAll([1, 2].map((number) => bench.order(keyOf(number))));
  await bench.clock.advance(5_000);
  settings.allow.reboot = false;
  await bench.clock.advance(800_000);
  expect(bench.farm.orders.map(({ key }) => key)).toEqual([keyOf(1)]);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  settings.allow.reboot = true;
  gate.acceptAll([bench.order(keyOf(2))]);
  await bench.clock.advance(5_000);
  expect(bench.farm.orders.map(({ key }) => key)).toEqual([keyOf(1), keyOf(2)]);
});
