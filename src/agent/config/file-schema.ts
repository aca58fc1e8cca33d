// The configuration file as it is written: every key with its bounds, default and meaning. It reads no file.
import { z } from 'zod';
import { duration, toggle, whole } from '../../base/settings.ts';
import { ABILITY_NAMES, SECOND_PERSON_ACTS } from '../../model/tasks/task-kinds.data.ts';
import { anomalySettingsSchema } from '../fleet/anomaly/settings.ts';
import { taskSettingsSchema } from '../tasks/settings.ts';

const port = z.int().min(1).max(65_535);
const path = z.string().min(1);
const range = z.string().meta({ form: 'CIDR, hyphen range or address' });
const REFERENCE = /^(env:[A-Za-z_][A-Za-z0-9_]*|secret:[A-Za-z0-9._-]+)$/;
export const isReference = (text: string): boolean => REFERENCE.test(text);
const passwordReference = z
  .string()
  .regex(REFERENCE, "a reference: 'env:NAME' (environment) or 'secret:name' (secrets file)")
  .meta({ form: '`env:NAME` or `secret:name`' });

const HOST = /^(?=.{1,253}(:|$))[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d{1,5})?$/;
const host = z
  .string()
  .regex(HOST, "a host such as 'files.example' or 'files.example:8443'")
  .meta({ form: 'host or host:port' });
const allowedHosts = (meaning: string) => z.array(host).max(64).default([]).describe(meaning);

const networkSchema = z.strictObject({
  name: z.string().min(1).max(64).optional().describe('Name of the network, for people.'),
  range: range.describe('Addresses of the network.'),
});

const loginSchema = z.strictObject({
  family: z.string().max(64).optional().describe('Driver id. A login names a family, a range or both.'),
  range: range.optional().describe('Addresses that the login is for.'),
  user: z.string().max(64).describe('User name.'),
  password: passwordReference.describe('Reference to the password. The password itself is not accepted here.'),
});

const scanSchema = z.strictObject({
  every: duration('1m', '7d', '30m', 'Time between two scheduled scans.'),
  timeout: duration('100ms', '10s', '1200ms', 'Time for one port to answer; longer where hosts answer slowly.'),
  maxInFlight: whole(3, 8_000, 2_000, 'Ports probed at the same time.'),
  maxIdentifying: whole(1, 512, 128, 'Devices identified at the same time.'),
  maxPerSecond: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      'Ports probed per second. Default: 100 in scheduled scans; what this host bears in manual scans and in the first scan.',
    ),
  ipReports: toggle(true, 'Listen to the IP-report buttons of miners (UDP broadcasts).'),
});

const pollSchema = z.strictObject({
  interval: duration('1s', '1h', '60s', 'Time between two polls of a miner.'),
  slowEvery: whole(1, 60, 5, 'Polls from one request for pools, errors, light and mode to the next.'),
  staticEvery: duration('5s', '24h', '10m', 'Time between two requests for names, serial numbers and versions.'),
  deadline: duration('500ms', '60s', '10s', 'Total time for all answers of one miner in one poll.'),
  maxInFlight: whole(1, 1_024, 256, 'Miners polled at the same time.'),
});

const credentialsSchema = z.strictObject({
  factoryDefaults: toggle(
    true,
    "Try the vendor's factory login, at most once per miner and day, and only where a device proves its family.",
  ),
  trust: z
    .enum(['pinned', 'network'])
    .default('pinned')
    .describe(
      'Devices that get the logins below. `pinned`: those that a person accepted. `network`: each device of the networks that proves its family.',
    ),
  secretsFile: z
    .string()
    .optional()
    .describe('File of `name: value` lines for `secret:` references. On Linux only its owner may have rights on it.'),
  keyFile: path
    .optional()
    .describe(
      "Key that encrypts the secrets file and the agent's token. Default: `pithead.key` beside this file, else in the user's configuration folder.",
    ),
  logins: z
    .array(loginSchema)
    .max(256)
    .default([])
    .describe('Logins of miners. The first that fits a miner counts: put single miners first.'),
});

const serviceSchema = z.strictObject({
  url: z.url().describe('Address of the service that the agent reports to.'),
  enrolmentCode: z
    .string()
    .min(1)
    .optional()
    .describe(
      'One-time code of `pithead enrol`: a reference, or the code itself in a file that only its owner may read. Not needed once the agent has joined.',
    ),
  allowPlain: toggle(false, 'Accept an `http://` address. Others on the way can then read the reports.'),
  keepLocal: toggle(false, "Run the farm's own service as well. It gets the same reports and may create tasks."),
});

const listenSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address that the service on this host listens on.'),
  port: port.default(8_420).describe('Port that it listens on.'),
  tls: z
    .union(
      [
        z.literal('farm'),
        z.strictObject({
          certFile: path.describe('Certificate chain, a PEM file.'),
          keyFile: path.describe('Private key, a PEM file.'),
        }),
      ],
      '`farm`, or certFile and keyFile',
    )
    .optional()
    .describe(
      'Serve HTTPS, TLS 1.2 or newer, with these files. `farm`: this host makes the certificates itself, for addresses of its private networks; `host` must be one of those, or 0.0.0.0. At 127.0.0.1 programs of this host may always speak plain HTTP, on the same port. Without it the service speaks plain HTTP.',
    ),
  trustProxy: z
    .array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an address or a CIDR').meta({ form: 'address or CIDR' }),
    )
    .default([])
    .describe('Proxies in front of the service. The service believes what they say of the address of a client.'),
  drain: duration('0s', '60s', '0s', 'Time from a stop signal to the stop. `/readyz` answers 503 meanwhile.'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the service for integrators, named in the OpenAPI document.'),
  sealKeyFile: path
    .optional()
    .describe(
      'Key that encrypts the secrets in the database, the same on all copies of the service. Default: `credentials.keyFile` for an embedded database, none for PostgreSQL.',
    ),
});

const pageSchema = z.strictObject({
  enabled: toggle(true, 'Serve the web page.'),
  allowPlain: toggle(
    false,
    'Let people log in beyond this host without TLS, where something else encrypts, such as a VPN.',
  ),
  hosts: allowedHosts('Further names that the page may be asked by, such as that of a proxy.'),
});

const driverSchema = z.strictObject({
  replace: toggle(false, 'Stand in for the driver of the program that has this id.'),
  allow: z.array(z.enum(ABILITY_NAMES)).max(16).default([]).describe('Commands that it may send.'),
});

/** The descriptions are the text of `configuration.md` in the handbook. */
export const fileSchema = z.strictObject({
  stateDir: path.default('pithead-state').describe('Folder of identities, history and the outbox.'),
  name: z.string().min(1).max(128).optional().describe('Name of this agent, shown by the service.'),
  networks: z
    .array(z.union([range, networkSchema]))
    .max(1_024)
    .default([])
    .describe('Address ranges of the miners. Pithead touches no address outside them.'),
  exclude: z
    .array(range)
    .max(1_024)
    .default([])
    .describe('Addresses and ranges inside the networks that Pithead leaves alone.'),
  portMap: z
    .record(z.string().regex(/^\d{1,5}$/, 'a port number'), port)
    .default({})
    .meta({ form: 'map of port to port' })
    .describe('Port N of every miner is reached at port `portMap[N]`: for port forwarding and simulated farms.'),
  scan: scanSchema.prefault({}),
  poll: pollSchema.prefault({}),
  firmware: z
    .strictObject({
      folder: path
        .optional()
        .describe('Folder of the firmware images that tasks name by SHA-256. Default: `firmware` in `stateDir`.'),
      allowedHosts: allowedHosts('Hosts that images may be fetched from, by https. Empty: none.'),
    })
    .prefault({}),
  update: z
    .strictObject({
      allowedHosts: allowedHosts(
        'Hosts that `agent.self.update` may fetch signed updates from, by https. Empty: none.',
      ),
    })
    .prefault({}),
  credentials: credentialsSchema.prefault({}),
  flags: anomalySettingsSchema.prefault({}),
  tasks: taskSettingsSchema.prefault({}),
  driversDir: path
    .optional()
    .describe(
      'Folder of drivers that are not part of the program. A driver file can do what the user of the agent can. Default: `drivers` beside this file.',
    ),
  drivers: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'the id of a driver'), driverSchema)
    .default({})
    .meta({ form: 'map of driver id to `replace` and `allow`' })
    .describe(
      'Drivers of that folder, by id. `replace: true`: it stands in for the driver of the program that has this id. `allow`: the commands that it may send, of reboot, light, powerMode, pools, firmware and log; without it the driver only reads.',
    ),
  service: serviceSchema
    .optional()
    .describe('A remote service. Without this section `pithead run` runs a service on this host.'),
  listen: listenSchema.prefault({}),
  page: pageSchema.prefault({}),
  people: z
    .strictObject({
      secondPerson: z
        .array(z.enum(SECOND_PERSON_ACTS))
        .max(SECOND_PERSON_ACTS.length)
        .default([])
        .describe(
          'Tasks that wait on the service until another person than the one who ordered them confirms them on the page. Commands to an agent on its own host do not wait.',
        ),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      allowedNetworks: z
        .array(z.union([z.cidrv4(), z.cidrv6()], 'a CIDR such as 10.20.0.0/16').meta({ form: 'CIDR' }))
        .max(64)
        .default([])
        .describe(
          'Private networks that webhooks of the service may send to, also by `http://`. Without it they send by https to public addresses only.',
        ),
    })
    .prefault({}),
  backup: z
    .strictObject({
      dir: path.optional().describe('Folder of the backups. Default: `backups` beside the database.'),
      every: duration('1h', '30d', '24h', 'Age of the newest backup at which the service makes another.'),
      keep: whole(0, 365, 7, 'Number of backups to keep. 0: the service makes none.'),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1').describe('Address of the listener for `/metrics`. It has no TLS.'),
      port: port
        .optional()
        .describe('Port on which Prometheus gets figures of this process at `/metrics` without a key. Default: none.'),
    })
    .prefault({}),
  log: z
    .strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Level of the log.') })
    .prefault({}),
});
