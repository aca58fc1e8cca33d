// BOSminer as a Reading: joined answers on TCP, one list of one answer per command, and LuCI pages beside them.
import * as kit from '../../../src/driver/kit/index.ts';
import { boardsIn } from '../parts.ts';
import type { tcpAsks } from './asks.ts';

type Answers = kit.Answers<typeof tcpAsks>;

const detailsOf = ({ tcpDetails }: Answers) => tcpDetails.row('devdetails').rows('DEVDETAILS');

export const tcpModel = (answers: Answers) => kit.first(...(detailsOf(answers)?.map((row) => row.text('Model')) ?? []));

/** The row of `version`. */
export const programOf = ({ tcpDetails }: Pick<Answers, 'tcpDetails'>) => tcpDetails.row('version').row('VERSION');

export const summaryOf = ({ tcp }: Pick<Answers, 'tcp'>) => tcp.row('summary').row('SUMMARY');

export function readTcp(answers: Answers, usualFans: number | undefined): kit.Draft {
  const { tcp, lan, bosInfo, tcpPools } = answers;
  const summary = summaryOf(answers);
  const tuner = tcp.row('tunerstatus').row('TUNERSTATUS');
  return {
    mac: kit.first(...(lan.rows(undefined, 8)?.map((state) => state.asWritten('macaddr')) ?? [])),
    firmwareVersion: kit.first(bosInfo.text('version'), programVersion(answers)),
    apiVersion: programOf(answers).text('API'),
    ...kit.hashrates(summary),
    powerW: tuner.watts('ApproximateMinerPowerConsumption'),
    powerLimitW: tuner.watts('PowerLimit'),
    uptimeS: summary.seconds('Elapsed'),
    boards: boards(answers),
    fans: kit.listedFans(tcp.row('fans').rows('FANS'), usualFans, { index: 'ID', rpm: 'RPM' }, (fan) =>
      fan.percent('Speed'),
    ),
    pools: kit.cgminerPools(tcpPools),
    expected: { hashrateHs: kit.positive(kit.sumOfAll(devsOf(answers)?.map(nominalHs) ?? [])) },
  };
}

/**
 * Of BOSminer, where no page tells the version of the whole. BOSer, which came after it, has the version of a part
 * alone.
 */
function programVersion(answers: Answers): string | undefined {
  const program = programOf(answers);
  const key = program.keys().find((name) => /^bosminer\b/i.test(name));
  return key === undefined ? undefined : program.text(key);
}

const devsOf = ({ tcp }: Answers) => tcp.row('devs').rows('DEVS');
const nominalHs = (row: kit.Answer) => row.rateHs('Nominal MHS', 'M');

function boards(answers: Answers): kit.Draft['boards'] {
  const sensors = answers.tcp.row('temps').rows('TEMPS');
  return boardsIn(devsOf(answers), 'ID', (row) => {
    const isSame = (other: kit.Answer) => other.int('ID') === row.int('ID');
    const board = sensors?.find(isSame);
    return {
      hashrateHs: kit.hashrates(row).hashrateHs,
      expectedHashrateHs: kit.positive(nominalHs(row)),
      chips: detailsOf(answers)?.find(isSame)?.count('Chips', 100_000),
      boardTempsC: [board?.tempC('Board')],
      chipTempMaxC: board?.tempC('Chip'),
      hwErrors: row.count('Hardware Errors'),
      isAlive: row.bool('Enabled') === false ? false : undefined,
    };
  });
}
