// What changed in a span of time: nothing is left out and nothing counted twice, whatever the events; and the words.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PastEvent } from '../../../src/model/changes/change-kinds.ts';
import { summarise } from '../../../src/model/changes/summarise.ts';

const ANA = { type: 'user', id: 'host:ana', name: 'ana', via: 'control-socket' };

const event = (
  type: string,
  minerId: string | null,
  atMs: number,
  detail: Record<string, unknown> = {},
): PastEvent => ({
  ...{ type, minerId, agentId: 'a', atMs, detail },
});

const someMiner = fc.constantFrom('m1', 'm2', 'm3', null);
const someEvent = fc.oneof(
  fc.record({
    type: fc.constantFrom('flag_raised', 'flag_cleared'),
    minerId: someMiner,
    detail: fc.record({ flag: fc.constantFrom('fan', 'pool') }),
  }),
  fc.record({
    type: fc.constantFrom('task_created', 'task_ended', 'task_on_site'),
    minerId: someMiner,
    detail: fc.record({
      task_batch_id: fc.constantFrom('b1', 'b2', undefined),
      name: fc.constantFrom('miner.system.reboot', 'miner.rack_location.update', 'miner.asset.update'),
      status: fc.constantFrom('succeeded', 'failed', undefined, 1, '__proto__'),
      task_count: fc.constantFrom(3, null),
      actor: fc.constantFrom(ANA, 'x', undefined),
    }),
  }),
  fc.record({
    type: fc.constantFrom(
      'moved',
      'miner_missing',
      'miner_back',
      'appeared',
      'note_added',
      'agent_offline',
      'repainted',
    ),
    minerId: someMiner,
    detail: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  }),
);
const someEvents = fc
  .array(someEvent, { maxLength: 60 })
  .map((events) => events.map((one, atMs): PastEvent => ({ ...one, atMs, agentId: null })));

const isEventTask = ({ detail }: PastEvent) => detail.name !== 'miner.system.reboot';
const isTask = ({ type }: PastEvent) => type.startsWith('task_');

test('the changes stand for all events, each for its own; only batches of what operators change say nothing more', () => {
  fc.assert(
    fc.property(someEvents, (events) => {
      const { changes, flagsRaised, flagsCleared } = summarise(events);
      const count = (type: string) => events.filter((one) => one.type === type).length;
      const of = (...kinds: string[]) => changes.filter(({ kind }) => kinds.includes(kind)).length;
      const repeated = events.filter((one) => one.type === 'task_created' && isEventTask(one)).length;
      expect(changes.reduce((sum, change) => sum + change.events, 0)).toBe(events.length - repeated);
      expect([flagsRaised, flagsCleared]).toEqual([count('flag_raised'), count('flag_cleared')]);
      expect([of('open', 'healed'), of('healed', 'ended')]).toEqual([flagsRaised, flagsCleared]);
      const single = ['moved', 'miner_missing', 'miner_back', 'appeared', 'note_added', 'agent_offline'];
      expect(of('moved', 'missing', 'back', 'appeared', 'note', 'agent')).toBe(
        single.reduce((sum, type) => sum + count(type), 0),
      );
      const ended = events.filter((one) => isTask(one) && one.type !== 'task_created' && !isEventTask(one));
      const outcomes = changes.flatMap(({ evidence: { outcomes: some } }) => Object.values(some ?? {}));
      expect(outcomes.reduce((sum, some) => sum + Number(some), 0)).toBe(ended.length);
    }),
  );
});

test('a flag that comes and goes is one change, one that stays is open, one that was there before has ended', () => {
  const fan = { flag: 'fan', message: 'fan 2 stands still' };
  const { changes } = summarise([
    event('flag_raised', 'm1', 1, fan),
    event('flag_cleared', 'm2', 2, { flag: 'pool' }),
    event('flag_cleared', 'm1', 3, fan),
    event('flag_raised', 'm1', 4, fan),
    event('flag_raised', 'm2', 5, fan),
  ]);
  const shown = changes.map(({ kind, minerId, atMs, endMs, text }) => [kind, minerId, atMs, endMs, text]);
  expect(shown).toEqual([
    ['open', 'm2', 5, null, 'fan 2 stands still'],
    ['open', 'm1', 4, null, 'fan 2 stands still'],
    ['ended', 'm2', 2, 2, 'pool'],
    ['healed', 'm1', 1, 3, 'fan 2 stands still'],
  ]);
});

test('tasks of a batch are one change, by who ordered them, with those that did not succeed', () => {
  const reboot = { task_batch_id: 'b', name: 'miner.system.reboot' };
  const light = { batch_id: 'c', name: 'miner.light.update' };
  const key = { type: 'api_key', id: 'k', name: 'night watch' };
  const { changes } = summarise([
    event('task_created', null, 1, { ...reboot, task_count: 3, actor: key }),
    event('task_ended', 'm1', 2, { ...reboot, status: 'succeeded', actor: key }),
    event('task_ended', 'm2', 3, { ...reboot, status: 'failed', message: 'no answer', actor: key }),
    event('task_ended', 'm3', 4, { ...reboot, status: 'cancelled', actor: ANA, ordered_by: key }),
    event('task_on_site', 'm1', 5, { ...light, command: 'light on', status: 'succeeded', actor: ANA }),
    event('task_on_site', 'm2', 6, { ...light, batch_id: 'd', status: 'succeeded', actor: ANA }),
  ]);
  expect(changes).toMatchObject([
    { kind: 'task', minerId: 'm2', by: ANA, text: 'miner.light.update, one task: 1 succeeded' },
    { kind: 'task', minerId: 'm1', by: ANA, text: 'light on, one task: 1 succeeded' },
    {
      ...{ kind: 'task', minerId: null, by: key, atMs: 1, endMs: 4 },
      text: 'reboot, 3 tasks: 1 succeeded, 1 failed, 1 cancelled',
      unsuccessful: [
        { minerId: 'm2', status: 'failed', message: 'no answer' },
        { minerId: 'm3', status: 'cancelled', message: null },
      ],
    },
  ]);
});

test('what operators change stands with before and after, and by whom', () => {
  const moved = { name: 'miner.rack_location.update', task_batch_id: 'b', status: 'succeeded', actor: ANA };
  const [before, after] = [
    { rack: null, position: null },
    { container: '1', rack: 'C03', position: 12 },
  ];
  const { changes } = summarise([
    event('task_created', null, 1, { ...moved, task_count: 1 }),
    event('task_ended', 'm1', 1, { ...moved, before, after }),
    event('task_ended', 'm1', 2, {
      name: 'miner.asset.update',
      before: { ops_status: null },
      after: { ops_status: 'transit' },
    }),
    event('moved', 'm1', 3, { from: '10.0.0.5', to: '10.0.0.9' }),
    event('note_added', 'm1', 4, { text: 'fan ordered', actor: ANA }),
  ]);
  expect(changes.map(({ kind, text, by }) => [kind, text, by?.name])).toEqual([
    ['note', 'fan ordered', 'ana'],
    ['moved', 'moved from 10.0.0.5 to 10.0.0.9', undefined],
    ['ops_status', 'in operation → transit', undefined],
    ['location', 'no location → 1 / C03 / 12', 'ana'],
  ]);
});
