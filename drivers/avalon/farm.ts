// Avalons, A series and home models, as variants of the farm: TCP 4028 with one client at a time, control by `ascset`,
// and a small web page. Atlas section 5.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { type Command, classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { AVALON_MODELS, type AvalonModel, RARE_AVALONS } from './farm.data.ts';
import { type AvalonFacts, avalonDna, avalonFacts, avalonTruth } from './farm-facts.ts';
import { OLD_AVALON_VARIANTS } from './farm-old.ts';
import { chipText, estatsText, litestatsText } from './farm-text.ts';
import { ascset, setPool } from './farm-writes.ts';

const DESCRIPTION = 'cgminer 4.11.1';

const variant = (family: string, model: AvalonModel): Variant => ({
  family,
  driver: 'avalon',
  spec: model,
  // For pools only.
  login: model.isHome ? { user: 'admin', password: 'admin' } : { user: 'root', password: 'root' },
  servers: (device) => [avalonTcpServer(device, model), avalonWebServer(device)],
  truth: (device) => avalonTruth(device, model),
});

const AVALON_VARIANTS: readonly Variant[] = AVALON_MODELS.map((model) =>
  variant(model.isHome ? 'avalon-home' : 'avalon-a', model),
);
const RARE_AVALON_VARIANTS: readonly Variant[] = RARE_AVALONS.map((model) => variant('avalon-rare', model));

export const simulated: SimulatedDevices = {
  shares: { 'avalon-a': 11, 'avalon-home': 2 },
  usual: AVALON_VARIANTS,
  rare: [...OLD_AVALON_VARIANTS, ...RARE_AVALON_VARIANTS],
};

function avalonWebServer(device: SimDevice): SimServer {
  return device.site.web.server(device, device.site.port(80), ({ path }) =>
    path === '/'
      ? { status: 200, body: '<html><head><title>Avalon Device</title></head><body>Avalon Device</body></html>\n' }
      : { status: 404, body: '<html><body>404</body></html>\n' },
  );
}

function avalonTcpServer(device: SimDevice, model: AvalonModel): SimServer {
  return classicServer(device, DESCRIPTION, (command) => say(device, model, command));
}

function say(device: SimDevice, model: AvalonModel, command: Command): Said | undefined {
  const facts = avalonFacts(device);
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  switch (command.name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [version(device, model)] });
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [standardSummary(device, rates(facts))] });
    case 'estats':
    case 'stats':
      return wrap(70, 'CGMiner stats', {
        STATS: [model.isHome ? homeStatsOf(device, model, facts) : statsOf(device, model, facts)],
      });
    case 'litestats':
      if (!model.isHome) return undefined;
      return wrap(70, 'CGMiner stats', { STATS: [{ 'MM ID0:Summary': litestatsText(device, model, facts) }] });
    case 'devs':
      return wrap(9, '1 ASC(s)', { DEVS: [dev(device, facts)] });
    case 'devdetails':
      return wrap(69, 'Device Details', {
        DEVDETAILS: [
          { DEVDETAILS: 0, Name: 'AVALON', ID: 0, Driver: 'avalon', Kernel: '', Model: '', 'Device Path': '' },
        ],
      });
    case 'pools':
      return wrap(7, `${device.settings.pools.length} Pool(s)`, {
        // The real thing prints the password; nothing may log it.
        POOLS: device.settings.pools.map((pool, index) => ({
          ...standardPool(device, pool, index),
          Password: pool.pass,
        })),
      });
    case 'ascset':
      return ascset(device, model, command.parameter, (level, code, msg) =>
        envelope(device.nowS(), DESCRIPTION, { code, msg, level }),
      );
    case 'setpool':
      return model.isHome ? homeSetPool(device, command.parameter) : undefined;
    case 'restart':
      return { reply: { STATUS: 'RESTART' }, after: () => device.restart() };
    default:
      return undefined;
  }
}

function homeSetPool(device: SimDevice, parameter: string): Said {
  const say = (level: 'S' | 'E', code: number, msg: string): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg, level }),
  });
  if (device.faults.has('write-api-off')) return say('E', 45, 'Access denied to setpool command');
  if (device.faults.has('ignores-writes')) return say('S', 55, 'Set pool success');
  const refusal = setPool(device, parameter);
  return refusal === undefined ? say('S', 55, 'Set pool success') : say('E', 52, refusal);
}

const rates = (facts: AvalonFacts) => ({ nowMhs: facts.ghs * 1_000, averageMhs: facts.averageGhs * 1_000 });

function version(device: SimDevice, model: AvalonModel): object {
  const { firmware } = model;
  return {
    CGMiner: '4.11.1',
    API: '3.7',
    ...(model.isHome ? {} : { STM8: '20.08.01' }),
    PROD: model.reportedAs,
    MODEL: model.modelField,
    HWTYPE: model.hardware,
    SWTYPE: model.software,
    ...(model.isHome
      ? { LVERSION: firmware, BVERSION: firmware, CGVERSION: firmware, HBMCUVERSION: 'Q_hb_v1.1' }
      : { VERSION: firmware, LOADER: 'd0d779de.00', UPAPI: '2' }),
    DNA: avalonDna(device),
    MAC: device.mac.replaceAll(':', '').toLowerCase(),
  };
}

function statsOf(device: SimDevice, model: AvalonModel, facts: AvalonFacts): object {
  return {
    STATS: 0,
    ID: 'AVA100',
    Elapsed: device.uptimeS(),
    Calls: 0,
    Wait: 0,
    Max: 0,
    Min: 99_999_999,
    'MM ID0': estatsText(device, model, facts),
    'MM Count': 1,
    'Smart Speed': 1,
    'Voltage Level Offset': 0,
    'Nonce Mask': 25,
  };
}

function homeStatsOf(device: SimDevice, model: AvalonModel, facts: AvalonFacts): object {
  return {
    STATS: 0,
    ID: 'AVALON0',
    Elapsed: device.uptimeS(),
    Calls: 0,
    Wait: 0,
    Max: 0,
    Min: 99_999_999,
    HBinfo: facts.boards.map((board) => `'HB${board.slot}':{${chipText(model, board)}}`).join(' '),
    'MM ID0:Summary': litestatsText(device, model, facts),
  };
}

function dev(device: SimDevice, facts: AvalonFacts): object {
  const { nowMhs, averageMhs } = rates(facts);
  return {
    ASC: 0,
    Name: 'AVA10',
    ID: 0,
    Enabled: 'Y',
    Status: 'Alive',
    Temperature: facts.inletC,
    'MHS av': averageMhs,
    'MHS 5s': nowMhs,
    'MHS 1m': nowMhs,
    'MHS 5m': averageMhs,
    'MHS 15m': averageMhs,
    Accepted: facts.shares.accepted,
    Rejected: facts.shares.rejected,
    'Hardware Errors': 2_735,
    'Last Share Pool': 0,
    'Device Elapsed': device.uptimeS(),
  };
}
