// `pithead webhook` on a database file: each command for people and as JSON; what is wrong is named by its option.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EVENT_TYPE_NAMES } from '../../../src/model/events/event-types.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { startReceiver } from '../../support/receiver.ts';
import { json, newDatabase } from './command-line.ts';

const URL = 'https://hooks.example/in';

async function withWebhook(...args: string[]) {
  const database = newDatabase();
  const made = json(await database.run('webhook', 'add', '--url', URL, ...args, '--json'));
  return { ...database, made, id: String(made.id) };
}

test('what is added shows id and secret once, and how to check with it', async () => {
  const { run } = newDatabase();
  const { stdout, code } = await run('webhook', 'add', '--url', URL, '--events', 'moved,flag_raised');
  const lines = stdout.trimEnd().split('\n');
  expect([code, lines]).toEqual([
    0,
    [
      expect.stringMatching(/^id {6}[\da-f-]{36}$/),
      expect.stringMatching(/^secret {2}whsec_\S{44}$/),
      expect.stringContaining('shown this once'),
      expect.stringContaining('HMAC-SHA256'),
    ],
  ]);
  const [item] = json(await run('webhook', 'list', '--json'));
  expect(item).toMatchObject({ name: 'hooks.example', event_types: ['moved', 'flag_raised'], farm_ids: null });
  expect(JSON.stringify(item)).not.toContain('whsec_');
});

test('webhooks are listed and shown in words', async () => {
  const { run, path, id, made } = await withWebhook('--name', 'tickets');
  const store = await openStore(path);
  const agent = { id: 'a', farmId: (await store.tenants.listFarms())[0]?.id ?? '' };
  await store.events.recordForAgent({ agent, type: 'moved', atMs: Date.now(), detail: {} });
  await store.close();
  const { stdout } = await run('webhook', 'list');
  const row = stdout.split('\n').find((line) => line.startsWith(id));
  expect(row).toMatch(/ +tickets +active +1$/);
  expect(stdout.replaceAll(/\s/g, '')).toContain('https://hooks.example/');
  expect(json(await run('webhook', 'show', id, '--json'))).toMatchObject({ id, pending_count: 1 });
  const shown = (await run('webhook', 'show', id)).stdout;
  expect(shown).toMatch(/^farms +all$/m);
  expect(shown).toMatch(/^last success +none$/m);
  expect(json(await run('webhook', 'list', '--workspace', made.workspace_id, '--json'))).toHaveLength(1);
  const other = json(await run('workspace', 'create', '--slug', 'other', '--json'));
  expect((await run('webhook', 'list', '--workspace', other.id)).stdout).toBe('none\n');
});

test('a webhook is changed, paused, resumed and removed', async () => {
  const { run, id } = await withWebhook('--events', 'moved');
  const farm = json(await run('farm', 'list', '--json'))[0].id;
  const changed = json(await run('webhook', 'change', id, '--events', 'all', '--farm', farm, '--name', 'x', '--json'));
  expect(changed).toMatchObject({ event_types: null, farm_ids: [farm], name: 'x', url: URL });
  expect((await run('webhook', 'pause', id)).stdout).toBe(`${id} is paused; 0 events wait\n`);
  expect(json(await run('webhook', 'show', id, '--json')).state).toBe('paused');
  expect(json(await run('webhook', 'resume', id, '--json')).state).toBe('active');
  expect(json(await run('webhook', 'remove', id, '--json'))).toEqual({ id, removed: true });
  const gone = await run('webhook', 'remove', id);
  expect([gone.code, gone.stderr]).toEqual([1, `no webhook has the id '${id}': \`pithead webhook list\` shows them\n`]);
});

test('a secret is rotated; both are named while both sign', async () => {
  const { run, id, made } = await withWebhook();
  const rotated = json(await run('webhook', 'rotate', id, '--overlap-hours', '2', '--json'));
  expect(rotated.secret).not.toBe(made.secret);
  expect(rotated.secrets).toHaveLength(2);
  expect((await run('webhook', 'show', id)).stdout).toMatch(/^secrets +of .+; of .+, until .+$/m);
  expect((await run('webhook', 'rotate', id)).stdout).toMatch(/^secret {2}whsec_/);
});

