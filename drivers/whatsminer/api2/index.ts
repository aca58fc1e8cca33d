// API 1 and 2 on TCP 4028 (atlas 4.1, 4.2): rates of the machine in MH/s, of its boards in MH/s or TH/s, and flat
// envelopes for all but the oldest answers. Both read alike; API 1 takes no commands.
import * as kit from '../../../src/driver/kit/index.ts';
import { faultsOf } from '../errors.ts';
import { BOARD, MACHINE } from '../names.data.ts';
import { highestRate, isDown, type Told } from '../read.ts';
import { ASKS } from './asks.data.ts';
import { ABOUT, COMMANDS } from './commands.data.ts';

const needs = (answer: kit.Answer) =>
  isDown(answer.raw) || answer.row('SUMMARY').isThere || answer.at('Msg').has('Elapsed');
export const asks = { ...ASKS, summary: { ...ASKS.summary, needs } } satisfies Readonly<Record<string, kit.Question>>;

export function told(answers: Partial<kit.Answers<typeof asks>>): Told {
  const { summary = kit.NOTHING, devdetails, edevs, devs, pools = kit.NOTHING } = answers;
  const msg = (name: keyof typeof asks) => (answers[name] ?? kit.NOTHING).at('Msg');
  // Firmware from 2025 on puts the row into the flat envelope.
  const row = summary.row('SUMMARY').isThere ? summary.row('SUMMARY') : summary.at('Msg');
  const windows = (['1m', '5s', '5m', '15m'] as const).map((window) => [window, kit.windowHs(row, window)]);
  const named = devdetails?.rows('DEVDETAILS')?.find((each) => each.text('Model') !== undefined) ?? kit.NOTHING;
  const boards = (edevs?.isThere ? edevs : devs)?.rows('DEVS')?.map((each) => kit.factsOf(BOARD, each));
  return {
    machine: kit.factsOf(MACHINE, named, msg('getVersion'), row, msg('status'), msg('psu'), msg('minerInfo')),
    ratesHs: { realtime: row.rateHs('HS RT', 'M'), average: kit.windowHs(row, 'av'), ...Object.fromEntries(windows) },
    boards,
    boardUnit: boardUnit(boards, row),
    pools: kit.cgminerPools(pools),
    faults: msg('errorCode').isThere ? faultsOf(msg('errorCode').value('error_code')) : summaryFaults(row),
    isDown: isDown(summary.raw),
    clockS: kit.whenS(summary),
  };
}

/**
 * Firmware from 2025 on writes the rates of its boards in TH/s under the same keys, and the machine's still in MH/s:
 * what the boards add up to says which. Undefined where nothing proves it.
 */
function boardUnit(boards: readonly kit.Answer[] = [], machine: kit.Answer): 'M' | 'T' | undefined {
  const sum = boards.reduce((sofar, board) => sofar + highestRate(board), 0);
  // No machine has boards of 10 PH/s together.
  if (sum === 0 || sum >= 10_000) return 'M';
  if (!machine.isThere) return undefined;
  return highestRate(kit.factsOf(BOARD, machine)) > sum * 1_000 ? 'T' : 'M';
}

/** API 1 lists faults in `summary`: a count, then `Error Code 0`, `Error 0 Time`, `Error Code 1`, ... */
function summaryFaults(row: kit.Answer) {
  const count = row.count('Error Code Count');
  const places = Array.from({ length: Math.min(count ?? 0, 64) }, (_, place) => place);
  const listed = places.flatMap((place) => [row.value(`Error Code ${place}`), row.value(`Error ${place} Time`)]);
  return count === undefined ? undefined : faultsOf(listed);
}

const MOST_LOG = { maxBytes: 1024 * 1024 };

export const commands = {
  ...COMMANDS,
  look: async (link: kit.MinerLink, what: string, about: keyof typeof ABOUT) =>
    told({ [ABOUT[about]]: await kit.askFirst(link, what, asks[ABOUT[about]], () => true) }),
  poolsNow: async (link: kit.MinerLink) => told({ pools: await kit.tryToAsk(link, asks.pools) }).pools,
  limit: (watts: number) => ({ ...COMMANDS.limit, params: { power_limit: String(watts) } }),
  pools(wanted: readonly kit.WantedPool[], places: number) {
    const params = kit.placesAsFields(wanted, places, (no) => [`pool${no}`, `worker${no}`, `passwd${no}`]);
    return { ...COMMANDS.pools, params };
  },
  password: (wanted: string) => ({
    ...{ ...COMMANDS.password, params: { new: wanted } },
    carry: ({ password }: { readonly password: string }) => ({ old: password }),
  }),
  /** The log is the one thing that is read with a token. */
  proveLogin: (link: kit.MinerLink) => link.send({ ...COMMANDS.log[0], triesLogin: true }, MOST_LOG),
  update: (upload: Blob) => ({ ...COMMANDS.update, upload }),
};
