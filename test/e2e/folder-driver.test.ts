// A device that the program does not know, and a driver file of thirty lines without imports: found, polled and
// restarted by a real agent, shown by its service, taken over by a reload and gone without a trace.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { type Site, startSite } from './site.ts';

const DRIVER = `export const kitVersion = 1;
export default (kit) =>
  kit.defineDriver({
    id: 'toyminer',
    make: 'Toy',
    families: [{ id: 'toyminer', tcp: [{ words: ['TOYMINER'] }] }],
    covers: [{ models: 'Toy T1', firmware: '1.x', evidence: 'claimed' }],
    asks: { summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' } },
    abilities: { reboot: kit.reboot([0, 10], (link) => kit.command(link, 'restart', kit.tcp('restart'))) },
    quirks: { warmUpS: 1 },
    read({ summary }) {
      const row = summary.row('SUMMARY');
      return {
        model: 'T1', mac: '02:00:00:00:70:01',
        uptimeS: row.seconds('Elapsed'), hashrateHs: row.rateHs('MHS av', 'M'),
      };
    },
  });
`;

/** One that answers as CGMiner does and names itself. */
class ToyDevice {
  readonly asked: string[] = [];
  rateMhs = 95_000_000;
  #sinceMs = Date.now() - 1_000_000;
  readonly #server: Server;

  constructor(ip: string, port: number) {
    this.#server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (chunk) => {
        const [command = ''] = /"command":"?(\w+)|^\w+/.exec(String(chunk))?.slice(1) ?? [];
        this.asked.push(command);
        socket.end(`${JSON.stringify(this.#answer(command))}\0`);
      });
    }).listen(port, ip);
  }

  #answer(command: string): object {
    const ok = { STATUS: [{ STATUS: 'S', Msg: 'ok' }] };
    if (command === 'version') return { ...ok, VERSION: [{ ToyMiner: '1.0', API: '3.7', Type: 'ToyMiner T1' }] };
    if (command === 'restart') this.#sinceMs = Date.now();
    if (command === 'restart') return ok;
    if (command !== 'summary') return { STATUS: [{ STATUS: 'E', Msg: 'Invalid command' }] };
    return { ...ok, SUMMARY: [{ 'MHS av': this.rateMhs, Elapsed: Math.round((Date.now() - this.#sinceMs) / 1_000) }] };
  }

  close = () => void this.#server.close();
}

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(): Promise<{ site: Site; toy: ToyDevice; ip: string; folder: string }> {
  const place = loopback();
  const site = await startSite({ miners: 1, mix: 'avalon=1', network: place.network }, { driversDir: 'drivers' });
  stops.push(() => site.stop());
  const folder = join(site.stateDir, 'drivers');
  mkdirSync(folder, { mode: 0o755 });
  const ip = place.ip(200);
  const toy = new ToyDevice(ip, site.config.portMap.get(4_028) ?? 4_028);
  stops.push(toy.close);
  return { site, toy, ip, folder };
}

test('a driver of the folder reads a device, restarts it, changes, breaks, and goes', async () => {
  const { site, toy, ip, folder } = await start();
  const agent = () => site.stack.agent;
  let { config } = site;
  const put = (text: string) => {
    writeFileSync(join(folder, 'toyminer.mjs'), text, { mode: 0o644 });
    return agent().reload(config);
  };
  const known = () => [...agent().fleet.all()].find(({ target }) => target.ip === ip);
  const polledBy = (id: string) =>
    expect.poll(() => known()?.reading !== undefined && known()?.target.driver.id, { timeout: 60_000 }).toBe(id);

  put(DRIVER);
  await polledBy('toyminer');
  expect(known()?.reading).toMatchObject({ make: 'Toy', model: 'T1', hashrateHs: 95e12 });
  await expect
    .poll(() => site.miners(`&ip_ranges=${ip}`), { timeout: 30_000 })
    .toMatchObject([{ model: 'T1', hashrate: 95e12 }]);
  expect(known()?.reported?.extras).toMatchObject({ firmware: 'toyminer', driver_origin: 'folder' });

  const reboot = () =>
    agent().tasks.runLocal({ name: 'miner.system.reboot', minerKey: known()?.key ?? '', params: {} }).outcome;
  expect(await reboot()).toMatchObject({
    ...{ status: 'failed', message: expect.stringContaining('drivers.toyminer.allow: [reboot]') },
  });
  expect(toy.asked).not.toContain('restart');
  config = { ...config, drivers: { toyminer: { replace: false, allow: ['reboot'] } } };
  put(`${DRIVER}// It may restart now.\n`);
  await expect.poll(() => known()?.target.driver.withheld, { timeout: 30_000 }).toEqual([]);
  await polledBy('toyminer');
  expect(await reboot()).toMatchObject({ status: 'succeeded' });
  expect(toy.asked.filter((command) => command === 'restart')).toHaveLength(1);

  put(DRIVER.replace("model: 'T1'", "model: 'T1', hostname: 'renamed'"));
  await expect.poll(() => known()?.reading?.hostname, { timeout: 30_000 }).toBe('renamed');

  put(DRIVER.replace('read({ summary }) {', 'read({ summary }) {\n for (;;) {}'));
  const others = [...agent().fleet.all()].find(({ target }) => target.ip !== ip);
  await expect
    .poll(() => known()?.target.driver.waitsFor?.(), { timeout: 30_000 })
    .toContain('did not answer within 200 ms');
  const { readAt } = others ?? {};
  await expect.poll(() => others?.readAt !== readAt, { timeout: 30_000 }).toBe(true);
  expect(known()?.target.driver.id).toBe('toyminer');

  put(DRIVER);
  await expect.poll(() => known()?.target.driver.waitsFor?.(), { timeout: 30_000 }).toBeUndefined();
  await polledBy('toyminer');
  rmSync(join(folder, 'toyminer.mjs'));
  agent().reload(config);
  await polledBy('cgminer');
  expect(known()?.reported?.extras).not.toHaveProperty('driver_origin');
});
