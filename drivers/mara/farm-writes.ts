// What MARA firmware can be told, and the configuration that it keeps: the whole of it or nothing, with a history of
// what was changed. Atlas section 14.
import { bodyOf, json, NOT_FOUND, reboot } from '../_farm/bitmain/pages.ts';
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { type MaraFacts, workingOf } from './farm-facts.ts';

/** What one device keeps beside its settings. */
export type Kept = { hashTarget: number; readonly history: object[] };

const HISTORY = 64;

function selectorOf(device: SimDevice): string {
  if (device.settings.mode === 'sleep') return 'Sleep';
  const working = workingOf(device);
  return working === 'Stock' || working === 'Fixed' ? working : 'Auto';
}

export function config(device: SimDevice, kept: Kept, facts: MaraFacts): object {
  return {
    mode: {
      'work-mode-selector': selectorOf(device),
      concorde: {
        'mode-select': workingOf(device) === 'Hashrate' ? 'Hashrate' : 'PowerTarget',
        'power-target': device.settings.powerLimitW,
        'hash-target': kept.hashTarget,
      },
    },
    pools: facts.pools.filter((pool) => pool.url !== '').map(({ url, user, pass }) => ({ url, user, pass, gid: 0 })),
    'pool-group': [{ gid: 0, alias: 'main', percent: 100 }],
    advance: { 'override-fans': false },
  };
}

const wrong: WebReply = { status: 400, type: 'application/json', body: '{"error":true,"msg":"bad request"}' };
const done = () => json({ error: false, msg: 'success' });

export function write(device: SimDevice, kept: Kept, name: string, request: WebRequest): WebReply {
  // It says no with status 200.
  if (device.faults.has('write-api-off')) return json({ error: true, msg: 'not allowed' });
  const body = bodyOf(request);
  if (!body) return wrong;
  const isDeaf = device.faults.has('ignores-writes');
  switch (name) {
    case 'locate_miner':
      if (typeof body.blinking !== 'boolean') return wrong;
      if (!isDeaf) device.settings.isLightOn = body.blinking;
      return done();
    case 'maintenance':
      return body.type === 'reboot' ? reboot(device) : wrong;
    case 'miner_config':
      return setConfig(device, kept, body, isDeaf);
    default:
      return NOT_FOUND;
  }
}

/**
 * The whole object or nothing. What belongs to no group is refused with status 200. The answer comes when the process
 * is up again.
 */
function setConfig(device: SimDevice, kept: Kept, body: Readonly<Record<string, unknown>>, isDeaf: boolean): WebReply {
  const mode = isRecord(body.mode) ? body.mode : {};
  const selector = mode['work-mode-selector'];
  const concorde = isRecord(mode.concorde) ? mode.concorde : undefined;
  const groups = Array.isArray(body['pool-group']) ? body['pool-group'].filter(isRecord) : undefined;
  if (!Array.isArray(body.pools) || !groups || !('advance' in body) || !concorde) return wrong;
  if (selector !== 'Sleep' && selector !== 'Stock' && selector !== 'Fixed' && selector !== 'Auto') return wrong;
  const pools = body.pools.filter(isRecord);
  const isGrouped = pools.every(({ gid }) => groups.some((group) => group.gid === gid));
  const percent = groups.reduce((sum, group) => sum + Number(group.percent), 0);
  if (!isGrouped || percent !== 100) return json({ error: true, msg: 'invalid pool group' });
  if (isDeaf) return done();

  const before = selectorOf(device);
  if (selector !== before) {
    const change = { type: 'update', path: ['Mode', 'WorkModeSelector'], from: before, to: selector };
    kept.history.push({ [String(Math.floor(device.nowS()))]: [change] });
    if (kept.history.length > HISTORY) kept.history.shift();
  }
  device.settings.pools = pools.map(
    ({ url, user, pass }): PoolSetting => ({ url: String(url), user: String(user), pass: String(pass) }),
  );
  device.settings.powerLimitW = Number(concorde['power-target']);
  kept.hashTarget = Number(concorde['hash-target']);
  // Asleep it keeps what it is tuned to.
  if (selector !== 'Sleep') device.settings.preset = selector === 'Auto' ? String(concorde['mode-select']) : selector;
  device.setMode(selector === 'Sleep' ? 'sleep' : 'normal');
  return { ...done(), delayMs: device.restartSlowly() };
}
