// Avalons of the 7, 8 and 9 series: one machine or several on the wires of one controller, which tells them apart in
// its stats, has the rate of all of them in its summary, and names itself in `devdetails` only. Atlas section 5.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, whoIs } from '../_farm/truth-parts.ts';

/** `boards`, `fans`, rate and power are those of all machines together. */
type OldAvalon = ModelSpec & {
  readonly series: 7 | 8 | 9;
  /** What each machine calls itself. */
  readonly versions: readonly string[];
};

const BOARDS = 4;
const DESCRIPTION = 'cgminer 4.10.0';
const shared = { make: 'Avalon', chipC: 88, fanRpm: 4_110 } as const;

function of(
  model: string,
  versions: readonly string[],
  one: Pick<OldAvalon, 'series' | 'chipsPerBoard' | 'frequencyMhz' | 'hashrateHs' | 'powerW'>,
): OldAvalon {
  const { length } = versions;
  return {
    ...shared,
    ...one,
    ...{ model, reportedAs: `AV${one.series}0`, versions, boards: BOARDS * length, fans: length },
    hashrateHs: one.hashrateHs * length,
    powerW: one.powerW * length,
  };
}

const MODELS: readonly OldAvalon[] = [
  of('Avalon 741', ['7411706-3162860'], {
    ...{ series: 7, chipsPerBoard: 22, frequencyMhz: 628.45, hashrateHs: 7.3e12, powerW: 1_150 },
  }),
  of('Avalon 841', ['8411711-3162860', '8411711-3162860'], {
    ...{ series: 8, chipsPerBoard: 26, frequencyMhz: 650, hashrateHs: 13.6e12, powerW: 1_290 },
  }),
  of('Avalon 921', ['9211809-14b0f10', '9211809-14b0f10', '9211809-14b0f10'], {
    ...{ series: 9, chipsPerBoard: 26, frequencyMhz: 675, hashrateHs: 20e12, powerW: 1_700 },
  }),
];

export const OLD_AVALON_VARIANTS: readonly Variant[] = MODELS.map((model) => ({
  family: 'avalon-old',
  driver: 'avalon',
  spec: model,
  servers: (device) => [
    device.site.web.server(device, device.site.port(80), () => ({
      status: 404,
      body: '<html><body>404</body></html>\n',
    })),
    classicServer(device, DESCRIPTION, ({ name }) => say(device, model, name)),
  ],
  truth: (device) => truth(device, model),
}));

type Machine = {
  readonly version: string;
  readonly dna: string;
  readonly inletC: number;
  readonly maxC: number;
  readonly rpm: number;
  readonly expectedGhs: number;
  readonly words: readonly number[];
  readonly boards: ReturnType<SimDevice['body']>['boards'];
};

function machines(device: SimDevice, model: OldAvalon): Machine[] {
  const { boards, inletC, fansRpm, expectedHs } = device.body();
  const word = device.faults.number('vendor-error', 128) ?? 0;
  const { mac } = device.identity;
  return model.versions.map((version, nth) => {
    const own = boards.slice(nth * BOARDS, (nth + 1) * BOARDS);
    return {
      version,
      dna: `013${nth}${mac.replaceAll(':', '').toLowerCase()}`,
      inletC: Math.round(inletC) + nth,
      maxC: Math.max(...own.map((board) => (board.isDead ? 0 : board.chipMaxC))),
      rpm: fansRpm[nth] ?? 0,
      expectedGhs: round(expectedHs / model.versions.length / 1e9, 2),
      words: own.map((_board, place) => (nth === 0 && place === 1 ? word : 0)),
      boards: own,
    };
  });
}

function say(device: SimDevice, model: OldAvalon, name: string): Said | undefined {
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  const mhs = mhsOf(device);
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [{ CGMiner: '4.10.0', API: '3.7' }] });
    case 'devdetails':
      return wrap(69, 'Device Details', {
        DEVDETAILS: [
          {
            ...{ DEVDETAILS: 0, Name: `AV${model.series}`, ID: 0, Driver: `avalon${model.series}` },
            ...{ Kernel: '', Model: '', 'Device Path': '' },
          },
        ],
      });
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [standardSummary(device, mhs)] });
    case 'devs':
      return wrap(9, '1 ASC(s)', { DEVS: [dev(device, model)] });
    case 'estats':
      return wrap(70, 'CGMiner stats', { STATS: [stats(device, model)] });
    case 'stats':
      return wrap(70, 'CGMiner stats', { STATS: [stats(device, model), ...device.settings.pools.map(poolStats)] });
    case 'pools': {
      const { pools } = device.settings;
      return wrap(7, `${pools.length} Pool(s)`, { POOLS: pools.map((pool, nth) => standardPool(device, pool, nth)) });
    }
    default:
      return undefined;
  }
}

function mhsOf(device: SimDevice) {
  const { boards, averageFactor } = device.body();
  const nowMhs = round(boards.reduce((sum, { hashrateHs }) => sum + hashrateHs, 0) / 1e6, 2);
  return { nowMhs, averageMhs: round(nowMhs * averageFactor, 2) };
}

