// Braiins OS before it had an API of its own (BOSminer; atlas 6.1): CGMiner words on TCP, which every version has, and
// LuCI pages, which have the MAC and the version.
import * as kit from '../../../src/driver/kit/index.ts';
import { bareUnlessRefused } from '../login.ts';

/** Some builds of the page answer browsers and the vendor's own tool only. */
const headers = { 'user-agent': 'BTC Tools v0.1' };

export const luciSession = bareUnlessRefused(
  kit.cookieSession({
    name: 'luci',
    path: '/cgi-bin/luci',
    headers,
    form: ({ user, password }) => ({ luci_username: user, luci_password: password }),
    // The second is that of versions which play this page themselves.
    isGranted: (_answer, cookie = '') => cookie.includes('sysauth=') || cookie.includes('session_id='),
  }),
);

const luci = (path: string) => kit.get(`/cgi-bin/luci/${path}`, luciSession, { headers });

export const tcpAsks = {
  lan: {
    ...{ every: 'static', insteadOf: 'network', ...luci('admin/network/iface_status/lan') },
    needs: (states) => states.rows() !== undefined,
  },
  tcp: { every: 'poll', insteadOf: 'gqlSystem', ...kit.tcp('summary+devs+temps+fans+tunerstatus') },
  tcpPools: { every: 'slow', insteadOf: 'gqlPools', ...kit.tcp('pools'), needs: 'POOLS' },
  bosInfo: { every: 'static', insteadOf: 'gqlModel', ...luci('bos/info') },
  tcpDetails: { every: 'static', insteadOf: 'gqlModel', ...kit.tcp('devdetails+version') },
} satisfies Readonly<Record<string, kit.Question>>;
