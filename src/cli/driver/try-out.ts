// Tries a driver on a recorded device over real sockets of this host: whether it is recognised among all drivers, which
// asks are answered, and what is read. It sends nothing to any other host.
import { isDeepStrictEqual } from 'node:util';
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { Secret } from '../../base/secrets.ts';
import type { CaseFolder } from '../../case/folder.ts';
import { wantsLogin } from '../../case/format.ts';
import { replay } from '../../case/replay/replay.ts';
import type { Driver, Identity } from '../../driver/contract.ts';
import { Families } from '../../driver/family.ts';
import { gatherEvidence, matchDriver, SCAN_PORTS, SIDE_PORTS } from '../../driver/identify.ts';
import type { Reading } from '../../model/reading.ts';
import type { ProbeLink } from '../../transport/request.ts';
import { createTransport } from '../../transport/transport.ts';

export type Tried = {
  /** The surest driver for it; undefined = none knows it. */
  readonly recognisedAs: { readonly driver: string; readonly confidence: Identity['confidence'] } | undefined;
  /** Asks that were recorded with an answer and are not answered now, with the reason. */
  readonly failed: readonly (readonly [ask: string, why: string])[];
  /** Asks that no request of the case answers. */
  readonly notRecorded: readonly string[];
  readonly unparsable: readonly string[];
  /** Asks whose answer makes no difference to the reading. */
  readonly changesNothing: readonly string[];
  readonly reading: Reading;
};

const ASK_MS = 5_000;

export async function tryOut(driver: Driver, recorded: CaseFolder, signal: AbortSignal): Promise<Tried> {
  const device = await replay(recorded);
  const { ip, portMap } = device;
  const transport = createTransport({
    ...{ clock: systemClock, log: silentLog, portMap, mayReach: (other: string) => other === ip },
  });
  try {
    const all = [...drivers.filter(({ id }) => id !== driver.id), driver];
    const open = new Set([...SCAN_PORTS, ...SIDE_PORTS].filter((port) => isOpen(recorded, port)));
    const families = new Families(all);
    const { evidence } = await gatherEvidence(transport.link(ip), open, {
      ...{ clock: systemClock, families, signal, isLastTry: true },
    });
    const match = matchDriver(all, evidence);
    const identity = driver.identify(evidence);
    const { generation, make, model } = identity ?? {};
    const known = { ...(generation && { generation }), ...(make && { make }), ...(model && { model }) };
    const { user, password } = device.login;
    const link = transport.link(ip, wantsLogin(recorded.about) ? { user, password: new Secret(password) } : undefined);
    const asked = await askAll(driver, link, recorded, signal);
    const { reading, unparsable } = driver.read(asked.raw, known);
    return {
      recognisedAs: match && { driver: match.driver.id, confidence: match.identity.confidence },
      failed: asked.failed,
      notRecorded: asked.notRecorded,
      ...{ reading, unparsable },
      changesNothing: Object.keys(asked.raw).filter((name) => {
        const { [name]: _, ...others } = asked.raw;
        return !unparsable.includes(name) && isDeepStrictEqual(driver.read(others, known).reading, reading);
      }),
    };
  } finally {
    await transport.close();
    await device.close();
  }
}

const isOpen = ({ about }: CaseFolder, port: number) => about.responses.some((response) => response.port === port);

async function askAll({ asks }: Driver, link: ProbeLink, { about }: CaseFolder, signal: AbortSignal) {
  const raw: Record<string, unknown> = {};
  const failed: [string, string][] = [];
  const notRecorded: string[] = [];
  for (const [name, ask] of Object.entries(asks)) {
    const response = about.responses.find((each) => each.ask === name);
    try {
      raw[name] = await link.send(ask, { deadlineMs: ASK_MS, signal });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (response === undefined) notRecorded.push(name);
      else if (response.failure === undefined) failed.push([name, renderError(error)]);
    }
  }
  return { raw, failed, notRecorded };
}
