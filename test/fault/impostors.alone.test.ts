// Devices among the miners of a farm turn on the others: they show their MACs, serial numbers and hashboards, or
// another MAC with each answer, while some of those restart. What happens to all others is nothing, and one finding
// names the devices. A whole site, real sockets.
import { expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { parseDurationMs } from '../../src/base/time/duration.ts';
import { type Site, startSite } from '../e2e/site.ts';
import { loopback } from '../support/loopback.ts';
import { neighbourAt } from '../support/neighbours.ts';
import { pause } from './agent-site.ts';
import { isFull, report } from './table.ts';

const MINERS = isFull ? 1_000 : 200;
const ATTACKERS = MINERS / 20;
/** `PITHEAD_IMPOSTORS=10m` for the whole time that is promised. */
const ATTACK_MS = parseDurationMs(process.env.PITHEAD_IMPOSTORS ?? '') ?? (isFull ? 60_000 : 20_000);
const INTERVAL_S = isFull ? 10 : 3;
const REBOOTS_EVERY_MS = 10_000;
const LITTLE = 0.01;
const MANNERS: readonly (readonly FaultName[])[] = [
  ['duplicate-mac'],
  ['duplicate-serial'],
  ['duplicate-mac', 'duplicate-serial'],
  ['duplicate-mac', 'duplicate-serial', 'duplicate-boards'],
  ['changing-mac'],
];

type Part = {
  readonly attackers: readonly Device[];
  readonly victims: readonly Device[];
  readonly others: readonly Device[];
};

function cast(devices: readonly Device[]): Part {
  const attackers = devices.filter((_, index) => index % 20 === 7);
  const victims = devices.filter((_, index) => index % 20 === 8);
  const others = devices.filter((_, index) => index % 20 !== 7 && index % 20 !== 8);
  return { attackers, victims, others };
}

const PAGE = 1_000;
async function rowsOf(site: Site) {
  const first = await site.miners();
  return first.length < PAGE ? first : [...first, ...(await site.miners('&page=2'))];
}

/** What each miner is known by: the agent's key and the service's id at its address. */
async function identities(site: Site, devices: readonly Device[]) {
  const keys = new Map([...site.stack.agent.fleet.all()].map(({ key, target }) => [target.ip, key]));
  const ids = new Map((await rowsOf(site)).map(({ ip, id }) => [ip, id]));
  return new Map(devices.map(({ ip }) => [ip, `${keys.get(ip)} ${ids.get(ip)}`]));
}

/** Readings of a stranger, and other addresses, under the key of a miner that is none. */
function watchHistories(site: Site, devices: readonly Device[]) {
  const own = new Map([...site.stack.agent.fleet.all()].map(({ key, target }) => [key, target.ip]));
  const honest = new Map(devices.map((device) => [device.ip, device.spec.hashrateHs]));
  const wrong: string[] = [];
  let looks = 0;
  const timer = setInterval(() => {
    looks++;
    for (const { key, target, reported } of site.stack.agent.fleet.all()) {
      const ip = own.get(key);
      const fullHs = honest.get(ip ?? '');
      if (fullHs === undefined) continue;
      const hashrateHs = reported?.document.hashrate ?? 0;
      const isForeign = hashrateHs > 0 && hashrateHs < 2 * LITTLE * fullHs;
      if (isForeign || target.ip !== ip) wrong.push(`${ip}: ${target.ip} ${hashrateHs}`);
    }
  }, 500);
  return {
    wrong,
    stop() {
      clearInterval(timer);
      return looks;
    },
  };
}

const NAMED_WITHIN_MS = 60_000;

/** What the agent tells of itself, once it names all of them, or after a minute. */
async function namedBy(site: Site, attackers: readonly Device[]) {
  const found = await findRunningAgent(site.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent cannot be asked: ${found.kind}`);
  try {
    for (const endMs = performance.now() + NAMED_WITHIN_MS; ; await pause(1_000)) {
      const state = await found.agent.state();
      const named = new Set(state.suspects.map(({ ip }) => ip));
      if (attackers.every(({ ip }) => named.has(ip)) || performance.now() > endMs) return state;
    }
  } finally {
    await found.agent.close();
  }
}

test('a twentieth of a farm claims to be other miners, and nothing happens to the rest', {
  timeout: ATTACK_MS + 600_000,
}, async () => {
  const unseen = new Set<string>();
  const site = await startSite(
    // Without a warm-up: a miner that has just begun would look like a stranger.
    { network: loopback(21).network, miners: MINERS, mix: 'antminer-c', seed: 9, noise: 0, bootS: 5, warmUpS: 0 },
    {
      poll: { interval: `${INTERVAL_S}s`, slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      tasks: {
        reboot: { concurrency: 200, backS: 120, hashS: 120, graceS: 30, checkEveryS: 1, dailyCap: 3 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
    (farm, ip) => (unseen.has(ip) ? undefined : neighbourAt(farm, ip)),
  );
  try {
    await site.until(
      () => rowsOf(site),
      (miners) => miners.length === MINERS,
    );
    const { attackers, victims, others } = cast(site.farm.devices);
    const honest = [...victims, ...others];
    const before = await identities(site, honest);
    const keyOf = (device: Device) => before.get(device.ip)?.split(' ')[0] ?? '';
    const watch = watchHistories(site, honest);
    const reboots: Promise<{ ip: string; status: string; message: string | null }>[] = [];
    const reboot = (device: Device) => {
      const { outcome } = site.stack.agent.tasks.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(device) });
      reboots.push(outcome.then(({ status, message }) => ({ ip: device.ip, status, message })));
    };

    // Half of the victims are away when the attack begins.
    const away = victims.filter((_, index) => index % 2 === 0);
    const calm = [...others];
    for (const device of [...away, ...calm.splice(0, ATTACKERS / 2)]) reboot(device);
    await site.until(
      () => away.filter(({ isUp, reboots: times }) => isUp && times === 0).length,
      (left) => left === 0,
    );
    for (const [index, attacker] of attackers.entries()) {
      attacker.setFault('low-hashrate', true, LITTLE);
      for (const fault of MANNERS[index % MANNERS.length] ?? [])
        attacker.setFault(fault, true, victims[index]?.ip ?? '');
      if (Math.floor(index / MANNERS.length) % 2 === 1) unseen.add(attacker.ip);
    }
    const endMs = performance.now() + ATTACK_MS;
    while (performance.now() < endMs) {
      for (const device of calm.splice(0, ATTACKERS / 5)) reboot(device);
      await pause(Math.min(REBOOTS_EVERY_MS, Math.max(0, endMs - performance.now())));
    }
    const ends = await Promise.all(reboots);
    const failed = ends.filter(({ status }) => status !== 'succeeded');
    const looks = watch.stop();

    // Who is restless shows after some polls; on a busy host they take longer.
    const state = await namedBy(site, attackers);
    const named = new Set(state.suspects.map(({ ip }) => ip));
    const missed = attackers.filter(({ ip }) => !named.has(ip)).map(({ ip }) => ip);
    const accused = honest.filter(({ ip }) => named.has(ip)).map(({ ip }) => ip);
    const findings = state.troubles.filter((text) => text.includes('claim to be other miners'));
    const after = await identities(site, honest);
    const changed = honest.filter(({ ip }) => after.get(ip) !== before.get(ip)).map(({ ip }) => ip);
    const refused = await Promise.all(
      [...attackers.slice(0, 10), ...victims.slice(0, 4)].map(async ({ ip }) => {
        const key = [...site.stack.agent.fleet.all()].find(({ target }) => target.ip === ip)?.key ?? '';
        const { status, message } = await site.stack.agent.tasks.runLocal({
          name: 'miner.system.reboot',
          minerKey: key,
          params: { force: true },
        }).outcome;
        return { ip, status, message };
      }),
    );
    const rebooted = attackers.filter(({ reboots: times }) => times > 0).length;
    const rows = (await rowsOf(site)).length;
    const obeyed = refused.filter(({ status, message }) => status !== 'failed' || !message?.startsWith('refused: '));
    expect(
      obeyed.map(({ ip, status, message }) => `${ip}: ${status}, ${message}`),
      'orders to either',
    ).toEqual([]);
    report({
      id: 'IMP',
      value: `${attackers.length} of ${MINERS} claim to be others for ${Math.round(ATTACK_MS / 1_000)} s: ${changed.length} of ${honest.length} identities changed, ${watch.wrong.length} foreign readings in ${looks} looks${watch.wrong.length === 0 ? '' : ` (${[...new Set(watch.wrong)].slice(0, 5).join('; ')})`}, ${ends.length - failed.length} of ${ends.length} reboots proven, ${rebooted} strangers rebooted; ${attackers.length - missed.length} named in ${findings.length} finding, ${accused.length} others; ${rows} rows`,
      bar: '0 changed, 0 foreign, all reboots, each stranger named once, no other',
      isMet:
        changed.length + watch.wrong.length + failed.length + rebooted + missed.length + accused.length === 0 &&
        findings.length === 1 &&
        rows <= MINERS + 3 * ATTACKERS,
    });
  } finally {
    await site.stop();
  }
});
