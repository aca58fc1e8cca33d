// Acts by a service elsewhere: who gets it is the word of the service, miners are named by the selector where it lasts,
// and an agent whose service is elsewhere sends no worker that names a location nobody knows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addLocations } from '../../../../src/cli/acts/locations.ts';
import { targetsOf } from '../../../../src/cli/acts/runners/service-batch.ts';
import { askBoard } from '../../../../src/cli/connection/board-feed.ts';
import type { Selection } from '../../../../src/cli/connection/selection.ts';
import { openService } from '../../../../src/cli/connection/service-client.ts';
import { overHttp } from '../../../../src/cli/connection/transport.ts';
import { parseSelector, type Selector } from '../../../../src/model/selector/selector.ts';
import { minerRecord } from '../../service-http/records.ts';
import { call, type Rig, startOwnedRig } from '../../service-http/rig.ts';
import { ABILITIES } from '../../service-http/v2-batches.ts';
import { connect, type WireAgent } from '../../service-http/wire-agent.ts';
import { collector } from '../command-line.ts';
import { row } from '../fleet/rows.ts';
import { runOn } from '../on-service.ts';

function read(text: string): Selector {
  const parsed = parseSelector(text);
  if (parsed.kind === 'wrong') throw new Error(parsed.problems.join());
  return parsed.selector;
}

describe('how the miners of a request are named', () => {
  const rows = Array.from({ length: 3 }, (_, n) => row(n, { id: `m${n}` }));
  const two = rows.slice(1);
  const byIds = [{ miner_ids: ['m1', 'm2'] }];
  test.each([
    ['a place', 'rack:C03', [{ filter: { select: 'rack:C03' }, expect_count: 3 }]],
    ['all', 'all', [{ filter: { select: 'all' }, expect_count: 3 }]],
    ['how they are now', 'rack:C03 state:ill', byIds],
    ['a flag', 'not flag:fan', byIds],
    ['nothing', '', byIds],
  ])('by %s', (_what, select, targets) => {
    expect(targetsOf(read(select), rows, two)).toEqual(targets);
  });

  test('by their ids where they are not all that is selected, ten thousand at a time, and none for none', () => {
    expect(targetsOf(undefined, rows, two)).toEqual(byIds);
    expect(targetsOf(read('all'), rows, [])).toEqual([]);
    const many = Array.from({ length: 10_001 }, (_, n) => row(n, { id: `m${n}` }));
    expect(targetsOf(read('all'), many, many)).toMatchObject([
      { miner_ids: { length: 10_000 } },
      { miner_ids: ['m10000'] },
    ]);
  });
});

const MINERS = 1_100;
let rig: Rig;
let stop: () => Promise<void>;
let agent: WireAgent;

const summarySchema = z.looseObject({
  count: z.int(),
  left_out: z.array(z.object({ who: z.string(), reason: z.string() })),
});
const taskedSchema = z.object({ data: z.array(z.object({ task_count: z.int() })) });
const last = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

