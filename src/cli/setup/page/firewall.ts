// The command that opens the port of the page in the firewall that a host has, and that of its local name. It is for
// people to read: nothing is run, and whether the firewall is on is not looked at.
import { existsSync } from 'node:fs';
import { MDNS_PORT } from '../../../service/local-name/answer.ts';

/** By what is installed; the first that is there, for the later ones lie beneath. */
const LINUX = [
  // It lets questions for names pass by itself.
  { program: '/usr/sbin/ufw', lines: (port: number) => [`sudo ufw allow ${port}/tcp`] },
  {
    program: '/usr/bin/firewall-cmd',
    lines: (port: number, hasName: boolean) => [
      `sudo firewall-cmd --permanent --add-port=${port}/tcp${hasName ? ' --add-service=mdns' : ''}`,
      'sudo firewall-cmd --reload',
    ],
  },
  {
    program: '/usr/sbin/nft',
    lines: (port: number, hasName: boolean) => [
      `sudo nft insert rule inet filter input tcp dport ${port} accept`,
      ...(hasName ? [`sudo nft insert rule inet filter input udp dport ${MDNS_PORT} accept`] : []),
    ],
  },
];

const WINDOWS = 'netsh advfirewall firewall add rule name="Pithead" dir=in action=allow';

/** `hasName` = hosts of the network may ask for its local name. Undefined where no firewall is found. */
export function firewallLine(
  port: number,
  hasName: boolean,
  {
    platform = process.platform,
    isThere = existsSync,
  }: { platform?: string; isThere?: (path: string) => boolean } = {},
): string | undefined {
  if (platform === 'win32')
    return [
      `${WINDOWS} protocol=TCP localport=${port}`,
      ...(hasName ? [`${WINDOWS} protocol=UDP localport=${MDNS_PORT}`] : []),
    ].join(' && ');
  if (platform !== 'linux') return undefined;
  return LINUX.find(({ program }) => isThere(program))
    ?.lines(port, hasName)
    .join(' && ');
}
