// Schemas of Whatsminer answers: TCP 4028 (API 1 and 2, atlas 4.1) and TCP 4433 (API 3, atlas 4.3). Lenient in shape,
// strict in range. Where a word stands in place of data (`btminer process is down err`), the word gets through: it is a
// state of the miner, not a bad answer.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, int, list, num, poolAddress, temp, text } from '../../src/driver/fields.ts';
import { devRow, devsReply, poolsReply, summaryReply, summaryRow } from '../_dialects/cgminer.ts';

const rpm = () => num({ min: 0, max: 30_000 });
const watts = () => num({ min: 0, max: 100_000 });
const mhz = () => num({ min: 0, max: 10_000 });
const chips = () => int({ min: 0, max: 100_000 });
const seconds = () => num({ min: 0, max: 4e9 });
/** 0.01 V. Small numbers (M3) are a level, no voltage. */
const outputVolts = () => num({ min: 500, max: 6_000 });

/** Plain text on 4028, or `msg` or the list of faults as text on 4433. */
export const down = z.string().regex(/process is down|connect failed/i);

const tcpSummaryRow = summaryRow.extend({
  MAC: text(128),
  'Factory GHS': num({ min: 1e-9 }),
  Power: watts(),
  Power_RT: watts(),
  'Power Limit': watts(),
  'Power Mode': text(),
  'Power Fanspeed': rpm(),
  'Power Voltage Input': num(),
  Voltage: outputVolts(),
  'Fan Speed In': rpm(),
  'Fan Speed Out': rpm(),
  'Env Temp': temp(),
  'Chip Temp Max': temp(),
  Temperature: temp(),
  Uptime: seconds(),
  'Liquid Cooling': bool(),
  'Firmware Version': text(),
  'CB Platform': text(),
  'Error Code Count': int({ min: 0 }),
});

export type TcpSummaryRow = z.output<typeof tcpSummaryRow>;

const tcpBoardRow = devRow.extend({
  Slot: int({ min: 0, max: 63 }),
  'Chip Frequency': mhz(),
  Frequency: mhz(),
  'Factory GHS': num({ min: 1e-9 }),
  'Effective Chips': chips(),
  'PCB SN': text(),
  'Chip Temp Max': temp(),
  'Chip Temp Avg': temp(),
});
export type TcpBoardRow = z.output<typeof tcpBoardRow>;

const tcpBoards = z
  .looseObject({ ...devsReply.shape, DEVS: list(tcpBoardRow, 64) })
  .refine((answer) => answer.DEVS !== undefined);

const coolantC = () => num({ min: 1, max: 120 });

/** Flat envelope of `get_*` and `status`. */
const flat = <S extends z.ZodType>(msg: S) => z.looseObject({ When: seconds(), Msg: msg });

export const deviceInfo = z.looseObject({
  network: z
    .looseObject({ mac: text(128), hostname: text() })
    .optional()
    .catch(undefined),
  system: z
    .looseObject({
      api: text(),
      fwversion: text(),
      platform: text(),
      'control-board-version': text(),
      ledstatus: text(),
    })
    .optional()
    .catch(undefined),
  /** Holds `pcbsn0`, `pcbsn1`, ... as well. */
  miner: z
    .looseObject({ type: text(), 'miner-sn': text(128), working: bool(), 'board-num': int({ min: 1, max: 63 }) })
    .optional()
    .catch(undefined),
  power: z
    .looseObject({
      model: text(),
      type: text(),
      sn: text(),
      mode: text(),
      /** Of the coolant; only what has one tells it. */
      'liquid-temperature': coolantC(),
      fanspeed: rpm(),
      temp0: temp(),
      vin: num(),
      vout: outputVolts(),
    })
    .optional()
    .catch(undefined),
  'error-code': z.unknown().optional(),
});

/** TH/s and W; negative = not known. */
const status3Summary = z.looseObject({
  elapsed: seconds(),
  'hash-realtime': num({ min: 0 }),
  'hash-1min': num({ min: 0 }),
  'hash-15min': num({ min: 0 }),
  'hash-average': num({ min: 0 }),
  'factory-hash': num({ min: 1e-9 }),
  'power-realtime': watts(),
  'power-5min': watts(),
  'power-limit': watts(),
  'power-mode': text(),
  'fan-speed-in': rpm(),
  'fan-speed-out': rpm(),
  'environment-temperature': temp(),
  'board-temperature': z.array(temp()).max(64).optional().catch(undefined),
  'chip-temp-max': temp(),
});

const status3Board = z.looseObject({
  id: int({ min: 0, max: 63 }),
  slot: int({ min: 0, max: 63 }),
  'hash-average': num({ min: 0 }),
  'hash-realtime': num({ min: 0 }),
  'factory-hash': num({ min: 1e-9 }),
  'effective-chips': chips(),
  freq: mhz(),
  'chip-temp-max': temp(),
  'chip-temp-avg': temp(),
  status: text(),
});
export type Status3Board = z.output<typeof status3Board>;

const status3Pool = z.looseObject({
  id: int({ min: 0, max: 63 }),
  url: poolAddress(),
  account: text(512),
  status: text(),
  'stratum-active': bool(),
});

const framed = <S extends z.ZodType>(msg: S) => z.looseObject({ when: seconds(), msg: z.union([msg, down]) });

/** Firmware from 2025 on puts the row of `summary` into the flat envelope. */
const flatSummary = flat(tcpSummaryRow.refine(({ Elapsed }) => Elapsed !== undefined)).transform(({ When, Msg }) => ({
  STATUS: undefined,
  When,
  SUMMARY: [Msg],
}));

/** One schema per ask, in the order of `asks` in index.ts. */
export const replies = z.object({
  summary: reply(
    z.union([
      z
        .looseObject({ ...summaryReply.shape, SUMMARY: list(tcpSummaryRow, 4) })
        .refine(({ SUMMARY }) => SUMMARY?.[0] !== undefined),
      flatSummary,
      down,
    ]),
  ),
  edevs: reply(tcpBoards),
  devs: reply(tcpBoards),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  status: reply(
    flat(
      z.looseObject({
        btmineroff: bool(),
        mineroff: bool(),
        'Firmware Version': text(),
        FirmwareVersion: text(),
        liquid_temp: coolantC(),
      }),
    ),
  ),
  errorCode: reply(flat(z.looseObject({ error_code: z.unknown().optional() }))),
  minerInfo: reply(
    flat(z.looseObject({ mac: text(128), hostname: text(), minersn: text(128), powersn: text(), ledstat: text() })),
  ),
  getVersion: reply(flat(z.looseObject({ fw_ver: text(), api_ver: text(), platform: text(), miner_type: text() }))),
  psu: reply(
    flat(
      z.looseObject({ name: text(), model: text(), serial_no: text(), fan_speed: rpm(), temp0: temp(), vin: num() }),
    ),
  ),
  devdetails: reply(z.looseObject({ DEVDETAILS: list(z.looseObject({ Model: text() }), 64) })),
  info3: reply(framed(deviceInfo)),
  summary3: reply(framed(z.looseObject({ summary: status3Summary }))),
  edevs3: reply(framed(z.looseObject({ edevs: list(status3Board, 64) }))),
  pools3: reply(framed(z.looseObject({ pools: list(status3Pool, 64) }))),
});
export type Replies = z.output<typeof replies>;