test('a test message says what came of it, and ends with 1 where it did not arrive', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { run, folder } = newDatabase();
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } }));
  const { id } = json(await run('webhook', 'add', '--url', receiver.url, '-c', config, '--json'));
  const good = await run('webhook', 'test', id, '-c', config);
  expect([good.code, good.stdout, good.stderr]).toEqual([
    0,
    expect.stringMatching(/^delivered: 204 after \d+ ms\n$/),
    '',
  ]);
  expect(receiver.deliveries).toMatchObject([{ body: { type: 'webhook.test', data: { webhook_id: id } } }]);
  receiver.answer = () => 500;
  const bad = await run('webhook', 'test', id, '-c', config);
  expect([bad.code, bad.stdout, bad.stderr]).toEqual([
    1,
    expect.stringMatching(/^not delivered after \d+ ms: the receiver answers 500\n$/),
    '',
  ]);
  const asJson = await run('webhook', 'test', id, '-c', config, '--json');
  expect([asJson.code, json(asJson)]).toEqual([1, expect.objectContaining({ delivered: false, status: 500 })]);
  // Without the configuration that allows the network.
  expect((await run('webhook', 'test', id)).stdout).toContain('not delivered');
  expect(receiver.deliveries).toHaveLength(3);
});

test('dead letters are none at first', async () => {
  const { run, id } = await withWebhook();
  expect((await run('webhook', 'dead', id)).stdout).toBe('none\n');
  expect(json(await run('webhook', 'dead', id, '--json'))).toEqual([]);
  expect((await run('webhook', 'resend', id)).stdout).toBe('0 dead letters are sent once more\n');
  expect((await run('webhook', 'dead', 'x')).code).toBe(1);
});

test.each([
  [['--url', 'hooks.example'], '--url: received "hooks.example", accepted: an address such as https://'],
  [['--url', 'http://hooks.example/'], '--url: received http:, accepted: https:'],
  [['--url', 'https://192.168.1.9/'], '--url: an address that is private'],
  [
    ['--url', URL, '--events', 'flag_raise'],
    `--events: received "flag_raise", accepted: ${EVENT_TYPE_NAMES.join(', ')}`,
  ],
  [['--url', URL, '--farm', 'nowhere'], "--farm: 'nowhere' is no farm of the workspace"],
  [['--url', URL, '--name', ' '], '--name: received "", accepted: 1 to 128 characters that can be seen'],
  [['--url', URL, '--workspace', 'nowhere'], "--workspace: 'nowhere' is no workspace of this service"],
])('add %j is refused by the name of its option', async (args, says) => {
  const { run } = newDatabase();
  const { code, stdout, stderr } = await run('webhook', 'add', ...args);
  expect([code, stdout, stderr]).toEqual([78, '', expect.stringContaining(says)]);
  expect(json(await run('webhook', 'list', '--json'))).toEqual([]);
});

test('a farm of another workspace, a wrong change and nothing to change are refused', async () => {
  const { run, id } = await withWebhook();
  const other = json(await run('workspace', 'create', '--slug', 'other', '--json'));
  const farm = json(await run('farm', 'create', '--name', 'N', '--workspace', other.id, '--json'));
  for (const [args, says] of [
    [['--farm', farm.id], `--farm: '${farm.id}' is no farm of the workspace`],
    [['--url', 'https://127.0.0.1/'], '--url: an address that is private'],
    [[], 'at least one of --url, --name, --events, --farm'],
  ] as const) {
    const { code, stderr } = await run('webhook', 'change', id, ...args);
    expect([code, stderr]).toEqual([78, expect.stringContaining(says)]);
  }
  expect((await run('webhook', 'rotate', id, '--overlap-hours', '169')).code).toBe(78);
});

test('the networks of the configuration count', async () => {
  const { run, folder } = newDatabase();
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ webhooks: { allowedNetworks: ['192.168.0.0/16'] } }));
  const made = await run('webhook', 'add', '--url', 'http://192.168.1.9/', '-c', config, '--json');
  expect(json(made).url).toBe('http://192.168.1.9/');
  expect((await run('webhook', 'add', '--url', 'https://10.0.0.1/', '-c', config)).code).toBe(78);
  writeFileSync(config, JSON.stringify({ webhooks: { allowedNetworks: ['everywhere'] } }));
  expect((await run('webhook', 'list', '-c', config)).stderr).toContain('pithead config check says where');
});
