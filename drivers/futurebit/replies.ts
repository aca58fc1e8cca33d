// What a FutureBit Apollo answers, as far as we read it (atlas 23).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num, temp, text, toNumber, toText } from '../../src/driver/fields.ts';

const part = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);
const count = () => int({ min: 0, max: 1e15 });
const asWritten = () => field((value) => toText(value, 128));

const toSpeeds = (value: unknown) =>
  (Array.isArray(value) ? value.slice(0, 8) : [value]).map((rpm) => toNumber(rpm, { min: 0, max: 30_000 }));
const ghs = () => num({ min: 0, max: 1e9 });

/** One unit: an Apollo may have others standing beside it. */
const unit = z.looseObject({
  /** Of the file that the statistics come from. */
  statVersion: text(),
  /** `v1`, `v2`, `v3`: the generation of the machine. */
  version: text(),
  versions: part(z.looseObject({ miner: text() })),
  master: part(
    z.looseObject({
      upTime: num({ min: 0, max: 4e9 }),
      boardsW: num({ min: 0, max: 100_000 }),
      intervals: part(
        z.looseObject({
          int_0: part(z.looseObject({ bySol: ghs(), errors: count() })),
          int_900: part(z.looseObject({ interval: num({ min: 0, max: 4e9 }), bySol: ghs() })),
        }),
      ),
    }),
  ),
  slots: part(
    z.looseObject({
      int_0: part(
        z.looseObject({
          chips: int({ min: 0, max: 100_000 }),
          temperature: temp(),
          temperature1: temp(),
          ghs: ghs(),
        }),
      ),
    }),
  ),
  slaves: list(z.looseObject({ uid: asWritten() }), 16),
  /** A list, one speed per fan. */
  fans: part(z.looseObject({ int_0: part(z.looseObject({ rpm: field(toSpeeds) })) })),
  pool: part(
    z.looseObject({
      host: text(500),
      port: int({ min: 1, max: 65_535 }),
      userName: text(512),
      diff: num({ min: 0, max: 1e30 }),
      intervals: part(
        z.looseObject({
          int_0: part(z.looseObject({ sharesAccepted: count(), sharesRejected: count(), inService: num({ min: 0 }) })),
        }),
      ),
    }),
  ),
});
export type Unit = z.output<typeof unit>;

/** `status` is a boolean on older builds, a word on newer ones. */
const online = z.looseObject({
  status: z
    .union([z.boolean(), z.string().max(64)])
    .optional()
    .catch(undefined),
});

const statsReply = z.looseObject({
  data: z.looseObject({
    Miner: z.looseObject({
      stats: part(z.looseObject({ result: part(z.looseObject({ stats: list(unit, 16) })) })),
      online: part(z.looseObject({ result: part(z.looseObject({ online: part(online) })) })),
    }),
  }),
});

const hostReply = z.looseObject({
  data: z.looseObject({
    Mcu: z.looseObject({
      stats: z.looseObject({
        result: z.looseObject({
          stats: z.looseObject({
            hostname: text(),
            network: list(z.looseObject({ name: text(), mac: asWritten() }), 32),
          }),
        }),
      }),
    }),
  }),
});

/** Whatever the command is, its answer stands under its own name. */
export const mutationReply = z.looseObject({
  data: z.looseObject({
    Miner: z.record(z.string(), z.looseObject({ error: z.looseObject({ message: z.string() }).nullish() })),
  }),
});
export const errorsReply = z.looseObject({ errors: z.array(z.looseObject({ message: z.string() })).min(1) });

export const replies = z.object({ stats: reply(statsReply), host: reply(hostReply) });
export type Replies = z.output<typeof replies>;
