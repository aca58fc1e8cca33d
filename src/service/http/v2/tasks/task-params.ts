// What each task takes, by its name. Miners and agents check again what reaches them; here a client learns at once what does not fit.
import { z } from 'zod';
import { parseIpv4Range, RANGE_FORMS, RANGE_PATTERN } from '../../../../base/net/ipv4.ts';
import { SEEN_TEXT } from '../../../../model/plain-text.ts';
import { EXECUTION_TASK_NAMES } from '../../../../model/task.ts';
import { forceSchema } from '../../shared/batch-creation.ts';
import { givenId } from '../../shared/parameters.ts';
import { closedObject, ofGoodFields, show } from '../../shared/validation.ts';

/** Told in the description too, so that clients know it before they are refused. */
const LABEL = '[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const PATH = "/[\\w.~!$&'()*+,;=:@%/?-]*";
const HTTPS_ADDRESS = new RegExp(`^https://(${LABEL}(\\.${LABEL})*|${OCTET}(\\.${OCTET}){3})(:${PORT})?(${PATH})?$`);
const MAX_TARGETS = 1_000;
const ids = z.array(givenId).min(1).max(MAX_TARGETS);

/** No control characters: some devices keep their settings as lines of text. */
const maybeBlank = (max: number) =>
  z.string().max(max).regex(SEEN_TEXT, { error: 'accepted: text of which every character can be seen' });
const printable = (max: number) => maybeBlank(max).min(1);
const sha256 = z.string().regex(/^[0-9A-Fa-f]{64}$/, { error: 'accepted: 64 hexadecimal digits' });

const pool = closedObject({
  url: printable(255).regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/:]+(:\d{1,5})?(\/\S*)?$/, {
    error: 'accepted: an address such as stratum+tcp://pool.example:3333',
  }),
  user: printable(255).meta({ description: 'The worker, as the pool knows it' }),
  password: maybeBlank(255).optional().meta({ description: 'For the miner only: no answer shows it' }),
});

const powerMode = closedObject({
  mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
  preset: printable(64).optional().meta({ description: 'Name of a preset of the miner' }),
})
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined), {
    ...ofGoodFields,
    error: 'accepted: an object with either mode or preset',
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const range = z
  .string()
  .max(64)
  .superRefine((text, context) => {
    const parsed = parseIpv4Range(text);
    if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: `received ${show(text)}: ${parsed}` });
  })
  .meta({ description: RANGE_FORMS, pattern: RANGE_PATTERN });

const version = printable(64);

const MAX_EXPIRY_S = 86_400;
const expiry = z.int().min(60).max(MAX_EXPIRY_S).optional().meta({
  description: 'Seconds. What is not begun within them ends as timeout; not given = 900, with a rollout 14400',
});

const rollout = closedObject({
  canary: z.int().min(1).max(MAX_TARGETS).optional().meta({
    description:
      'So many of the miners, as they are listed, go first; the others only when all of these have succeeded',
  }),
  stop_after: z
    .int()
    .min(1)
    .max(MAX_TARGETS)
    .optional()
    .meta({ description: 'Failures after which no more are begun' }),
  stop_after_percent: z.int().min(1).max(100).optional().meta({
    description:
      'The same as a share of the tasks of the batch, rounded up; of two limits the first to be reached counts',
  }),
})
  .refine((limits) => Object.keys(limits).length > 0, {
    ...ofGoodFields,
    error: 'accepted: an object with canary, stop_after or stop_after_percent',
  })
  .meta({
    minProperties: 1,
    description:
      'Each batch for itself, by its agent, whether or not it is connected. Failures and timeouts count, refusals included; what is cancelled does not. When a batch is stopped, what was sent goes on to its proof, what waits ends as cancelled with the reason in its message, and `metadata.stopped` of the batch says so. An agent of a version that cannot do this fails the tasks as unsupported',
  })
  .optional();

const forMiners = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), miner_ids: ids, params, rollout, expires_in_s: expiry });
const forAgents = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), agent_ids: ids, params, expires_in_s: expiry });

/** One form per execution task name. */
export const orderSchema = z.discriminatedUnion(
  'task_name',
  [
    forMiners('miner.system.reboot', closedObject({ force: forceSchema }).optional()),
    forMiners('miner.log.get', closedObject({}).optional()),
    forMiners('miner.light.update', closedObject({ on: z.boolean() })),
    forMiners('miner.power_mode.update', powerMode),
    forMiners(
      'miner.pool.update',
      closedObject({ pools: z.array(pool).min(1).max(8).meta({ description: 'The whole list, best first' }) }),
    ),
    forMiners(
      'miner.pool.lock',
      closedObject({
        locked: z.boolean().meta({
          description:
            'true: the agent sets the pools of the last miner.pool.update again whenever the miner shows others. It must have carried that update out, and the miner must show its pools',
        }),
      }),
    ),
    forMiners(
      'miner.firmware.update',
      closedObject({
        url: z.url({ protocol: /^https?$/, error: 'accepted: an http or https address' }).max(2_048),
        sha256,
        version: version.optional(),
      }),
    ),
    forAgents(
      'agent.scan.create',
      closedObject({
        ranges: z
          .array(range)
          .min(1)
          .max(256)
          .optional()
          .meta({ description: 'Within the networks configured on site; not given = all of them' }),
      }).optional(),
    ),
    forAgents(
      'agent.self.update',
      closedObject({
        version: version.optional().meta({ description: 'Only if the update is of this version' }),
        url: z
          .url({ protocol: /^https$/, error: 'accepted: an https address' })
          .regex(HTTPS_ADDRESS, { error: 'accepted: an https address with the name or IPv4 address of a host' })
          .max(2_048)
          .optional()
          .meta({
            description: 'Of the signed bundle for the platform of the agents; the host must be allowed on site',
          }),
        sha256: sha256.optional().meta({ description: 'Of the bundle' }),
      }).optional(),
    ),
  ],
  {
    error: (issue) => (issue.code === 'invalid_union' ? `accepted: ${EXECUTION_TASK_NAMES.join(', ')}` : undefined),
  },
);
