// A driver of a folder as the core sees it: its data is here, and each of its functions asks its process. What comes
// back is checked; nonsense is a bug of that driver.
import { z } from 'zod';
import { BugError, PeerError } from '../../../base/errors.ts';
import { ABILITY_NAMES, type AbilityName } from '../../../model/tasks/task-kinds.data.ts';
import type { MinerLink } from '../../../transport/request.ts';
import { type ActResult, type FirmwareImage, type Identity, identitySchema, type Known } from '../../contract.ts';
import type { EvidenceParts } from '../../family.ts';
import type { Family, IpReportForm } from '../../recognition.ts';
import type { LoadedAbilities, LoadedAbility, LoadedDriver, RemoteReportForm } from '../loaded-driver.ts';
import type { Described } from './described.ts';

export type ActCall = {
  readonly ability: AbilityName;
  readonly fn: 'act' | 'provesLogin';
  readonly link: MinerLink;
  readonly params: unknown;
  readonly known: Known;
  readonly image: FirmwareImage | undefined;
};

/** The process of a driver, as far as that driver needs it. */
export type Remote = {
  call(fn: string, args: readonly unknown[]): Promise<unknown>;
  /** Ids of the families that the answers prove. */
  prove(answers: EvidenceParts): Promise<unknown>;
  act(call: ActCall): Promise<unknown>;
  /** What of an IP report is the address, and what the MAC. */
  claim(text: string): Promise<unknown>;
  waitsFor(): string | undefined;
  /** What a function answered is not what it owes. */
  unfit(fn: string): void;
  /** For errors that nothing else hears of. */
  broke(error: unknown): void;
};

export type Permissions = { readonly allow: readonly AbilityName[] };

const MAX_NOTE = 512;
const MAX_LOG = 1024 * 1024;
const MAX_NAMES = 128;

const maybeIdentity = identitySchema.optional();
const readResultSchema = z.object({
  reading: z.record(z.string(), z.unknown()),
  unparsable: z.array(z.string().max(64)).max(MAX_NAMES),
});
const claimSchema = z.object({ ip: z.string().exactOptional(), mac: z.string().exactOptional() }).optional();
const shownSchema = z.boolean().optional();
const provenSchema = z.array(z.string());
const resultSchema: z.ZodType<ActResult> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('accepted'),
    note: z
      .string()
      .transform((text) => text.slice(0, MAX_NOTE))
      .exactOptional(),
    log: z.string().max(MAX_LOG).exactOptional(),
  }),
  z.object({ kind: z.literal('lost-reply') }),
]);

export function folderDriver(
  { families, ipReport, abilities, afterLogin, identify, read, ...data }: Described,
  { origin, remote, allow }: { readonly origin: string; readonly remote: Remote } & Permissions,
): LoadedDriver {
  const { id } = data;
  const checked = <T>(fn: string, schema: z.ZodType<T>, value: unknown, what = fn): T => {
    const { data: fitting, error } = schema.safeParse(value);
    if (error === undefined) return fitting;
    remote.unfit(fn);
    throw new BugError(`${what} of driver ${id}: its answer is none`, error);
  };
  const identified = async (fn: string, about: unknown): Promise<Identity | undefined> =>
    checked(fn, maybeIdentity, await remote.call(fn, [about]));
  /** A driver that breaks here recognises nothing, shows nothing, and leaves it to the others. */
  const orElse = <T>(otherwise: T, answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      remote.broke(error);
      return otherwise;
    });
  return {
    ...data,
    origin,
    ...(families && {
      families: families.map(wordsOf),
      prove: (answers) => orElse([], proven(families, remote, answers)),
    }),
    ...(ipReport && {
      ipReport: reportForm(ipReport, (text) => orElse(undefined, remote.claim(text).then(claimSchema.parse))),
    }),
    abilities: allowed(abilities, allow, { id, remote, checked, orElse }),
    withheld: ABILITY_NAMES.filter((name) => abilities[name] !== undefined && !allow.includes(name)),
    ...(afterLogin && {
      afterLogin: {
        ask: afterLogin.ask,
        mayBe: (evidence) =>
          orElse(
            false,
            remote.call(afterLogin.mayBe.fn, [evidence]).then((answer) => answer === true),
          ),
        identify: (answer) => orElse(undefined, identified(afterLogin.identify.fn, answer)),
      },
    }),
    identify: (evidence) => orElse(undefined, identified(identify.fn, evidence)),
    async read(raw, known) {
      return checked(read.fn, readResultSchema, await remote.call(read.fn, [raw, known]));
    },
    waitsFor: () => remote.waitsFor(),
  };
}

