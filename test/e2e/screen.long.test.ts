// What a technician sees: commands on a real pseudo-terminal, narrow and wide, without colours, and into a pipe.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import measure from 'fast-string-truncated-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseIpv4 } from '../../src/base/net/ipv4.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, USUAL_STATE } from './process.ts';
import { runOnTerminal, type Screen } from './terminal.ts';
import { vouchFor } from './vouch.ts';

const { network: NETWORK } = loopback(26);
let farm: Farm;
let folder: string;
let portMap: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-screen-'));
  const map = await suitablePortMap();
  portMap = Object.entries(map).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  farm = await startFarm({
    ...{ network: NETWORK, miners: 30, mix: 'all', odd: 1, noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 3 },
    portMap: map,
  });
  vouchFor(USUAL_STATE, farm);
});
afterAll(async () => {
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ACCOUNT = /^64 addresses in .*: .*identified.*excluded$/;
/** A line of the account that the terminal had to wrap is put together again. */
const wholeText = ({ lines }: Screen) => lines.join('').replaceAll(/\s+/g, ' ');
const firstWords = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [word = ''] = line.split(' ', 1);
    return parseIpv4(word) === undefined ? [] : [word];
  });
const byAddress = (a: string, b: string) => (parseIpv4(a) ?? 0) - (parseIpv4(b) ?? 0);

describe.each([80, 140])('a scan on a terminal of %i columns', (columns) => {
  let screen: Screen;
  beforeAll(async () => {
    screen = await runOnTerminal(['scan', NETWORK, ...portMap], { columns });
  });

  test('shows every miner once, sorted by address', () => {
    const shown = firstWords(screen.lines);
    expect(shown).toEqual([...farm.devices, ...farm.odd].map(({ ip }) => ip).toSorted(byAddress));
    expect(screen.code).toBe(0);
  });

  test('ends with the account of every address', () => {
    const account = screen.lines.slice(screen.lines.findLastIndex((line) => line.startsWith('64 addresses')));
    expect(account.join(' ')).toMatch(ACCOUNT);
  });

  test('shows MAC, serial number, rate, power and temperature of each, whole', () => {
    const text = wholeText(screen);
    for (const device of farm.devices) {
      const { mac, serial_number } = device.truth();
      if (mac !== '') expect(text, device.driver).toContain(mac);
      if (serial_number !== null && serial_number.length < 20) expect(text, device.driver).toContain(serial_number);
    }
    for (const title of ['HASHRATE', 'POWER', 'TEMP', 'MAC', 'SERIAL', 'FIRMWARE']) expect(text).toContain(title);
    expect(text).toMatch(/TH\/s/);
    expect(text).not.toContain('…');
  });

  test('leaves line wrap and the cursor as it found them, and no bar behind', () => {
    expect(screen.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.raw.lastIndexOf('\u001b[?25l'));
    expect(screen.raw).not.toContain('\u001b[?7l');
    expect(screen.lines.join('\n')).not.toMatch(/[█░]/);
  });
});

