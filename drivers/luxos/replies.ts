// What LuxOS answers on TCP 4028, as far as we read it (atlas 7). The envelopes are CGMiner's; LuxOS adds commands and
// keys of its own.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, temp, text, toText } from '../../src/driver/fields.ts';
import { statsReply, toWatts } from '../_dialects/bitmain.ts';
import { devRow, devsReply, poolsReply, summaryReply, versionReply } from '../_dialects/cgminer.ts';

/** Serial numbers and MACs are opaque: what is malformed is judged elsewhere and must arrive as written. */
const asWritten = () => field((value) => toText(value, 128));
const slot = () => int({ min: 0, max: 63 });

const configRow = z.looseObject({
  Hostname: text(),
  MACAddr: asWritten(),
  SerialNumber: asWritten(),
  Model: text(),
  ControlBoardType: text(),
  Cooling: text(32),
  ImmersionMode: bool(),
  PSULabel: text(),
  /** `auto`, `on`, `off`, `blink`. */
  RedLed: text(16),
  GreenLed: text(16),
  /** `None`, `Sleep`, ... */
  CurtailMode: text(32),
  Profile: text(64),
  NameplateTHS: num({ min: 0, max: 1e6 }),
  IsAtmEnabled: bool(),
});
export type Config = z.output<typeof configRow>;

/** What `act` reads before it changes anything. */
export const configReply = z.looseObject({ CONFIG: list(configRow, 1) });

const boardRow = devRow.extend({
  ID: slot(),
  SerialNumber: text(),
  IsUserShutdown: bool(),
});
export type BoardRow = z.output<typeof boardRow>;

/** Four corners per board; other machines name their sensors otherwise. */
export const CORNERS = ['TopLeft', 'TopRight', 'BottomLeft', 'BottomRight'] as const;
const label = z.looseObject({ Label: text() }).optional().catch(undefined);

const tempsReply = z.looseObject({
  /** `Board` and `Chip` of an S9; of others every sensor under the name that METADATA explains. */
  TEMPS: list(z.looseObject({ ID: slot(), Board: temp(), Chip: temp() }), 64),
  METADATA: list(z.record(z.string(), label), 1),
});
export type Temps = z.output<typeof tempsReply>;

const fansReply = z.looseObject({
  FANS: list(
    z.looseObject({
      ID: int({ min: 0, max: 31 }),
      RPM: num({ min: 0, max: 30_000 }),
      Speed: num({ min: 0, max: 100 }),
    }),
    32,
  ),
});
export type Fans = z.output<typeof fansReply>;

const eventRow = z.looseObject({
  Code: asWritten(),
  Description: text(256),
  Target: text(32),
  ID: int({ min: 0, max: 999 }),
});
export type EventRow = z.output<typeof eventRow>;

export const profilesReply = z.looseObject({
  PROFILES: list(z.looseObject({ 'Profile Name': text(64), Watts: field(toWatts) }), 256),
});

/** One schema per ask of index.ts. */
export const replies = z.object({
  summary: reply(summaryReply.refine(({ SUMMARY }) => SUMMARY !== undefined)),
  devs: reply(devsReply.extend({ DEVS: list(boardRow, 64) }).refine(({ DEVS }) => DEVS !== undefined)),
  stats: reply(statsReply.refine(({ STATS }) => STATS !== undefined)),
  temps: reply(tempsReply.refine(({ TEMPS }) => TEMPS !== undefined)),
  power: reply(z.looseObject({ POWER: list(z.looseObject({ Watts: field(toWatts) }), 1) })),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  fans: reply(fansReply.refine(({ FANS }) => FANS !== undefined)),
  config: reply(configReply.refine(({ CONFIG }) => CONFIG?.[0] !== undefined)),
  events: reply(z.looseObject({ EVENTS: list(eventRow, 64) })),
  version: reply(versionReply.refine(({ VERSION }) => VERSION?.[0] !== undefined)),
  profiles: reply(profilesReply),
});
export type Replies = z.output<typeof replies>;
