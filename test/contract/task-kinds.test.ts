// Everything that knows the kinds of tasks agrees with their one table: settings, drivers, the interface, the command
// line.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drivers } from '../../drivers/index.ts';
import { notAllowed, taskSettingsSchema } from '../../src/agent/tasks/settings.ts';
import { VERBS } from '../../src/cli/acts/verbs/verbs.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { driverAbilityOf, EXECUTION_TASK_NAMES, taskKindOf, taskNamesOf } from '../../src/model/task.ts';
import { ABILITY_NAMES, TASK_KINDS } from '../../src/model/tasks/task-kinds.data.ts';
import { batchCreationSchema } from '../../src/wire/api/tasks.ts';

const kinds = EXECUTION_TASK_NAMES.map((name) => ({ name, ...TASK_KINDS[name] }));

test('each kind has its switch in the configuration, with its default', () => {
  const { allow } = taskSettingsSchema.parse({});
  const switched = kinds.filter(({ allow }) => allow !== null);
  expect(allow).toEqual(Object.fromEntries(switched.map(({ allow, isAllowed }) => [allow, isAllowed])));
  expect(Object.keys(allow)).toHaveLength(switched.length);
});

test('an agent that only reads carries out what reads only', () => {
  const settings = taskSettingsSchema.parse({ control: false });
  const allowed = EXECUTION_TASK_NAMES.filter((name) => notAllowed(name, settings) === undefined);
  expect(allowed).toEqual(kinds.filter(({ effect }) => effect === 'read-only').map(({ name }) => name));
});

test('the abilities of each driver have the effect of their tasks', () => {
  const effects = Object.fromEntries(kinds.flatMap(({ name, effect }) => [[driverAbilityOf(name), effect]]));
  for (const { id, abilities } of drivers)
    for (const ability of ABILITY_NAMES)
      if (abilities[ability] !== undefined)
        expect([id, ability, abilities[ability].effect]).toEqual([id, ability, effects[ability]]);
});

test('the interface takes an order for each kind: for agents where it is about none of their miners', () => {
  const forms = batchCreationSchema.options.map((form) => {
    const { properties = {} } = z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' });
    return [properties.task_name, 'agent_ids' in properties];
  });
  expect(forms).toEqual(kinds.map(({ name }) => [expect.objectContaining({ const: name }), name.startsWith('agent.')]));
});

const commands = kinds.flatMap(({ command }) => command?.split(', ') ?? []);
test.each(commands)('there is a command %s', async (command) => {
  const { stdout, stderr } = process;
  const context = { stdout, stderr, environment: {}, signal: new AbortController().signal };
  const words = command.split(' ');
  const program = await buildProgram(context, words[0]);
  const found = words.reduce<Command | undefined>(
    (parent, word) => parent?.commands.find((each) => each.name() === word),
    program,
  );
  expect(found?.description()).toMatch(/\S/);
});

test('the verbs of the command line are the commands of the tasks about miners, and each is of its task', () => {
  const verbs = VERBS.flatMap((verb) => ('task' in verb ? [`${verb.words}: ${verb.task}`] : []));
  const named = kinds
    .filter(({ name }) => name.startsWith('miner.'))
    .flatMap(({ name, command }) => (command?.split(', ') ?? []).map((words) => `${words}: ${name}`));
  expect(verbs.toSorted()).toEqual(named.toSorted());
});

test('each verb is said in sentences, has examples, and changes nothing unless its task does', () => {
  for (const verb of VERBS) {
    expect(verb.sentences.act('45 miners'), verb.words).toMatch(/^[a-z].*\b45 miners\b/);
    expect(verb.examples.length, verb.words).toBeGreaterThan(0);
    if ('task' in verb) expect(verb.sentences.isReading, verb.words).toBe(TASK_KINDS[verb.task].effect === 'read-only');
  }
});

test('a miner is given each task that its driver or its agent can carry out', () => {
  expect(taskNamesOf(ABILITY_NAMES).toSorted()).toEqual(
    EXECUTION_TASK_NAMES.filter((name) => name.startsWith('miner.')).toSorted(),
  );
  expect(taskNamesOf(['pools'])).toEqual(['miner.refresh.get', 'miner.pool.update', 'miner.pool.lock']);
  expect(driverAbilityOf('miner.pool.lock')).toBeUndefined();
  expect([taskKindOf('toString'), taskKindOf('miner.asset.update')]).toEqual([undefined, undefined]);
});
