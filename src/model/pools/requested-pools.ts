// The pools of a `miner.pool.update` as people ask for them: workers as templates, and parts that stay as the miner has
// them. resolve-pools.ts makes of it what is sent to one miner.
import { z } from 'zod';
import { orNull } from '../tasks/or-null.ts';
import { POOL_FIELDS, POOL_PASSWORD, poolList } from '../tasks/task-params.ts';
import { factsOf, TEMPLATE_FORMS, TEMPLATE_PATTERN, type TemplateFact } from './worker-template.ts';

export const kept = z.strictObject({
  keep: z.literal(true).meta({ description: 'As the miner has it in the pool of the same number' }),
});
export type Kept = z.output<typeof kept>;

const orKept = <S extends z.ZodType>(schema: S, accepted: string) =>
  z.union([schema, kept], { error: `accepted: ${accepted}, or {"keep": true}` });

const template = POOL_FIELDS.user.regex(TEMPLATE_PATTERN, { error: `accepted: ${TEMPLATE_FORMS}` });

export const REQUESTED_POOL_FIELDS = {
  url: orKept(POOL_FIELDS.url, 'an address such as stratum+tcp://pool.example:3333'),
  user: orKept(template, TEMPLATE_FORMS).meta({
    description: `The worker, as the pool knows it: ${TEMPLATE_FORMS}`,
  }),
  password: orNull(orKept(POOL_PASSWORD, 'text of which every character can be seen')).meta({
    description: 'For the miner only: no answer shows it. Not given: `x`, which most pools take',
  }),
};

/** Wrong braces are let in: who resolves them names the miners. */
export const requestedPoolsSchema = poolList(
  z.looseObject({ ...REQUESTED_POOL_FIELDS, user: orKept(POOL_FIELDS.user, TEMPLATE_FORMS) }),
);
export type RequestedPool = z.output<typeof requestedPoolsSchema>[number];
export type RequestedPools = readonly RequestedPool[];

export const isKept = (part: string | Kept | undefined): part is Kept => typeof part === 'object';

/** Where the miner stands, which the service knows: part of the params of a task where a template names it. */
export const locationSchema = z.object({
  rack: z.string().max(255).nullish(),
  position: z.int().nullish(),
});
export type PoolLocation = z.output<typeof locationSchema>;
/** By address, from who knows: the host of an agent does not. */
export const poolLocationsSchema = z.record(z.ipv4(), locationSchema);

/** Of an update of pools: workers that some of the miners would get; why it is refused, which miners lack what. */
export const POOLS_PREVIEW_FIELDS = {
  pools_preview: z.array(z.object({ ip: z.string(), user: z.string() })).exactOptional(),
  pools_refusal: z.string().exactOptional(),
};

const namedIn = (pools: RequestedPools): ReadonlySet<TemplateFact> =>
  new Set(pools.flatMap(({ user }) => (isKept(user) ? [] : [...factsOf(user)])));

const LOCATION_FACTS = ['rack', 'position'] as const satisfies readonly TemplateFact[];

/** What the workers say of where a miner stands. */
export function locationFactsOf(pools: RequestedPools): readonly (typeof LOCATION_FACTS)[number][] {
  const named = namedIn(pools);
  return LOCATION_FACTS.filter((fact) => named.has(fact));
}

export const needsLocation = (pools: RequestedPools): boolean => locationFactsOf(pools).length > 0;

/** Whether what is sent depends on the pools that the miner has now. */
export const needsPools = (pools: RequestedPools): boolean =>
  namedIn(pools).has('worker') || pools.some(({ url, user, password }) => [url, user, password].some(isKept));
