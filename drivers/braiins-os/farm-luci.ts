// The pages of the system under Braiins OS before REST (port 80, LuCI): a cookie, the MAC, the version. Atlas section
// 6.1.
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { BraiinsModel } from './farm.data.ts';
import type { Page } from './farm-rest.ts';
import { opens } from './farm-sessions.ts';

const ROOT = '/cgi-bin/luci';
const LOGIN_FORM: WebReply = {
  status: 403,
  body: '<html><body><form><input name="luci_password"></form></body></html>\n',
};

const json = (value: unknown): WebReply => ({ status: 200, type: 'application/json', body: JSON.stringify(value) });

/** Undefined = not a path of these. */
export function braiinsLuci(device: SimDevice, model: BraiinsModel): Page {
  // BOSer plays these pages itself, with the cookie that it knows; before it they were the system's own.
  const name = model.generation === 'tcp' ? 'sysauth' : 'session_id';
  let cookie: string | undefined;
  let ended = device.endedSessions;
  let made = 0;
  const login = (request: WebRequest): WebReply => {
    const form = new URLSearchParams(request.body);
    if (!opens(device, form.get('luci_username'), form.get('luci_password'))) return LOGIN_FORM;
    cookie = rollText('0123456789abcdef', 32, device.site.seed, device.index, 760 + ++made);
    const headers = { 'Set-Cookie': `${name}=${cookie}; path=${ROOT}` };
    return name === 'sysauth'
      ? { status: 302, headers: { ...headers, Location: ROOT }, body: '' }
      : { status: 200, headers, body: '' };
  };
  return (request) => {
    const { method, path } = request;
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
    if (ended !== device.endedSessions) cookie = undefined;
    ended = device.endedSessions;
    if (method === 'POST' && path === ROOT) return login(request);
    if (cookie === undefined || !request.cookie?.includes(`${name}=${cookie}`)) return LOGIN_FORM;
    switch (path) {
      case `${ROOT}/admin/network/iface_status/lan`:
        return json([{ macaddr: device.mac.toLowerCase(), proto: 'dhcp' }]);
      case `${ROOT}/bos/info`:
        return json({ version: model.firmware });
      default:
        return undefined;
    }
  };
}
