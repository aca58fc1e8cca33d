// The command that opens a port in the firewall that a host has. It is for people to read: nothing is run, and whether
// the firewall is on is not looked at.
import { existsSync } from 'node:fs';

/** By what is installed; the first that is there, for the later ones lie beneath. */
const LINUX = [
  { program: '/usr/sbin/ufw', line: (port: number) => `sudo ufw allow ${port}/tcp` },
  {
    program: '/usr/bin/firewall-cmd',
    line: (port: number) => `sudo firewall-cmd --permanent --add-port=${port}/tcp && sudo firewall-cmd --reload`,
  },
  {
    program: '/usr/sbin/nft',
    line: (port: number) => `sudo nft insert rule inet filter input tcp dport ${port} accept`,
  },
];

/** Undefined where no firewall is found. */
export function firewallLine(
  port: number,
  {
    platform = process.platform,
    isThere = existsSync,
  }: { platform?: string; isThere?: (path: string) => boolean } = {},
): string | undefined {
  if (platform === 'win32')
    return `netsh advfirewall firewall add rule name="Pithead" dir=in action=allow protocol=TCP localport=${port}`;
  if (platform !== 'linux') return undefined;
  return LINUX.find(({ program }) => isThere(program))?.line(port);
}
