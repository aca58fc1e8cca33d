// Planted secrets: a password of miners, the enrolment code, keys and tokens are in nothing that is written, answered or shown, at the finest
// log level; and an agent that was revoked is out at once.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadCredentials } from '../../src/agent/credentials.ts';
import type { Log } from '../../src/base/log.ts';
import { until } from '../e2e/until.ts';
import { pause, startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

const CANARY = 'canary-of-a-miner-9f31';

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

test.runIf(isFull)(
  'no secret is seen anywhere, and an agent whose token is revoked is out within a minute',
  async () => {
    const lines: string[] = [];
    const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const site = await startAgentSite({ network: '127.64.0.0/26', miners: 40, mix: 'all' }, { log });
    onTestFinished(() => site.stop());
    writeFileSync(join(site.folder, 'secrets.yaml'), `all: ${CANARY}\n`, { mode: 0o600 });
    site.configure({
      log: { level: 'debug' },
      credentials: {
        secretsFile: 'secrets.yaml',
        keyFile: 'keys/pithead.key',
        logins: [{ user: 'root', password: 'secret:all' }],
      },
    });
    const troubled = ['garbage', 'truncated', 'wrong-password', 'hangs'] as const;
    for (const [i, fault] of troubled.entries()) site.farm.devices[i * 3]?.setFault(fault, true);
    const agent = site.startAgent();
    await until(
      () => site.miners(),
      (miners) => miners.length >= 30,
      60_000,
    );
    await pause(5_000);
    const cmdline = readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8');
    const answers = [
      await site.get('/miner/latest?pageSize=1000'),
      await site.get('/agents'),
      await site.get('/tasks/batches'),
    ];

    const [row] = site.stored('SELECT id FROM agents');
    const revokedMs = performance.now();
    expect(await site.service.admin.revokeAgent(String(row?.id))).toBe(true);
    await agent.untilPrinted('stdout', /"phase":"refused"|revoked/, 65_000);
    const outMs = performance.now() - revokedMs;
    agent.kill('SIGTERM');
    await agent.end();

    const config = JSON.parse(readFileSync(join(site.folder, 'pithead.yaml'), 'utf8'));
    const state = join(site.folder, 'state');
    const keyFile = join(site.folder, 'keys', 'pithead.key');
    const token = loadCredentials(state, config.service.url, keyFile)?.token.reveal() ?? '';
    expect(token.length).toBeGreaterThan(10);
    const secrets = [CANARY, token, site.key, config.service.enrolmentCode, readFileSync(keyFile, 'utf8').trim()];
    const places: [string, string][] = [
      ['stdout', agent.stdout()],
      ['stderr', agent.stderr()],
      ['log of the service', lines.join('\n')],
      ['command line', cmdline],
      ...answers.map((text, i): [string, string] => [`answer ${i}`, text]),
    ];
    const readable: string[] = [];
    for (const path of filesBelow(site.folder)) {
      const name = path.slice(site.folder.length + 1);
      if (path.includes('/state/') && (statSync(path).mode & 0o077) !== 0) readable.push(name);
      if (['secrets.yaml', 'pithead.yaml', 'keys/pithead.key'].includes(name)) continue;
      places.push([name, readFileSync(path, 'latin1')]);
    }
    const sightings = places.flatMap(([place, text]) =>
      secrets.flatMap((secret, i) => (secret !== '' && text.includes(secret) ? [`secret ${i} in ${place}`] : [])),
    );
    report({
      id: 'S8',
      value: `${secrets.length} secrets, ${places.length} places (${agent.stdout().length} characters of log): ${sightings.length} sightings ${sightings.join('; ')}; ${readable.length} files that others can read ${readable.join()}`,
      bar: '0 sightings, files 0600, key apart from data',
      isMet: sightings.length + readable.length === 0 && agent.stdout().includes('"level":20'),
    });
    report({
      id: 'S9',
      value: `revoked: out after ${(outMs / 1_000).toFixed(1)} s`,
      bar: 'live session closed <= 60 s',
      isMet: outMs <= 60_000,
    });
  },
);
