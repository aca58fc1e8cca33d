// GraphQL of Braiins OS as a Reading. It tells neither the MAC nor rates of more than 5 s.
import * as kit from '../../../src/driver/kit/index.ts';
import { boardsIn, poolsIn } from '../parts.ts';
import { type graphqlAsks, saysStopped } from './asks.ts';

type Answers = kit.Answers<typeof graphqlAsks>;

const infoOf = (answer: kit.Answer) => answer.at('data', 'bosminer', 'info');
const solversOf = (answer: kit.Answer) => infoOf(answer).at('workSolver').rows('childSolvers');

export const graphqlModel = ({ gqlModel }: Answers) => infoOf(gqlModel).text('modelName');

export function readGraphql(answers: Answers, usualFans: number | undefined): kit.Draft {
  const { gqlSystem, gqlTuning } = answers;
  const bos = gqlSystem.at('data', 'bos');
  const info = infoOf(gqlSystem);
  const nowHs = rateHs(info.at('workSolver'));
  const power = info.at('summary', 'power');
  const tuning = tuningOf(gqlTuning);
  const tuned = MODES[tuning.text('mode', 32)?.toUpperCase() ?? ''];
  const isStopped = saysStopped(gqlSystem);
  return {
    hostname: bos.text('hostname'),
    firmwareVersion: bos.at('info', 'version').text('full'),

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : '5s',
    powerW: power.watts('approxConsumptionW'),
    powerLimitW:
      tuned === 'hashrate_tuning' ? undefined : kit.first(power.watts('limitW'), tuning.watts('powerTarget')),
    systemUptimeS: bos.at('uptime').seconds('durationS'),

    isMining: isStopped ? false : undefined,
    // What it is tuned to is its mode only while it runs.
    miningMode: isStopped ? 'sleep' : info.isThere ? tuned : undefined,
    isLightOn: bos.bool('faultLight'),

    boards: boards(answers),
    fans: kit.listedFans(info.rows('fans', 32), usualFans, { index: 'name', rpm: 'rpm' }, (fan) =>
      fan.percent('speed'),
    ),
    pools: poolsIn(infoOf(answers.gqlPools), pool, 'poolGroups'),
    errors: appeals(answers.gqlEvents.at('data', 'events').rows('appeals', 256)),
    expected: { hashrateHs: nominalHs(info.at('workSolver')) },
  };
}

const rateHs = (solver: kit.Answer) => solver.at('realHashrate').rateHs('mhs5S', 'M');
const nominalHs = (solver: kit.Answer) => kit.positive(solver.rateHs('nominalMhs', 'M'));

export const tuningOf = (answer: kit.Answer) => answer.at('data', 'bosminer', 'config', 'autotuning');

const MODES: Readonly<Partial<Record<string, 'power_tuning' | 'hashrate_tuning'>>> = {
  POWER_TARGET: 'power_tuning',
  HASHRATE_TARGET: 'hashrate_tuning',
};

/** Serial numbers and voltages are asked apart, by the names of the boards. */
function boards({ gqlBoards, gqlSerials, gqlVoltages }: Answers): kit.Draft['boards'] {
  const [serials, voltages] = [solversOf(gqlSerials), solversOf(gqlVoltages)];
  return boardsIn(solversOf(gqlBoards), 'name', (solver) => {
    const details = solver.at('hwDetails');
    const isSame = (other: kit.Answer) => other.text('name', 16) === solver.text('name', 16);
    const sensors = solver.rows('temperatures', 16);
    return {
      serialNumber: serials?.find(isSame)?.at('hwDetails').text('hbSerialNumber'),
      hashrateHs: rateHs(solver),
      expectedHashrateHs: nominalHs(solver),
      chips: details.count('chips', 100_000),
      frequencyMhz: details.mhz('frequencyMhz'),
      voltageV: voltages?.find(isSame)?.at('hwDetails').positive('voltageV', 100),
      boardTempsC: [sensorC(sensors, 'maxboard', 'board')],
      chipTempMaxC: sensorC(sensors, 'maxchip', 'chip'),
      inletTempC: sensorC(sensors, 'inlet'),
      outletTempC: sensorC(sensors, 'outlet'),
    };
  });
}

/** The names of the sensors changed with the versions: `Chip`, `Max Chip`, `MAX_CHIP`. */
function sensorC(sensors: readonly kit.Answer[] | undefined, ...names: readonly string[]): number | undefined {
  const nameOf = (sensor: kit.Answer) =>
    sensor
      .text('name', 32)
      ?.toLowerCase()
      .replaceAll(/[^a-z]/g, '') ?? '';
  return sensors?.find((sensor) => names.includes(nameOf(sensor)))?.tempC('degreesC');
}

function pool(row: kit.Answer) {
  const status = row.text('status', 32)?.toUpperCase();
  return {
    isAlive: status === undefined ? undefined : status === 'ALIVE',
    isActive: row.bool('active'),
    accepted: row.at('shares').count('acceptedSolutions'),
    rejected: row.at('shares').count('rejectedSolutions'),
  };
}

/** What waits for its owner's eyes: no history, all of it counts. */
const appeals = (rows: readonly kit.Answer[] | undefined) =>
  rows?.flatMap((row): kit.ErrorDraft[] => {
    const [kind, message] = [row.text('kind', 128), row.text('message', 512)];
    if (kind === undefined && message === undefined) return [];
    return [{ code: kind ?? 'BOS', category: kit.categoryOfWords(`${kind ?? ''} ${message ?? ''}`), message }];
  });