type OrElse = <T>(otherwise: T, answer: Promise<T>) => Promise<T>;
type Check = <T>(fn: string, schema: z.ZodType<T>, value: unknown, what?: string) => T;

function allowed(
  abilities: Described['abilities'],
  allow: readonly AbilityName[],
  { id, remote, checked, orElse }: { id: string; remote: Remote; checked: Check; orElse: OrElse },
): LoadedAbilities {
  const made: Partial<Record<AbilityName, LoadedAbility>> = {};
  for (const name of ABILITY_NAMES) {
    const described = abilities[name];
    if (described === undefined || !allow.includes(name)) continue;
    const { shows, provesLogin, act: _, ...rule } = described;
    const run = (call: Omit<ActCall, 'ability'>) => remote.act({ ability: name, ...call });
    made[name] = {
      ...rule,
      // Its process checks them before it begins.
      params: z.unknown(),
      act: async (link, params, known, image) =>
        checked('act', resultSchema, await run({ fn: 'act', link, params, known, image }), `act of ${name}`),
      ...(provesLogin && {
        provesLogin: async (link: MinerLink, known: Known) => {
          const result = await run({ fn: 'provesLogin', link, params: {}, known, image: undefined });
          // Its process ended on the way.
          if (result !== undefined) throw new BugError(`prove the login by driver ${id}: it came to no end`);
        },
      }),
      ...(shows && {
        shows: (reading: unknown, params: unknown) =>
          orElse(
            undefined,
            remote.call(shows.fn, [reading, params]).then((answer) => checked(shows.fn, shownSchema, answer)),
          ),
      }),
    };
  }
  return made;
}

function reportForm(
  { port, isPacked }: NonNullable<Described['ipReport']>,
  claim: RemoteReportForm['claim'],
): IpReportForm | RemoteReportForm {
  return isPacked ? { port, isPacked } : { port, claim };
}

type DescribedFamily = NonNullable<Described['families']>[number];

/** Words are compared here; shapes and patterns are judged where the driver runs. */
const wordsOf = ({ realms: _, page, answers, ...family }: DescribedFamily): Family => ({
  ...family,
  ...(answers && { answers: answers.map((answer) => ({ ...answer, shape: z.never() })) }),
  ...(page && { page: { ...page, shape: z.never() } }),
});

async function proven(
  families: readonly DescribedFamily[],
  remote: Remote,
  answers: EvidenceParts,
): Promise<readonly string[]> {
  if (!families.some((family) => mayProve(family, answers))) return [];
  return provenSchema.parse(await remote.prove(answers));
}

/** Whether there is an answer that only shapes and patterns can tell of. */
const mayProve = ({ realms, page, answers = [] }: DescribedFamily, given: EvidenceParts) =>
  (realms !== undefined && given.web?.status === 401) ||
  (page !== undefined && given.familyPage !== undefined) ||
  answers.some(({ to }) => given[to] !== undefined);

/** A driver that cannot be asked now. */
export const waiting = (id: string, why: string): PeerError =>
  new PeerError('peer.busy', `ask driver ${id}: ${why}`, 'later', undefined, { wasSent: false });
