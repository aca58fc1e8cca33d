// Turns the answers of one miner with Hiveon firmware into a Reading. Old machines count three chains to a board.
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, statsRows, statsType } from '../_dialects/bitmain.ts';
import { isBlinkingForm } from '../_dialects/bitmain-forms.ts';
import { modeName, settingOf } from '../_dialects/bitmain-modes.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { psusOf, withDuty } from '../_dialects/rwglr.ts';

type Asked = 'stats' | 'pools' | 'version' | 'summary' | 'conf' | 'blink' | 'blinkForm' | 'system';
type Answers = Readonly<Record<Asked, kit.Answer>>;

/** The keys of a T9's ambient sensors: the air at each board. */
const T9_AMBIENT = ['temp3_2', 'temp3_3', 'temp3_4'] as const;

/** `Antminer S19 HIVEON`, `Antminer T9 (Hiveon)`: the firmware adds its own name to the model's. */
export function modelOf(reported: string | undefined): { readonly name?: string; readonly row?: kit.Model } {
  const bare = reported?.replace(/[\s([-]*hiveon.*$/i, '').trim();
  if (bare === undefined || bare === '') return {};
  const row = kit.findModel('hiveon', bare) ?? kit.findAntminer(bare);
  return { name: row?.model ?? bare, ...(row && { row }) };
}

/** Machines from before the web of 2020. Undefined when the model is not known: then it is asked everything. */
export function generationOf(model: string | undefined): 'old' | 'modern' | undefined {
  if (model === undefined) return undefined;
  return /^([STL]\d(?!\d)|S1[157]|T1[57])/.test(model) ? 'old' : 'modern';
}

export function read({ stats: answer, conf, blinkForm, ...answers }: Answers, known: kit.Known): kit.Draft {
  const { system } = answers;
  const version = answers.version.row('VERSION');
  const reported = [version.text('Type'), statsType(answer), system.text('minertype'), known.model];
  const { name, row } = modelOf(kit.first(...reported));
  const stats = readStats(answer, row);
  // As on stock: the running process knows it best, and where the two names of the setting disagree neither is
  // believed.
  const mode = modeName(stats.mode ?? settingOf(conf), row?.model);
  const rows = statsRows(answer);
  const reading = bitmainReading(stats, answers, {
    expected: row?.expected,
    mode: mode === 'normal' || mode === 'sleep' ? mode : undefined,
  });
  return {
    ...reading,
    model: name,
    firmwareVersion: kit.first(
      ...[version.text('Miner'), version.text('CompileTime'), system.text('system_filesystem_version')],
    ),
    isLightOn: reading.isLightOn ?? isBlinkingForm(blinkForm),
    ...(name === 'T9' && { inletTempC: kit.mean(T9_AMBIENT.flatMap((key) => rows.map((row) => row.tempC(key)))) }),
    fans: withDuty(reading.fans, rows),
    psus: psusOf(rows),
  };
}
