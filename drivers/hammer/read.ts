// Turns the answers of one Hammer or Blackminer into a Reading. It has no faults of its own and no power meter.
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, statsType } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { settingOf } from '../_dialects/bitmain-modes.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { whichBlackMiner } from '../_dialects/black-miner.ts';

type OnTcp = 'stats' | 'pools' | 'version';
type Answers = Readonly<Record<OnTcp | `${OnTcp}Elsewhere` | 'blink' | 'conf' | 'system', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { blink, conf, system } = answers;
  const onTcp = (name: OnTcp) => (answers[name].isThere ? answers[name] : answers[`${name}Elsewhere`]);
  const version = onTcp('version');
  const program = version.row('VERSION');
  const minertype = system.text('minertype');
  const reported = [program.text('Type'), statsType(onTcp('stats')), minertype];
  const device = whichBlackMiner(...reported, known.model && `${known.make ?? ''} ${known.model}`.trim());
  const model = device?.row ?? kit.findModel('hammer-stock', minertype);
  // A Blackminer names its keys by the coin it is loaded with: MHS, or GHS as beside Handshake.
  const stats = readStats(onTcp('stats'), model, { isKeyHonest: device?.make === 'Blackminer' });
  return {
    ...bitmainReading(stats, { version, pools: onTcp('pools'), blink, system }, { expected: model?.expected }),
    make: device?.make ?? known.make,
    model: device?.model ?? minertype,
    firmwareVersion: kit.first(
      ...[program.text('CompileTime'), stats.compileTime, system.text('system_filesystem_version')],
    ),
    miningMode: settingOf(conf) === 0 ? 'normal' : undefined,
    boards: stats.boards?.map(toBoard),
  };
}

/**
 * A Hammer prints `temp1` four times: board, chip, board, chip of two sensors. Of repeated keys only the last is left,
 * which is the second chip; in what was recorded that is the hotter one. Where chips have a key of their own
 * (`chipTemp1`), `temp1` is the board.
 */
function toBoard({ reading }: Board): kit.BoardDraft {
  if (reading.chipTempsC?.some((tempC) => tempC !== undefined)) return reading;
  return { ...reading, boardTempsC: [], chipTempMaxC: reading.boardTempsC?.[0] };
}