describe('by a service', () => {
  beforeAll(async () => {
    ({ rig, stop } = await startOwnedRig());
    agent = await connect(rig, { takes: ['outlook'] });
    const abilities = (n: number) => (n === 1 ? [] : ABILITIES);
    const records = Array.from({ length: MINERS }, (_, n) =>
      minerRecord(n, rig.clock.nowMs(), { abilities: abilities(n) }),
    );
    for (let from = 0; from < MINERS; from += 100) await agent.report(records.slice(from, from + 100));
    const { data } = (await rig.get(rig.farm('/miner/latest?pageSize=5'))).body;
    const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners`;
    for (const [n, { id }] of data.entries())
      await call(`${rig.url}${path}/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
        body: JSON.stringify({ rack: 'C03', position: n + 1, ...(n === 2 && { ops_status: 'retired' }) }),
      });
  });

  afterAll(() => stop());

  /** Answers the next question; by it these of its miners would be refused. */
  async function answerNext(refused: (keys: readonly string[]) => readonly string[], more: object = {}) {
    const before = agent.frames.length;
    const { question_id, miner_keys } = await agent.frame('outlook', (frame) => agent.frames.indexOf(frame) >= before);
    const left_out = [{ reason: 'the image is for another model', miner_keys: [...refused(miner_keys)] }];
    const pace = { at_once: 2, draw_w: 9_840, eta_s: 61.2, is_eta_guessed: true, left_out };
    agent.send({ type: 'outlook', question_id, ...pace, ...more });
  }

  test('a dry run says what its agents say: how many at a time, kW at full load, how long it takes', async () => {
    const answered = answerNext(() => []);
    const { code, stdout, stderr } = await runOn(rig, 'reboot', 'rack:C03', '--dry-run', '--json');
    await answered;
    expect(code, stderr).toBe(0);
    expect(last(stdout)).toMatchObject({ count: 3, at_once: 2, kw: 9.8, eta_s: 62 });
    expect(stderr).toContain('at most 2 at a time, 9.8 kW at full load, about 1m2s');
    expect(stderr).toContain('the time is what is usual');
    expect(stderr).not.toContain('drawn now');
  });

  test('whom an agent would refuse is left out of the act too, and where it refuses all nothing is sent', async () => {
    const all = answerNext((keys) => keys);
    const none = await runOn(rig, 'firmware', 'image.tar', '10.0.0.20-22', '--yes', '--detach');
    expect(none.code, none.stderr).toBe(5);
    await all;
    expect(none.stderr).toContain('3 left out: the image is for another model (10.0.0.20, 10.0.0.21, 10.0.0.22)');
    const one = answerNext((keys) => keys.slice(0, 1));
    const some = await runOn(rig, 'firmware', 'image.tar', '10.0.0.20-22', '--yes', '--detach', '--json');
    await one;
    expect(last(some.stdout), some.stderr).toMatchObject({ handed_over: 2, batch_ids: { length: 1 } });
    const { workspaceId, farmId } = rig;
    const batches = await rig.get(`/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches`);
    expect(taskedSchema.parse(batches.body).data[0]?.task_count).toBe(2);
  });

  test('where its agent does not answer a dry run says what is drawn now, and what is not known', async () => {
    const { code, stdout, stderr } = await runOn(rig, 'reboot', 'rack:C03', '--dry-run', '--json');
    expect(code, stderr).toBe(0);
    const { count, left_out, notes, eta_s, kw } = summarySchema.parse(last(stdout));
    expect(count).toBe(3);
    expect(left_out).toEqual([
      { who: '10.0.0.1', reason: expect.stringContaining('cannot do this') },
      { who: '10.0.0.2', reason: 'it is retired' },
    ]);
    expect([kw, eta_s]).toEqual([null, null]);
    expect(notes).toEqual(['9.8 kW drawn now', expect.stringContaining('their agents are not connected')]);
    expect(stderr).toContain('9.8 kW drawn now');
    const { workspaceId, farmId } = rig;
    const batches = await rig.get(`/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches`);
    const names: string[] = batches.body.data.map(({ task_name: name }: { task_name: string }) => name);
    expect(names).not.toContain('miner.system.reboot');
  });

  test('more than a thousand are one batch, with a canary, and who is left out is counted once', async () => {
    const { code, stdout, stderr } = await runOn(rig, 'reboot', 'all', '--canary', '2', '--yes', '--detach', '--json');
    expect(code, stderr).toBe(0);
    expect(last(stdout)).toMatchObject({ handed_over: MINERS - 2, batch_ids: { length: 1 } });
    const busy = await runOn(rig, 'reboot', 'rack:C03', '--dry-run', '--json');
    expect(busy).toMatchObject({ code: 5, stdout: expect.stringContaining('already pending or running') });
    expect(summarySchema.parse(last(busy.stdout)).left_out).toHaveLength(5);
  });

  test('pools that some cannot get are refused before anything is asked', async () => {
    const set = ['pools', 'set', '10.0.0.0-9', '--url', 'stratum+tcp://p.example:1', '--worker', 'f.{rack}-{position}'];
    const { code, stderr } = await runOn(rig, ...set, '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('5 of 8 miners lack what the pools need: 10.0.0.5 (no rack, no position)');
    const shown = await runOn(rig, ...set.with(2, 'rack:C03'), '--dry-run');
    expect(shown.stderr).toContain('workers such as f.C03-1 (10.0.0.0)');
  });

  describe('an agent whose service is elsewhere', () => {
    const POOLS = { pools: [{ url: 'stratum+tcp://p.example:1', user: 'f.{rack}-{position}' }] };
    /** As the agent alone knows them. */
    async function selection(select: string, more: Partial<Selection> = {}): Promise<Selection> {
      const transport = overHttp({ url: rig.url, key: rig.key });
      const service = await openService(transport, {}, new AbortController().signal);
      const { miners } = await askBoard({ agent: undefined, service }, select, { withKeys: true });
      await transport.close();
      const alone = miners.map((miner) => ({ ...miner, container: null, rack: null, position: null }));
      return { selector: undefined, miners: alone, unmatched: [], lacks: ['rack'], ...more };
    }
    const contextWith = (environment: Record<string, string>) => {
      const stderr = collector();
      const context = { stdout: collector().stream, stderr: stderr.stream, environment };
      return { ...context, signal: new AbortController().signal };
    };
    const named = () => contextWith({ PITHEAD_URL: rig.url, PITHEAD_KEY: rig.key });

    test('takes locations from the service that the environment names', async () => {
      const located = await addLocations(POOLS, await selection('10.0.0.0-1'), {}, named());
      expect(located.miners.map(({ rack, position }) => [rack, position])).toEqual([
        ['C03', 1],
        ['C03', 2],
      ]);
    });

    test.each([
      ['no service is named', {}, '10.0.0.0', 'name it with --server'],
      ['no service answers', { PITHEAD_URL: 'http://127.0.0.1:9', PITHEAD_KEY: 'k' }, '10.0.0.0', '10.0.0.0 (no rack'],
      [
        'the service knows none',
        undefined,
        '10.0.0.9',
        '{rack} and {position}\n1 of 1 miners lack what the pools need: 10.0.0.9',
      ],
    ])('refuses and names the miners where %s', async (_what, environment, select, message) => {
      const context = environment === undefined ? named() : contextWith(environment);
      await expect(addLocations(POOLS, await selection(select), {}, context)).rejects.toThrow(message);
    });

    test('refuses addresses at which no miner is known, and asks nothing where no worker needs a location', async () => {
      const unmatched = [{ text: '10.9.9.9', reason: 'no known miner has this address' }];
      const given = await selection('10.0.0.0', { unmatched });
      await expect(addLocations(POOLS, given, {}, named())).rejects.toThrow('no known miner is at 10.9.9.9');
      expect(await addLocations({ pools: [{ url: 'x', user: '{ip}' }] }, given, {}, contextWith({}))).toBe(given);
    });
  });
});
