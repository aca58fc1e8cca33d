// Check of what a device has not: it is refused as unsupported, and nothing has gone out that could change anything.
// Presets and modes that are none, pools that are none, firmware without a file or with one that is none.
import { PeerError } from '../../../base/errors.ts';
import type { AbilityName, FirmwareImage } from '../../contract.ts';
import { type Check, type Problem, problem, shown } from '../finding.ts';
import { type DeviceSubject, type Kind, look, until, watched } from './bench.ts';
import { MODES, poolOf, VERSION } from './command.ts';
import { mayChange } from './may-change.ts';

const fileWith = (...parts: string[]): FirmwareImage => ({
  name: 'update.bin',
  sha256: '0'.repeat(64),
  bytes: new Blob(parts),
});
const pool = poolOf('a');

type Request = { readonly name: AbilityName; readonly params: object; readonly image?: FirmwareImage };

/** Never to be taken. */
const NEVER: readonly Request[] = [
  ...[{ preset: 'no such preset' }, { preset: '7 MHz' }, { mode: 'warp' }, {}].map((params) => ({
    name: 'powerMode' as const,
    params,
  })),
  ...[
    [],
    [{ ...pool, url: 'no address' }],
    [pool, { ...pool, user: 'a\nb' }],
    Array.from({ length: 9 }, () => pool),
  ].map((pools) => ({ name: 'pools' as const, params: { pools } })),
];
const NO_FILES: readonly Request[] = [undefined, fileWith()].map((image) => ({
  name: 'firmware',
  params: { version: VERSION },
  ...(image !== undefined && { image }),
}));
/** Taken, or refused. */
const MAYBE: readonly Request[] = [
  ...MODES.map((mode) => ({ name: 'powerMode' as const, params: { mode } })),
  { name: 'pools', params: { pools: [{ ...pool, url: 'stratum2+tcp://a.example:3333/key' }] } },
  { name: 'pools', params: { pools: [{ ...pool, url: 'stratum+ssl://a.example:3333' }] } },
];

async function problemsOf(
  subject: DeviceSubject,
  kind: Kind,
  { name, params, image }: Request,
  mayTake: boolean,
): Promise<Problem[]> {
  const { bench, driver, folder } = subject;
  const ability = driver.abilities[name];
  const parsed = ability?.params.safeParse(params);
  // The core asks the schema before anything else.
  if (ability === undefined || parsed?.success !== true) return [];
  const device = bench.take(kind);
  const before = JSON.stringify(device.truth());
  const link = watched(bench.link(device));
  const what = `${kind.family} ${kind.model}, ${name} ${shown(params)}${image === undefined ? '' : ` with ${image.bytes.size} bytes`}`;
  const next = `refuse it in the ability of ${folder} with peer.unsupported before anything is sent`;
  try {
    await ability.act(link, parsed.data, await bench.known(kind), image);
  } catch (error) {
    if (!(error instanceof PeerError)) return [problem(`${what}: it threw ${String(error)}`, next)];
    const hasSent = link.sent.some((request) => mayChange(driver, request));
    const isSame = JSON.stringify(device.truth()) === before && device.reboots === 0;
    if (error.code === 'peer.unsupported' && error.wasSent !== true && !hasSent && isSame) {
      bench.giveBack(kind, device);
      return [];
    }
    return [problem(`${what}: ${error.code}${hasSent || !isSame ? ' after something was sent' : ''}`, next)];
  }
  if (!mayTake) return [problem(`${what}: taken`, next)];
  const { shows } = ability;
  const isShown =
    shows === undefined ||
    (await until(bench.patienceMs, async () => shows((await look(subject, kind, device)).reading, params) === true));
  return isShown ? [] : [problem(`${what}: taken, and \`shows\` does not say so afterwards`, next)];
}

export const unsent: Check<DeviceSubject> = {
  name: 'device-unsent',
  owes: 'peer.unsupported, and nothing sent, for what the device has not',
  async run(subject) {
    const { bench, driver, exceptions } = subject;
    const found: Problem[] = [];
    const takesAnyFile = driver.abilities.firmware?.fetchesItself !== undefined;
    for (const kind of bench.kinds) {
      const lacks = exceptions.families?.[kind.family]?.lacks ?? {};
      const requests = [...NEVER, ...(takesAnyFile ? [] : NO_FILES), ...MAYBE];
      for (const request of requests.filter(({ name }) => lacks[name] === undefined))
        found.push(...(await problemsOf(subject, kind, request, MAYBE.includes(request))));
    }
    return found;
  },
};