test('with NO_COLOR no colour is on the screen', async () => {
  const options = { columns: 80, environment: { NO_COLOR: '1' } };
  const { raw, lines } = await runOnTerminal(['scan', NETWORK, ...portMap], options);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is
  expect(raw.match(/\u001b\[[\d;]*m/g)?.filter((code) => code !== '\u001b[0m') ?? []).toEqual([]);
  expect(lines.join('\n')).toContain('64 addresses');
});

test('into a pipe a miner is one line, whole and sorted, and the account is the last line', async () => {
  const { code, stdout } = await runPithead(['scan', NETWORK, ...portMap]);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(firstWords(lines)).toEqual([...farm.devices, ...farm.odd].map(({ ip }) => ip).toSorted(byAddress));
  expect(lines.at(-1)).toMatch(ACCOUNT);
  for (const device of farm.devices) {
    const line = lines.find((each) => each.startsWith(`${device.ip} `));
    const { serial_number, mac, firmware_version } = device.truth();
    for (const text of [serial_number, mac, firmware_version]) expect(line).toContain(text ?? '');
  }
  expect(stdout).not.toContain('…');
});

test('as CSV the lines are miners and nothing else; the account is on stderr', async () => {
  const { stdout, stderr } = await runPithead(['scan', NETWORK, '--csv', ...portMap]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1 + farm.devices.length + farm.odd.length);
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(ACCOUNT);
});

test.each([80, 140])('the tables of one miner are not wider than %i columns', async (columns) => {
  const device = farm.devices.find(({ driver }) => driver === 'antminer-stock');
  const { code, lines, raw } = await runOnTerminal(['miner', device?.ip ?? '', ...portMap], { columns });
  expect(code).toBe(0);
  // Where a line had to be wrapped by the terminal, the program printed one that is wider.
  const printed = stripped(raw).split(/\r?\n/);
  expect(printed.filter((line) => measure(line).width > columns)).toEqual([]);
  expect(lines.join('\n')).toContain('serial number');
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys and does not show
const stripped = (raw: string) => raw.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '');

describe('reboot of more than one', () => {
  const two = () => farm.devices.filter(({ driver }) => driver === 'antminer-stock').slice(0, 2);
  const args = () => ['reboot', ...two().map(({ ip }) => ip), '--config', quickConfig(), ...portMap];

  /** Windows that suit devices which boot in two seconds. */
  function quickConfig(): string {
    const path = join(folder, 'quick.yaml');
    const reboot = { backS: 90, hashS: 180, graceS: 10, checkEveryS: 0.3 };
    writeFileSync(path, JSON.stringify({ poll: { deadline: '3s' }, tasks: { reboot } }));
    return path;
  }

  test('asks with the number and the models, and sends nothing after a no', async () => {
    const before = two().map(({ reboots }) => reboots);
    const { code, lines } = await runOnTerminal(args(), { columns: 100, answers: [['Reboot 2 miners?', 'n']] });
    expect(code).toBe(1);
    expect(lines.join('\n')).toMatch(/2 miners: .*Antminer/);
    expect(lines.at(-1)).toBe('nothing was sent');
    expect(two().map(({ reboots }) => reboots)).toEqual(before);
  });

  test('without a terminal it wants --yes, and --dry-run shows who is meant', async () => {
    const refused = await runPithead(args());
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('to reboot 2 miners without a question add --yes');
    const shown = await runPithead([...args(), '--dry-run', '--json']);
    expect(shown.code).toBe(0);
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(2 + 1);
  });

  test('after a yes every line is whole, and the last one counts', async () => {
    const { code, lines } = await runOnTerminal(args(), { columns: 80, answers: [['Reboot 2 miners?', 'y']] });
    expect(lines.at(-1)).toBe('2 proven');
    expect(code).toBe(0);
    const ended = lines.filter((line) => /^[\d.]+ +proven/.test(line));
    expect(firstWords(ended).toSorted(byAddress)).toEqual(
      two()
        .map(({ ip }) => ip)
        .toSorted(byAddress),
    );
    expect(lines.join('\n')).not.toMatch(/[█░]/);
  });
});

test('an unknown command names the nearest, and no page of help', async () => {
  const { code, stderr } = await runPithead(['scna']);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean scan?');
  expect(stderr.trimEnd().split('\n').length).toBeLessThan(5);
});

test('the tab key completes commands and options', async () => {
  const [commands, options] = await Promise.all([
    runPithead(['complete', '--', 'reb']),
    runPithead(['complete', '--', 'scan', '--j']),
  ]);
  expect(commands.stdout).toMatch(/^reboot\t/m);
  expect(options.stdout).toMatch(/^--json\t/m);
  expect((await runPithead(['completion', 'bash'])).stdout).toContain('complete');
});
