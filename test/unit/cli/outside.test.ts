// The print of the outside leaves nothing out: a change that nobody meant must show in it.
import { expect, test } from 'vitest';
import { describeOutside, type Section } from '../../outside/outside.ts';
import { DOCUMENTED_ROUTES } from '../../support/documented-routes.ts';

const sections = await describeOutside();
const textOf = (title: string) => sections.find((section) => section.title === title)?.text ?? '';
const isCommand = ({ title }: Section) => /^pithead( |$)/.test(title);

test('every command that a help names has its own help below it', () => {
  const named = sections.filter(isCommand).flatMap(({ title, text }) => {
    const [, commands = ''] = text.split('\nCommands:\n');
    return [...(commands.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
      ([, name]) => `${title} ${name}`,
    );
  });
  const titles = new Set(sections.map(({ title }) => title));
  expect(named.filter((title) => !title.endsWith(' help') && !titles.has(title))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

test('each help says how the command is called', () => {
  for (const { title, text } of sections.filter(isCommand)) expect(text, title).toMatch(/^Usage: pithead/);
});

test.each(['stateDir', 'networks', 'poll', 'slowEvery', 'maxPerSecond', 'enrolmentCode', 'powerGate', 'warmUp'])(
  'the setting %s is in the print of the configuration file',
  (key) => expect(textOf('configuration file')).toContain(`"${key}"`),
);

test('the OpenAPI document has every route', () => {
  const document: unknown = JSON.parse(textOf('OpenAPI'));
  const paths = DOCUMENTED_ROUTES.map(([route]) => (route.split(' ')[1] ?? '').replaceAll(/:(\w+)/g, '{$1}'));
  expect(document).toMatchObject({ paths: Object.fromEntries(paths.map((path) => [path, expect.anything()])) });
});

test('metrics are named with type and help, without a value', () => {
  const lines = textOf('metrics').split('\n');
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line).toMatch(/^# (HELP|TYPE) (pithead|process)_/);
});

test('two prints of the same program are the same', async () => {
  expect(await describeOutside()).toEqual(sections);
});
