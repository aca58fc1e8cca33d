// What each task takes, said once: the fields with their bounds and the words that the interface shows. The service
// takes these fields and no others; agents and drivers leave fields that they do not know.
import { z } from 'zod';
import { parseIpv4Range, RANGE_FORMS, RANGE_PATTERN } from '../../base/net/ipv4.ts';
import { SEEN_TEXT } from '../plain-text.ts';
import { orNull } from './or-null.ts';
import type { ExecutionTaskName } from './task-kinds.data.ts';

/** In the pattern too, so that clients know it before they are refused. */
const LABEL = '[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const PATH = "/[\\w.~!$&'()*+,;=:@%/?-]*";
const HTTPS_ADDRESS = new RegExp(`^https://(${LABEL}(\\.${LABEL})*|${OCTET}(\\.${OCTET}){3})(:${PORT})?(${PATH})?$`);

/** No control characters: some devices keep their settings as lines of text. */
const maybeBlank = (max: number) =>
  z.string().max(max).regex(SEEN_TEXT, { error: 'accepted: text of which every character can be seen' });
const printable = (max: number) => maybeBlank(max).min(1);
const version = printable(64);
/** No way to another folder. */
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ()+,._-]{0,199}$/, { error: 'accepted: the name of a file' });
const family = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'accepted: the id of a driver' });
const sha256 = z.string().regex(/^[0-9A-Fa-f]{64}$/, { error: 'accepted: 64 hexadecimal digits' });

export const POOL_PASSWORD = maybeBlank(255);
/** Of a pool as a miner gets it; what people ask for is in `pools/requested-pools.ts`. */
export const POOL_FIELDS = {
  url: printable(255).regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/:]+(:\d{1,5})?(\/\S*)?$/, {
    error: 'accepted: an address such as stratum+tcp://pool.example:3333',
  }),
  user: printable(255).meta({ description: 'The worker, as the pool knows it' }),
  password: orNull(POOL_PASSWORD).meta({ description: 'For the miner only: no answer shows it' }),
};
/** The whole list of a miner, best first. */
export const poolList = <P extends z.ZodType>(pool: P) => z.array(pool).min(1).max(8);

/** Of one login. */
const MAX_LOGIN_ADDRESSES = 256;

export const POWER_MODES = ['sleep', 'low', 'normal', 'high'] as const;
export type PowerMode = (typeof POWER_MODES)[number];

const range = z
  .string()
  .max(64)
  .superRefine((text, context) => {
    const parsed = parseIpv4Range(text);
    if (typeof parsed === 'string')
      context.addIssue({ code: 'custom', message: `received ${JSON.stringify(text.slice(0, 64))}: ${parsed}` });
  })
  .meta({ description: RANGE_FORMS, pattern: RANGE_PATTERN });

/** The params of each task but `miner.pool.update`, whose one field `pools` is a `poolList`. */
export const PARAMS_FIELDS = {
  'miner.system.reboot': {
    force: orNull(z.boolean()).meta({
      description: 'Reboot even if the miner is flagged as updating or was rebooted just now',
    }),
  },
  'miner.log.get': {},
  'miner.refresh.get': {},
  'miner.light.update': { on: z.boolean() },
  'miner.power_mode.update': {
    mode: orNull(z.enum(POWER_MODES)),
    preset: orNull(printable(64)).meta({ description: 'Name of a preset of the miner' }),
  },
  'miner.pool.lock': {
    locked: z.boolean().meta({
      description:
        'true: the agent sets the pools of the last miner.pool.update again whenever the miner shows others. It must have carried that update out, and the miner must show its pools',
    }),
  },
  'miner.firmware.update': {
    file: orNull(fileName).meta({ description: 'Name of a file in the firmware folder of the agent, instead of url' }),
    url: orNull(z.url({ protocol: /^https?$/, error: 'accepted: an http or https address' }).max(2_048)),
    sha256: orNull(sha256).meta({ description: 'Of the image; with url it is needed' }),
    version: orNull(version),
    family: orNull(family).meta({
      description:
        'Id of the driver whose miners the image is for: others are refused. Not given = the name of the file tells, as far as it does',
    }),
  },
  'miner.password.update': {
    password: printable(64).meta({
      description: 'The new password of the user that the agent logs in with. For the miner only: no answer shows it',
    }),
  },
  'agent.scan.create': {
    ranges: orNull(z.array(range).min(1).max(256)).meta({
      description: 'Within the networks configured on site; not given = all of them',
    }),
  },
  'agent.login.update': {
    addresses: z.array(z.ipv4()).min(1).max(MAX_LOGIN_ADDRESSES).meta({
      description: 'Of devices that refuse the logins that the agent knows, within the networks configured on site',
    }),
    user: printable(64),
    password: printable(64).meta({
      description:
        'Kept encrypted by the agent, and only where the device accepts it. For these devices only: no answer shows it',
    }),
  },
  'agent.self.update': {
    version: orNull(version).meta({ description: 'Only if the update is of this version' }),
    url: orNull(
      z
        .url({ protocol: /^https$/, error: 'accepted: an https address' })
        .regex(HTTPS_ADDRESS, { error: 'accepted: an https address with the name or IPv4 address of a host' })
        .max(2_048),
    ).meta({
      description: 'Of the signed bundle for the platform of the agents; the host must be allowed on site',
    }),
    sha256: orNull(sha256).meta({ description: 'Of the bundle' }),
  },
} as const satisfies Readonly<Record<Exclude<ExecutionTaskName, 'miner.pool.update'>, z.core.$ZodLooseShape>>;

/** Of `miner.power_mode.update`: exactly one of both. */
export const isModeOrPreset = ({ mode, preset }: { readonly mode?: unknown; readonly preset?: unknown }): boolean =>
  (mode === undefined) !== (preset === undefined);

type ImageParams = { readonly [K in 'file' | 'url' | 'sha256']?: unknown };

/** Of `miner.firmware.update`: a file of the folder, or an address with the hash of what lies there. */
export const isFileOrUrl = ({ file, url, sha256 }: ImageParams): boolean =>
  file === undefined ? url !== undefined && sha256 !== undefined : url === undefined;
