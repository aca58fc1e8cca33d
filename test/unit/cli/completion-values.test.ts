// What the tab key offers after an option and before the miners: words of a list, one of them or several.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS_WITH_VALUES, namesWithValues, valuesFor } from '../../../src/cli/completion-values.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { collector } from './command-line.ts';

const offered = (command: string, name: string, typed: string) =>
  valuesFor(command, name, typed)?.map(({ value }) => value);

test.each([
  ['columns', 'lo', ['location']],
  ['columns', 'location,ag', ['location,age']],
  ['columns', 'age,ag', []],
  ['columns', 'he', ['help']],
  ['columns', 'age,he', []],
  ['sort', '-te', ['-temp']],
  ['sort', 'rack,-te', ['rack,-temp']],
  ['sort', '-temp,te', []],
  ['group-by', 'c', ['container']],
  ['group-by', 'rack,c', []],
])('after miners --%s %s it offers %j', (name, typed, expected) => {
  expect(offered('miners', name, typed)).toEqual(expected);
});

test('where any text may stand it offers nothing', () => {
  expect([offered('miners', 'xlsx', ''), offered('scan', 'columns', '')]).toEqual([undefined, undefined]);
});

test('each command, option and argument that has values is there, and takes them', async () => {
  const [stdout, stderr] = [collector().stream, collector().stream];
  const context = { stdout, stderr, environment: {}, signal: new AbortController().signal };
  const program = await buildProgram(context);
  for (const path of COMMANDS_WITH_VALUES) {
    let command: Command | undefined = program;
    for (const word of path.split(' ')) command = command?.commands.find((each) => each.name() === word);
    const options = command?.options.map(({ long }) => long?.slice(2)) ?? [];
    const names = [...options, ...(command?.registeredArguments.map((argument) => argument.name()) ?? [])];
    expect(names).toEqual(expect.arrayContaining([...namesWithValues(path)]));
  }
});
