// API 3 on TCP 4433 (atlas 4.3): TH/s rates; serial numbers and temperatures of boards stand apart from the boards and
// join by number.
import * as kit from '../../../src/driver/kit/index.ts';
import { faultsOf } from '../errors.ts';
import { BOARD, MACHINE, POOL } from '../names.data.ts';
import { isDown, slotOf, type Told } from '../read.ts';
import { ABOUT, COMMANDS } from './commands.data.ts';

/** Words in place of the message say why there is none. */
const needs = (answer: kit.Answer, ...part: readonly string[]) =>
  answer.at('msg', ...part).isThere || isDown(answer.value('msg'));
const ask = { via: 'whatsminer3', generations: ['api3'], needs } as const;
const status = { ...ask, cmd: 'get.miner.status' } as const;

export const asks = {
  info3: { ...ask, cmd: 'get.device.info', every: 'slow' },
  summary3: { ...status, param: 'summary', every: 'poll', needs: (answer) => needs(answer, 'summary') },
  edevs3: { ...status, param: 'edevs', every: 'poll' },
  pools3: { ...status, param: 'pools', every: 'slow' },
} as const satisfies Readonly<Record<string, kit.Question>>;

export function told(answers: Partial<kit.Answers<typeof asks>>): Told {
  const { info3 = kit.NOTHING, summary3 = kit.NOTHING, edevs3 = kit.NOTHING, pools3 = kit.NOTHING } = answers;
  const info = info3.at('msg');
  const [miner, power] = [info.at('miner'), info.at('power')];
  const summary = summary3.at('msg', 'summary');
  const rateHs = (key: string) => summary.rateHs(`hash-${key}`, 'T');
  const temps = summary.list('board-temperature') ?? [];
  // Miner and power supply have a `type` each.
  const types = new kit.Answer({ miner_type: miner.value('type'), model: power.text('model') ?? power.value('type') });
  const [rows, pools] = [edevs3.at('msg').rows('edevs'), pools3.at('msg').rows('pools')];
  return {
    machine: kit.factsOf(MACHINE, types, summary, miner, info.at('network'), info.at('system'), power),
    ratesHs: { realtime: rateHs('realtime'), average: rateHs('average'), '1m': rateHs('1min'), '15m': rateHs('15min') },
    boards: rows?.map((row, place) => {
      const slot = slotOf(kit.factsOf(BOARD, row), place);
      const own = { 'PCB SN': miner.value(`pcbsn${slot}`), Temperature: temps[slot] };
      return kit.factsOf(BOARD, row, new kit.Answer(own));
    }),
    boardUnit: 'T',
    // It counts no shares.
    pools: kit.cgminerPools(new kit.Answer({ POOLS: pools?.map((row) => kit.factsOf(POOL, row).raw) })),
    faults: faultsOf(info.value('error-code')),
    isDown: [info3, summary3, edevs3].some((answer) => isDown(answer.value('msg'))) || isDown(info.value('error-code')),
    clockS: summary3.seconds('when'),
  };
}

export const commands = {
  ...COMMANDS,
  look: async (link: kit.MinerLink, what: string, about: keyof typeof ABOUT) =>
    told({ [ABOUT[about]]: await kit.askFirst(link, what, asks[ABOUT[about]], () => true) }),
  poolsNow: async (link: kit.MinerLink) => told({ pools3: await kit.tryToAsk(link, asks.pools3) }).pools,
  limit: (watts: number) => ({ ...COMMANDS.limit, param: watts }),
  pools(wanted: readonly kit.WantedPool[]) {
    const param = wanted.map(({ url, user, password }) => ({ pool: url, worker: user, passwd: password }));
    return { ...COMMANDS.pools, param };
  },
  password: (wanted: string) => ({
    ...{ ...COMMANDS.password, param: { new: wanted } },
    carry: ({ user, password }: { readonly user: string; readonly password: string }) => ({
      ...{ account: user, old: password },
    }),
  }),
  /** All that is read is shown to anybody: it is told again what it does already, which leaves the light as it is. */
  async proveLogin(link: kit.MinerLink) {
    const what = 'prove the login of';
    const { machine } = told({ info3: await kit.askFirst(link, what, asks.info3, () => true) });
    if (machine.text('led') !== 'auto') {
      const why = new Error('its light is on, or it does not tell');
      throw new kit.PeerError('peer.busy', `${what} ${link.ip}`, 'later', why, { wasSent: false });
    }
    return link.send({ ...COMMANDS.lightOff[0], triesLogin: true });
  },
  update: (upload: Blob) => ({ ...COMMANDS.update, upload }),
};
