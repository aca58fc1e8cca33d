// Which passwords open a device, and that finding out changes nothing: for the checks of the ability `password`. It
// sets none.
import { PeerError } from '../../../base/errors.ts';
import { type CheckedDevice, type DeviceSubject, Found, type Kind, look, watched } from './bench.ts';

/** Whether the device lets in with this password, as the core finds it out. */
async function opens(subject: DeviceSubject, kind: Kind, device: CheckedDevice, password: string): Promise<boolean> {
  const { bench, driver, folder } = subject;
  let isTaken = false;
  const link = watched(bench.link(device, { password, onTaken: () => (isTaken = true) }));
  const before = JSON.stringify(device.truth());
  const { provesLogin } = driver.abilities.password ?? {};
  try {
    if (provesLogin === undefined) await look(subject, kind, device, undefined, link);
    else await provesLogin(link, await bench.known(kind));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
  }
  if (JSON.stringify(device.truth()) !== before)
    throw new Found(
      'what proves the login changes something',
      `ask in \`provesLogin\` of ${folder} for what is only read`,
    );
  return isTaken;
}

/** Throws where one does not open it, or the other does. */
export async function mustOpen(
  subject: DeviceSubject,
  kind: Kind,
  device: CheckedDevice,
  { now = '', not = '' }: { readonly now: string | undefined; readonly not: string | undefined },
): Promise<void> {
  if (!(await opens(subject, kind, device, now)))
    throw new Found(
      'a login with the password that it has now does not show that it is accepted',
      `send it as the device wants it, and in \`provesLogin\` what needs the login, in ${subject.folder}`,
    );
  if (await opens(subject, kind, device, not))
    throw new Found(
      'a login with a password that it has not looks accepted',
      `set \`freshLogin\` in the request that changes it and in the one that proves it, and send in \`provesLogin\` what needs the login, in ${subject.folder}`,
    );
}