function dev(device: SimDevice, model: OldAvalon): object {
  const { nowMhs, averageMhs } = mhsOf(device);
  const { accepted, rejected } = device.shares();
  return {
    ...{ ASC: 0, Name: `AV${model.series}`, ID: 0, Enabled: 'Y', Status: 'Alive', Temperature: 32.97 },
    ...{ 'MHS av': averageMhs, 'MHS 5s': nowMhs, 'MHS 1m': nowMhs, 'MHS 5m': averageMhs, 'MHS 15m': averageMhs },
    ...{ Accepted: accepted, Rejected: rejected, 'Hardware Errors': 10, 'Device Elapsed': device.uptimeS() },
  };
}

const poolStats = (_pool: unknown, nth: number) => ({ STATS: nth + 1, ID: `POOL${nth}`, 'Pool Calls': 0 });

function stats(device: SimDevice, model: OldAvalon): object {
  const all = machines(device, model);
  return {
    ...{ STATS: 0, ID: model.reportedAs, Elapsed: device.uptimeS(), Calls: 0, Wait: 0, Max: 0, Min: 99_999_999 },
    ...Object.fromEntries(all.map((machine, nth) => [`MM ID${nth + 1}`, textOf(device, model, machine)])),
    'MM Count': all.length,
    'Smart Speed': 1,
    Connecter: 'AUC',
    'AUC VER': 'AUC-20151208',
    'AUC I2C Speed': 400_000,
    'AUC Temperature': 32.97,
    'Connection Overloaded': false,
    'Nonce Mask': 29,
  };
}

const repeated = (value: number) => Array.from({ length: BOARDS }, () => value).join(' ');

function textOf(device: SimDevice, model: OldAvalon, machine: Machine): string {
  const chips = Array.from({ length: model.chipsPerBoard }, (_, nth) => 4 + (nth % 7)).join(' ');
  return [
    `Ver[${machine.version}] DNA[${machine.dna}] Elapsed[${device.uptimeS() + 2}] MW[${repeated(2_024)}] LW[8074]`,
    `MH[${repeated(3)}] HW[12] DH[0.000%] Temp[${machine.inletC}] TMax[${machine.maxC}] Fan[${machine.rpm}] FanR[48%]`,
    `Vi[${repeated(1_215)}] Vo[${repeated(4_438)}] GHSmm[${machine.expectedGhs.toFixed(2)}] WU[88583.15]`,
    `Freq[${model.frequencyMhz.toFixed(2)}] PG[15] Led[${device.settings.isLightOn ? 1 : 0}]`,
    ...Array.from({ length: BOARDS }, (_, place) => `MW${place}[${chips}]`),
    `TA[${BOARDS * model.chipsPerBoard}] ECHU[${machine.words.join(' ')}] ECMM[0] FM[1] CRC[0 0 0 0] PAIRS[0 0 0]`,
    `PVT_T[${machine.boards.map(spanOf).join(' ')}]`,
  ].join(' ');
}

/** The coolest chip, the hottest, and the mean of all. */
const spanOf = ({ isDead, chipMinC, chipMaxC, chipAvgC }: Machine['boards'][number]) =>
  isDead ? '0-0/0-0/0' : `21-${Math.round(chipMinC)}/1-${Math.round(chipMaxC)}/${Math.round(chipAvgC)}`;

function boardsOf({ boards }: Machine, model: OldAvalon, nowMhs: number): Truth['hashboards'] {
  const alive = boards.filter(({ isDead }) => !isDead);
  const chips = alive.length === boards.length ? model.chipsPerBoard : null;
  // No board tells a rate of its own; where the whole has none, none has.
  const hashrate = nowMhs === 0 ? 0 : null;
  return alive.map(() => ({ serial_number: null, hashrate, chips, chip_frequency: model.frequencyMhz }));
}

function truth(device: SimDevice, model: OldAvalon): Truth {
  const all = machines(device, model);
  const [first] = all;
  const isAlone = all.length === 1;
  const { nowMhs } = mhsOf(device);
  return {
    ...whoIs(device, model),
    mac: '',
    serial_number: isAlone && first ? first.dna : null,
    firmware_version: first?.version.split('-')[1] ?? null,
    hostname: null,
    is_mining: nowMhs > 0,
    mining_mode: null,
    hashrate: nowMhs * 1e6,
    expected_hashrate: all.reduce((sum, { expectedGhs }) => sum + expectedGhs * 1e9, 0),
    power: null,
    temp: Math.max(...all.map(({ maxC }) => maxC)) || null,
    uptime: device.uptimeS(),
    // Of several machines it is not known which board belongs to which.
    hashboards: isAlone && first ? boardsOf(first, model, nowMhs) : [],
    fans: isAlone ? all.map(({ rpm }, index) => ({ index, rpm })) : [],
    pools: firstCounted(device),
    psus: [],
    errors: isAlone ? all.flatMap(({ words }) => words.filter((word) => word > 0).map(codeOf)) : [],
    light_on: isAlone ? device.settings.isLightOn : null,
  };
}

const codeOf = (word: number) => ({ code: `ECHU:${word}` });
