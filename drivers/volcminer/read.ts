// Turns the answers of one VolcMiner into a Reading. It tells no mode, no light, no faults of its own and no power.
import * as kit from '../../src/driver/kit/index.ts';
import { mergeStats, readStats, statsType } from '../_dialects/bitmain.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { webPools } from '../_dialects/bitmain-web.ts';
import { whichBlackMiner } from '../_dialects/black-miner.ts';
import type { ASKS } from './asks.data.ts';
import { SYSTEM } from './pages.data.ts';
import { asStats, poolRows, unwrapped } from './pages.ts';

type Answers = Readonly<Record<keyof typeof ASKS | 'statusV1' | 'systemV1' | 'devs', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { version, pools } = answers;
  // Of the newer page counts what the older lacks: of the boards what each makes, and its faulty results.
  const pages = [answers.status, unwrapped(answers.statusV1.raw)];
  const system = kit.factsOf(SYSTEM, answers.system, unwrapped(answers.systemV1.raw));
  const program = version.row('VERSION');
  const minertype = system.text('minertype');
  const reported = program.text('Type') ?? statsType(answers.stats);
  const names = [minertype, reported, system.text('hostname')];
  const device = whichBlackMiner(...names, known.model && `${known.make ?? 'VolcMiner'} ${known.model}`);
  // The port is asked where the web says nothing. Its keys say MHS and mean it.
  const told = [...pages.map(asStats), answers.stats].map((it) => readStats(it, device?.row, { isKeyHonest: true }));
  const stats = told.reduce(mergeStats);
  // Boards that the older page lists, with what the newer knows of them.
  const isListed = (slot: number) => stats.boards?.some((board) => board.slot === slot) ?? false;
  const boards = told.toReversed().flatMap((each) => each.boards?.filter(({ slot }) => isListed(slot)) ?? []);
  const summary = answers.summary.row('SUMMARY');
  const rates = kit.hashrates(summary);
  const reading = bitmainReading(stats, { version, pools, system });
  return {
    ...reading,
    make: device?.make ?? (kit.first(minertype, reported) === undefined ? 'VolcMiner' : undefined),
    model: kit.first(device?.model, minertype, reported),
    firmwareVersion: system.text('system_filesystem_version') ?? program.text('CompileTime') ?? stats.compileTime,
    hashrateHs: stats.nowHs ?? rates.hashrateHs,
    hashrateSettledHs: rates.hashrateSettledHs,
    hashrateAverageHs: stats.averageHs ?? rates.hashrateAverageHs,
    uptimeS: stats.elapsedS ?? summary.seconds('Elapsed'),
    deviceTimeS: stats.whenS ?? kit.whenS(answers.summary),
    boards: kit.joinedBoards(boards.map(({ reading: board }) => board)) ?? boardsOf(answers.devs.rows('DEVS')),
    // How many there must be, the model says: all machines write four.
    fans: kit.fansOf(stats.fanSlots, undefined),
    pools: kit.first(...pages.map((page) => webPools(poolRows(page)))) ?? reading.pools,
    expected: device?.row?.expected,
  };
}

/** One row per board, where nothing else tells of boards. */
const boardsOf = (devs: readonly kit.Answer[] | undefined): readonly kit.BoardDraft[] | undefined =>
  devs?.map((dev, place) => ({
    slot: kit.first(...['ASC', 'PGA', 'ID'].map((key) => dev.count(key))) ?? place,
    hashrateHs: kit.hashrates(dev).hashrateHs,
    boardTempsC: [dev.tempC('Temperature')],
    hwErrors: dev.count('Hardware Errors'),
  }));
