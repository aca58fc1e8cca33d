// The words that call a command load that command, the same as where all are loaded.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';

const { stdout, stderr } = process;
const build = (word?: string) =>
  buildProgram({ stdout, stderr, environment: {}, signal: new AbortController().signal }, word);
const wordsOf = (command: Command) => [command.name(), ...command.aliases()];

// What completes or explains words has to know all of them.
test('each word that the help names calls its command, and loads few beside it', async () => {
  const all = (await build()).commands;
  expect(all.length).toBeGreaterThan(25);
  for (const command of all) {
    for (const word of wordsOf(command)) {
      const called = (await build(word)).commands;
      const same = called.find((each) => wordsOf(each).includes(word));
      expect(same?.helpInformation(), word).toBe(command.helpInformation());
      if (!/^(complet|help)/.test(word)) expect(called.length, word).toBeLessThan(3);
    }
  }
});

test.each([undefined, 'help', '--help', 'reboot-all'])('all are there where no command is called: %s', async (word) => {
  expect((await build(word)).commands.map((command) => command.name())).toEqual(
    expect.arrayContaining(['scan', 'agent', 'service', 'demo']),
  );
});
