// A Goldshell LT5: TCP is closed, and the page that lists its boards asks for no login. Of its four places for sensors
// one is in use. Atlas section 18.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { whoIs } from '../_farm/truth-parts.ts';
import { loginOf } from './farm-web.ts';

const LT5: ModelSpec = {
  make: 'Goldshell',
  model: 'LT5',
  reportedAs: 'Goldshell-LT5',
  boards: 4,
  chipsPerBoard: 76,
  fans: 2,
  frequencyMhz: 600,
  hashrateHs: 2.05e9,
  powerW: 2_080,
  chipC: 82,
  fanRpm: 6_100,
  hashesPerDifficulty: 65_536,
};
const FIRMWARE = '2.2.1';
const PAGE = '<!DOCTYPE html><html><head><title>cloud-box</title></head><body><div id="app"></div></body></html>\n';
const UNAUTHORIZED: WebReply = { status: 401, type: 'text/plain', body: 'Check Token Error' };

export const GOLDSHELL_PAGE_VARIANTS: readonly Variant[] = [
  {
    family: 'goldshell-page',
    driver: 'goldshell',
    spec: LT5,
    login: { user: 'admin', password: '123456789' },
    servers: (device) => [webServer(device)],
    truth,
  },
];

function webServer(device: SimDevice): SimServer {
  const login = loginOf(device, false);
  return device.site.web.server(device, device.site.port(80), (request) => {
    const { path, method } = request;
    if (path === '/') return { status: 200, body: PAGE };
    const answer = login.answer(request);
    if (answer !== undefined) return answer;
    if (!path.startsWith('/mcb/')) return NOT_FOUND;
    if (method !== 'GET') return UNAUTHORIZED;
    if (path === '/mcb/status')
      return json({ model: LT5.reportedAs, firmware: FIRMWARE, hardware: 'GS_V1', mcbversion: 'MCB_V3_3' });
    if (path === '/mcb/cgminer') return json({ status: 2, data: rows(device) });
    if (!login.isLoggedIn(request)) return UNAUTHORIZED;
    return path === '/mcb/setting'
      ? json({ select: 0, tempcontrol: true, ledcontrol: device.settings.isLightOn, name: device.mac, version: 'v1.0' })
      : NOT_FOUND;
  });
}

const boards = (device: SimDevice) =>
  device.body().boards.map(({ slot, isDead, hashrateHs, boardC, hwErrors }) => ({
    slot,
    mhs: round(hashrateHs / 1e6, 3),
    tempC: isDead ? 0 : round(boardC, 1),
    hwErrors,
  }));

const ABSENT = '0.0 °C';

function rows(device: SimDevice): object[] {
  const { fansRpm, averageFactor } = device.body();
  const { accepted, rejected } = device.shares();
  return boards(device).map(({ slot, mhs, tempC, hwErrors }, _nth, { length }) => ({
    r_temp: `${tempC.toFixed(1)} °C`,
    l_temp: ABSENT,
    t_temp: ABSENT,
    m_temp: ABSENT,
    valid: 0,
    av_hashrate: round(mhs * averageFactor, 3),
    hashrate: mhs,
    rejected: Math.floor(rejected / length),
    id: slot,
    time: device.uptimeS(),
    powerplan: 0,
    hwerrors: hwErrors,
    accepted: Math.floor(accepted / length),
    fanspeed: fansRpm.map((rpm) => `${rpm} rpm`).join(' / '),
    minerstatus: 0,
  }));
}

/** What `time` counts is not known: no uptime. Pools, lamp and MAC are behind a login that is never sent. */
function truth(device: SimDevice): Truth {
  const found = boards(device);
  const mhs = found.reduce((sum, board) => sum + board.mhs, 0);
  return {
    ...whoIs(device, LT5),
    mac: '',
    serial_number: null,
    firmware_version: FIRMWARE,
    hostname: null,
    is_mining: mhs > 0,
    mining_mode: null,
    hashrate: mhs * 1e6,
    expected_hashrate: null,
    power: null,
    temp: Math.max(...found.map(({ tempC }) => tempC)) || null,
    uptime: null,
    hashboards: found.map((board) => ({
      serial_number: null,
      hashrate: board.mhs * 1e6,
      chips: null,
      chip_frequency: null,
    })),
    // How many it has is in no table, and a place without a fan reads 0, too.
    fans: device.body().fansRpm.flatMap((rpm, index) => (rpm === 0 ? [] : [{ index, rpm }])),
    pools: [],
    psus: [],
    errors: [],
    light_on: null,
  };
}
