// What Auradine machines answer on TCP 4028 and on port 8080, as far as we read it (atlas 10).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num, temp, text, toNumber, toText } from '../../src/driver/fields.ts';
import { devRow, devsReply, poolsReply, summaryReply, summaryRow, versionReply } from '../_dialects/cgminer.ts';

const asWritten = () => field((value) => toText(value, 128));
const id = () => int({ min: 0, max: 63 });
/** `"58.94W"`, `"4052.00 RPM"`. */
const measure = (max: number) =>
  field((value) =>
    toNumber(typeof value === 'string' ? value.slice(0, 64).replace(/\s*[a-z]+\s*$/i, '') : value, { min: 0, max }),
  );
/** Decimal or hexadecimal (`0x0`). */
const code = () =>
  field((value) => {
    const written = typeof value === 'string' && /^\s*0x[0-9a-f]{1,8}\s*$/i.test(value) ? Number(value.trim()) : value;
    return toNumber(written, { min: 0, max: 1e6 });
  });
const sensors = () => list(z.looseObject({ Temperature: temp() }), 512);

export const modeReply = z.looseObject({
  Mode: list(
    z.looseObject({
      Mode: text(32),
      Sleep: text(16),
      Tune: text(16),
      Power: num({ min: 0, max: 100_000 }),
      Ths: num({ min: 0, max: 1e5 }),
    }),
    1,
  ),
});
export const ledReply = z.looseObject({
  LED: list(z.looseObject({ Code: code(), Msg: text() }), 1),
});

/** One schema per ask of index.ts. */
export const replies = z.object({
  summary: reply(
    summaryReply
      .extend({ SUMMARY: list(summaryRow.extend({ Wattage: num({ min: 0, max: 100_000 }) }), 1) })
      .refine(({ SUMMARY }) => SUMMARY !== undefined),
  ),
  devs: reply(
    devsReply.extend({ DEVS: list(devRow.extend({ ID: id() }), 64) }).refine(({ DEVS }) => DEVS !== undefined),
  ),
  temperature: reply(
    z
      .looseObject({
        Temperature: list(
          z.looseObject({
            ID: id(),
            BoardTemp: sensors(),
            ChipTemp: sensors() /** Of the coolant, with the control board of a hydro machine. */,
            InletTemp: temp(),
            OutletTemp: temp(),
          }),
          64,
        ),
      })
      .refine(({ Temperature }) => Temperature !== undefined),
  ),
  fan: reply(
    z
      .looseObject({
        Fan: list(z.looseObject({ ID: int({ min: 1, max: 32 }), Speed: num({ min: 0, max: 30_000 }) }), 32),
      })
      .refine(({ Fan }) => Fan !== undefined),
  ),
  psu: reply(
    z
      .looseObject({
        PSU: list(
          z.looseObject({
            PowerIn: measure(100_000),
            PowerOut: measure(100_000),
            Vin: measure(1_000),
            Vout: measure(1_000),
            FanSpeed1: measure(30_000),
          }),
          16,
        ),
      })
      .refine(({ PSU }) => PSU !== undefined),
  ),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  mode: reply(modeReply.refine(({ Mode }) => Mode?.[0] !== undefined)),
  led: reply(ledReply.refine(({ LED }) => LED?.[0] !== undefined)),
  frequency: reply(
    z.looseObject({
      Frequency: list(
        z.looseObject({
          ID: id(),
          ChipFrequency: list(z.looseObject({ Frequency: num({ min: 1, max: 10_000 }) }), 512),
        }),
        64,
      ),
    }),
  ),
  asccount: reply(
    z.looseObject({
      ASCCount: list(
        z.looseObject({ AsicCount: int({ min: 0, max: 100_000 }), BoardCount: int({ min: 0, max: 63 }) }),
        1,
      ),
    }),
  ),
  ipreport: reply(
    z
      .looseObject({
        IPReport: list(
          z.looseObject({
            mac: asWritten(),
            SerialNo: asWritten(),
            CBSerialNo: text(),
            HBSerialNo: list(z.string(), 16),
            InternalType: text(64),
            hostname: text(),
            model: text(),
            version: text(),
          }),
          1,
        ),
      })
      .refine(({ IPReport }) => IPReport?.[0] !== undefined),
  ),
  version: reply(versionReply.refine(({ VERSION }) => VERSION?.[0] !== undefined)),
});
export type Replies = z.output<typeof replies>;
