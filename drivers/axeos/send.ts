// What abilities of AxeOS are made of: a look at the settings, and one write. No login; builds that do not know a path
// say 404 or 405.
import * as kit from '../../src/driver/kit/index.ts';

export const INFO = kit.get('/api/system/info');

/** Whether it is the answer of such a machine. */
export const isInfo = (info: kit.Answer): boolean =>
  ['ASICModel', 'deviceModel', 'hashRate', 'macAddr'].some((key) => info.has(key));

export const readInfo = (link: kit.MinerLink, what: string) => kit.askFirst(link, what, INFO, isInfo);

type Write = Parameters<typeof kit.asText>[0];

export const write = (link: kit.MinerLink, what: string, request: Write, deadlineMs = 8_000) =>
  kit.orElse(
    () => kit.command(link, what, kit.asText(request), undefined, { deadlineMs }),
    // There is no login: newer builds take changes only from addresses that they hold to be local.
    (): never => {
      throw new kit.PeerError('peer.permission', `${what} ${link.ip}`, 'never');
    },
    ['peer.auth'],
  );

/** Settings that count after a restart. */
export const changeAndRestart = (link: kit.MinerLink, what: string, json: object): Promise<kit.ActResult> =>
  kit.inTurn(
    () => write(link, what, { ...kit.post('/api/system', 'none', { json }), method: 'PATCH' }),
    () => restart(link, what),
  );

export const restart = (link: kit.MinerLink, what = 'restart') => write(link, what, kit.post('/api/system/restart'));
