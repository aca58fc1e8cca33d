// Turns the answers of one miner with MSKMiner firmware into a Reading: Antminer's statistics with a few keys of its
// own.
import * as kit from '../../src/driver/kit/index.ts';
import { POWER_KEYS, readStats, statsRows, statsType, toWatts } from '../_dialects/bitmain.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { rateReader, rateUnitOf } from '../_dialects/bitmain-units.ts';
import { psusOf, withDuty } from '../_dialects/rwglr.ts';

type Answers = Readonly<Record<'stats' | 'pools' | 'version' | 'info', kit.Answer>>;

/** `S19-88 v.1.0.3 `: the model, a blank, the version of the firmware. */
export function splitType(type: string | undefined) {
  const [, name, version] = type?.match(/^(.*?)\s+v\.(\S+)\s*$/) ?? [];
  const reported = name ?? type?.trim();
  const row = kit.findModel('mskminer', reported) ?? kit.findAntminer(reported);
  return { name: row?.model ?? reported, version, row };
}

export function read({ stats: answer, version, info, ...answers }: Answers, known: kit.Known): kit.Draft {
  const program = version.row('VERSION');
  const split = splitType(program.text('Type') ?? statsType(answer));
  const model = split.row ?? kit.findAntminer(known.model);
  const stats = readStats(answer, model);
  const reading = bitmainReading(stats, { version, ...answers }, model);
  // The whole stands beside the rates of the dialect, in the unit of the machine. What concerns the supply stands in a
  // row of its own.
  const rows = statsRows(answer);
  const unit = kit.first(...rows.map((row) => rateUnitOf(row, { model })));
  const totalHs = kit.first(...rows.map((row) => rateReader(unit)(row, 'total_rate')));
  const hashrateHs = totalHs ?? stats.nowHs;
  return {
    ...reading,
    mac: info.at('network_info', 'result').asWritten('macaddr'),
    model: split.name ?? known.model,
    firmwareVersion: kit.first(split.version, program.text('Miner'), program.text('CompileTime')),
    hashrateHs,
    hashrateWindow: totalHs === undefined ? '5s' : 'realtime',
    powerW: kit.first(...POWER_KEYS.flatMap((key) => rows.map((row) => toWatts(row.value(key))))),
    isMining: hashrateHs === undefined ? stats.isHashing : hashrateHs > 0,
    fans: withDuty(reading.fans, rows),
    psus: psusOf(rows),
  };
}
