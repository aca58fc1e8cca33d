// Command line and API can do the same: each operation of the API has a command or a reason why not, each command says
// which operations it uses, and those that are run here use what they say and nothing else.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { type LocationFarm, startLocationFarm } from '../service-http/location-farm.ts';
import { collector } from './command-line.ts';
import { runOn } from './on-service.ts';
import { COMMANDS, WITHOUT_COMMAND } from './parity.data.ts';

let farm: LocationFarm;
let front: Awaited<ReturnType<typeof startFront>>;
let folder: string;
/** Of v2, by id, as a pattern of method and path. */
const operations = new Map<string, RegExp>();
let commands: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-parity-'));
  farm = await startLocationFarm(4);
  front = await startFront(Number(new URL(farm.rig.url).port));
  const { body } = await farm.rig.get('/openapi.json');
  for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(body.paths))
    for (const [method, { operationId }] of Object.entries(methods))
      if (path.startsWith('/public-api/v2/'))
        operations.set(operationId, new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  const context = { stdout: collector().stream, stderr: collector().stream, environment: {} };
  commands = namesOf((await buildProgram({ ...context, signal: new AbortController().signal })).commands);
});
afterAll(async () => {
  front.stop();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Of all that do something, those below others too. */
const namesOf = (some: readonly Command[], before = ''): string[] =>
  some.flatMap((command) => {
    const name = `${before}${command.name()}`;
    return [...(Reflect.get(command, '_actionHandler') ? [name] : []), ...namesOf(command.commands, `${name} `)];
  });

/** Passes on to the service, and notes what it is asked. */
async function startFront(port: number) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).pipe(to);
    }
    socket.on('data', (bytes) => {
      for (const [, request = ''] of bytes.toString('latin1').matchAll(/^([A-Z]+ \/\S*) HTTP\/1\.1\r$/gm))
        asked.push(request.split('?', 1)[0] ?? '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    asked,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Undefined = there is no row. */
function usesOf(command: string): readonly string[] | undefined {
  const row = COMMANDS[command];
  if (row === undefined) return undefined;
  return 'uses' in row ? row.uses : 'same' in row ? row.same : [];
}

test('each command has a row, and each row a command', () => {
  expect(Object.keys(COMMANDS).toSorted()).toEqual([...commands].toSorted());
});

test('each operation of the API has a command, or a reason why a person needs none, and not both', () => {
  const used = new Set(commands.flatMap((command) => usesOf(command) ?? []));
  const excused = Object.keys(WITHOUT_COMMAND);
  expect(operations.size).toBeGreaterThan(40);
  expect([...used, ...excused].toSorted()).toEqual([...operations.keys()].toSorted());
});

test('what an operation is excused with names no command that there is not', () => {
  for (const reason of Object.values(WITHOUT_COMMAND)) {
    expect(reason.length).toBeGreaterThan(12);
    for (const [, name = ''] of reason.matchAll(/\b(miners?|changes|tasks|scan|pools sets)\b (?:show|select|--|get)/g))
      expect(commands).toContain(name);
  }
});

/** Of an act that is handed over: it is not followed, and nobody presses Ctrl-C. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  reboot: ['getTaskBatchV2', 'listTasksV2', 'cancelTaskBatchV2'],
  /** Without a batch. */
  tasks: ['searchBoardV2', 'listTasksV2'],
};
/** In this order. */
const RUNS: readonly (readonly [command: string, words: string])[] = [
  ['miners', 'model:s19'],
  ['miner', '10.0.0.1'],
  ['changes', ''],
  ['note', '10.0.0.1 fan'],
  ['container add', '1'],
  ['container list', ''],
  ['rack set', 'C03 --container 1 --rows 2 --columns 2'],
  ['rack list', ''],
  ['rack show', 'C03'],
  ['position set', '10.0.0.1 C03/1'],
  ['position list', ''],
  ['position export', ''],
  ['position import', '{file}'],
  ['position undo', '--yes'],
  ['position clear', '10.0.0.1 10.0.0.2'],
  ['rack remove', 'C03'],
  ['container remove', '1'],
  ['pools show', '10.0.0.1'],
  ['pools save', 'summer --url stratum+tcp://p.example:1 --worker {worker}'],
  ['pools sets', ''],
  ['pools forget', 'summer'],
  ['maintenance on', '10.0.0.1'],
  ['maintenance off', '10.0.0.1'],
  ['reboot', 'all --yes --detach'],
  ['tasks', '--open'],
  ['abort', '--yes'],
];

describe('what is run uses the operations of its row', () => {
  test.each(RUNS)('%s %s', async (command, words) => {
    const file = join(folder, 'racks.csv');
    writeFileSync(file, 'ip;rack;position\n10.0.0.2;C03;2\n');
    front.asked.length = 0;
    const given = words.split(' ').filter((word) => word !== '');
    const args = [...command.split(' '), ...given.map((word) => (word === '{file}' ? file : word))];
    const { code, stderr } = await runOn({ url: front.url, key: farm.rig.key }, ...args);
    expect(code, stderr).toBe(0);
    const used = front.asked.map(
      (request) => [...operations].find(([, pattern]) => pattern.test(request))?.[0] ?? request,
    );
    const expected = (usesOf(command) ?? []).filter((operation) => !UNUSED[command]?.includes(operation));
    expect([...new Set(used)].toSorted()).toEqual(expected.toSorted());
  });
});
