// The API of MARA firmware (port 80): digest login in stock's realm, everything under /kaonsu/v1. Atlas section 14.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice } from '../_farm/device.ts';
import { digestServer } from '../_farm/servers/digest.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { MARA_REALM, type MaraModel } from './farm.data.ts';
import { clockOf, type MaraFacts, maraFacts } from './farm-facts.ts';
import { config, type Kept, write } from './farm-writes.ts';

const ROOT = '/kaonsu/v1/';

export function maraWebServer(device: SimDevice, model: MaraModel): SimServer {
  const kept: Kept = { hashTarget: 0, history: [] };
  return digestServer(device, MARA_REALM, (request) => page(device, model, kept, request), { namesAlgorithm: true });
}

function page(device: SimDevice, model: MaraModel, kept: Kept, request: WebRequest): WebReply {
  if (!request.path.startsWith(ROOT)) return NOT_FOUND;
  const name = request.path.slice(ROOT.length);
  if (request.method === 'POST') return write(device, kept, name, request);
  const facts = maraFacts(device, model);
  switch (name) {
    case 'overview':
      return json({
        model: model.reportedAs,
        mac: device.mac.toLowerCase(),
        version_firmware: model.firmware,
        control_board: 'CVITek',
      });
    case 'brief':
      return json({ ...brief(device, facts), ...(model.unit === 'GH' && newerBrief(device, facts)) });
    case 'hashboards':
      return json({
        ...(model.unit === 'GH' && { hashboard_num_ideal: model.boards }),
        hashboards: facts.boards.map((board) => ({
          ...hashboard(model, board),
          ...(model.unit === 'GH' && newerHashboard(model, facts, board)),
        })),
      });
    case 'details':
      return json({ hashboard_infos: facts.boards.map((board) => details(model, board)) });
    case 'fans':
      return json({
        ...(model.unit === 'GH' && { percent: Math.round(Math.max(...facts.fans) / 70) }),
        fans: facts.fans.map((rpm, index) => ({ index, current_speed: rpm })),
      });
    case 'pools':
      return json(pools(facts));
    case 'network_config':
      return json({ hostname: device.settings.hostname, protocol: 'dhcp' });
    case 'miner_config':
      return json(config(device, kept, facts));
    case 'locate_miner':
      return json({ blinking: device.settings.isLightOn });
    case 'log':
      return request.url.includes('type=miner_config_history')
        ? json(kept.history)
        : { status: 200, type: 'text/plain', body: `[${Math.floor(device.nowS())}] kaonsu: all is well\n` };
    case 'event_chart':
      return json({ event_flags: [] });
    default:
      return NOT_FOUND;
  }
}

function brief(device: SimDevice, facts: MaraFacts): object {
  return {
    status: device.settings.mode === 'sleep' ? 'Sleeping' : facts.isMining ? 'Mining' : 'Starting',
    hashrate_realtime: facts.rate,
    hashrate_average: facts.averageRate,
    hashrate_ideal: facts.idealGhs,
    power_consumption_estimated: facts.powerW,
    power_efficiency: facts.isMining ? Math.round((facts.powerW / facts.idealGhs) * 10_000) / 10 : 0,
    elapsed: facts.elapsedS,
  };
}

function newerBrief(device: SimDevice, facts: MaraFacts): object {
  return {
    hashrate_unit: 'GH/s',
    hashrate_realtime_1h: facts.averageRate,
    hashrate_realtime_1d: facts.averageRate,
    power_source: facts.isMining ? 'PSU' : 'EST',
    work_mode: device.settings.mode === 'sleep' ? 'Sleep' : 'Auto',
    indicator: facts.trouble === undefined ? 'Fully functional' : 'Degraded',
    indicator_long: facts.trouble ?? '',
  };
}

function newerHashboard(model: MaraModel, facts: MaraFacts, { isPresent }: MaraFacts['boards'][number]): object {
  const clock = clockOf(model, facts);
  return {
    present: isPresent,
    asic_num_ideal: model.chipsPerBoard,
    frequency_average: isPresent ? clock : 0,
    hashrate_ideal: isPresent ? Math.round((facts.idealGhs / model.boards) * (clock / model.frequencyMhz)) : 0,
    power_consumption_estimated: isPresent && facts.isMining ? Math.round(facts.powerW / model.boards) : 0,
    ...(!isPresent && { temperature_chip: [0], temperature_pcb: [0], temperature_raw: [0] }),
  };
}

function hashboard(model: MaraModel, board: MaraFacts['boards'][number]): object {
  if (!board.isPresent) {
    return {
      index: board.slot,
      hashrate_average: 0,
      asic_num: 0,
      serial_number: '',
      temperature_pcb: [],
      temperature_chip: [],
    };
  }
  return {
    index: board.slot,
    hashrate_average: board.rate,
    asic_num: model.chipsPerBoard,
    serial_number: board.serial,
    temperature_pcb: board.pcbC,
    temperature_chip: board.chipC,
  };
}

/** Rates in GH/s whatever the build writes elsewhere. */
function details(model: MaraModel, board: MaraFacts['boards'][number]): object {
  return {
    index: board.slot,
    hashrate_avg: model.unit === 'TH' ? Math.round(board.rate * 1_000) : board.rate,
    asic_num: board.isPresent ? model.chipsPerBoard : 0,
    serial_number: board.isPresent ? board.serial : '',
    asic_infos: [],
  };
}

function pools(facts: MaraFacts): object[] {
  return facts.pools
    .filter((pool) => pool.url !== '')
    .map((pool, index) => ({
      index,
      url: pool.url,
      user: pool.user,
      status: pool.isAlive ? 'Alive' : 'Dead',
      priority: index,
      accepted: pool.accepted,
      rejected: pool.rejected,
    }));
}
