// Turns the answers of one VolcMiner into a Reading. It tells no mode, no light, no faults of its own and no power.
import * as kit from '../../src/driver/kit/index.ts';
import { mergeStats, readStats, statsType } from '../_dialects/bitmain.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { webPools } from '../_dialects/bitmain-web.ts';
import { whichBlackMiner } from '../_dialects/black-miner.ts';
import { asStats, asStatus, unwrapped, withNewer } from './pages.ts';

type OnPort = 'stats' | 'summary' | 'pools' | 'version' | 'devs';
type Answers = Readonly<Record<'status' | 'system' | 'statusV1' | 'systemV1' | OnPort, kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { version, pools } = answers;
  const status = withNewer(answers.status, asStatus(answers.statusV1.raw));
  const system = withNewer(answers.system, unwrapped(answers.systemV1.raw));
  const program = version.row('VERSION');
  const minertype = system.text('minertype');
  const reported = program.text('Type') ?? statsType(answers.stats);
  const device = whichBlackMiner(
    ...[minertype, reported, system.text('hostname')],
    known.model && `${known.make ?? 'VolcMiner'} ${known.model}`,
  );
  // The port is asked where the web says nothing. Its keys say MHS and mean it.
  const statsOf = (answer: kit.Answer) => readStats(answer, device?.row, { isKeyHonest: true });
  const stats = mergeStats(statsOf(asStats(status)), statsOf(answers.stats));
  const summary = answers.summary.row('SUMMARY');
  const rates = kit.hashrates(summary);
  const reading = bitmainReading(stats, { version, pools, system });
  return {
    ...reading,
    make: device?.make ?? (kit.first(minertype, reported) === undefined ? 'VolcMiner' : undefined),
    model: kit.first(device?.model, minertype, reported),
    firmwareVersion: kit.first(
      ...[system.text('system_filesystem_version'), program.text('CompileTime'), stats.compileTime],
    ),
    hashrateHs: stats.nowHs ?? rates.hashrateHs,
    hashrateSettledHs: rates.hashrateSettledHs,
    hashrateAverageHs: stats.averageHs ?? rates.hashrateAverageHs,
    uptimeS: stats.elapsedS ?? summary.seconds('Elapsed'),
    deviceTimeS: stats.whenS ?? kit.whenS(answers.summary),
    boards: reading.boards ?? boardsOfDevs(answers.devs.rows('DEVS')),
    // How many there must be, the model says: all machines write four.
    fans: kit.fansOf(stats.fanSlots, undefined),
    pools: webPools(status.rows('pools')) ?? reading.pools,
    expected: device?.row?.expected,
  };
}

/** One row per board, where nothing else tells of boards. */
const boardsOfDevs = (devs: readonly kit.Answer[] = []): readonly kit.BoardDraft[] | undefined =>
  devs.length === 0
    ? undefined
    : devs.map((dev, place) => ({
        slot: kit.first(...['ASC', 'PGA', 'ID'].map((key) => dev.count(key))) ?? place,
        hashrateHs: kit.hashrates(dev).hashrateHs,
        boardTempsC: [dev.tempC('Temperature')],
        hwErrors: dev.count('Hardware Errors'),
      }));
