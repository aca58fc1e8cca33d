// The scripts of `pithead completion` in the shells that this machine has, and what the tab key offers. A shell that is
// not here is skipped; of PowerShell the text is checked, unless it is here.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAIN, runPithead } from './process.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-completion-'));
  writeFileSync(join(folder, 'pithead'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { code, stdout } = await runPithead(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(folder, `script.${shell === 'powershell' ? 'ps1' : shell}`), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function has(shell: string): boolean {
  try {
    return execFileSync(shell, ['--version']).length > 0;
  } catch {
    return false;
  }
}

const run = (shell: string, ...args: string[]): string =>
  execFileSync(shell, args, {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, PATH: `${folder}:${process.env.PATH}` },
  });

test.each([
  [['miners', 'flag:ha'], ['flag:hashboard']],
  [['light', 'on', 'state:ma'], ['state:maintenance']],
  [['miners', '--columns', 'location,ag'], ['location,age']],
  [['miners', '--columns=lo'], ['location']],
  [['miners', '--sort', '-te'], ['-temp']],
  [['miners', '--group-by', 'con'], ['container']],
  [['power', 'lo'], ['low']],
  [['rack', 'set', 'C03', '--first', 'top-l'], ['top-left']],
])('after %j the program offers %j', async (words, expected) => {
  const { stdout } = await runPithead(['complete', '--', ...words]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe(':4');
  expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(expected);
});

describe.each(['bash', 'zsh'])('%s', (shell) => {
  test.skipIf(!has(shell))('reads the script', () => {
    expect(() => run(shell, '-n', `script.${shell}`)).not.toThrow();
  });
});

describe.skipIf(!has('fish'))('fish', () => {
  test.each([
    ['pithead miners flag:ha', ['flag:hashboard']],
    ['pithead light on state:ma', ['state:maintenance']],
    ['pithead miners --columns location,ag', ['location,age']],
    ['pithead miners --columns=lo', ['--columns=location']],
    ['pithead miners --sort -te', ['-temp']],
    ['pithead pools un', ['unlock']],
  ])('after %s it offers %j', (line, expected) => {
    const offered = run('fish', '-c', `source script.fish; complete -C '${line}'`);
    const values = offered.split('\n').filter((each) => each !== '');
    expect(values.map((each) => each.split('\t')[0])).toEqual(expected);
  });
});

describe('PowerShell', () => {
  test.skipIf(!has('pwsh'))('reads the script', () => {
    const check =
      '$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile($args[0], [ref]$null, [ref]$e)';
    expect(run('pwsh', '-NoProfile', '-Command', `${check.replace('$args[0]', "'script.ps1'")}; $e.Count`).trim()).toBe(
      '0',
    );
  });

  test('the script calls the program and hands over what it answers, with all of its brackets closed', async () => {
    const { stdout } = await runPithead(['completion', 'powershell']);
    expect(stdout).toMatch(/Register-ArgumentCompleter\s+-CommandName\s+'?pithead'?\s+-ScriptBlock/);
    expect(stdout).toContain("& pithead complete '--' ");
    expect(stdout).toContain('CompletionResult');
    // Texts, one escaped letter and comments are no code.
    const code = stdout
      .replaceAll(/`./gs, '')
      .replaceAll(/'[^'\n]*'|"[^"\n]*"/g, '')
      .replaceAll(/#.*/g, '');
    const open: string[] = [];
    for (const [bracket] of code.matchAll(/[{}()[\]]/g))
      if ('{(['.includes(bracket)) open.push(bracket);
      else expect(`${open.pop()}${bracket}`).toMatch(/^(\{\}|\(\)|\[\])$/);
    expect(open).toEqual([]);
  });
});
