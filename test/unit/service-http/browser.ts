// A browser at the page of a rig: it keeps the cookie of its session, and sends what browsers send.
import type { Role } from '../../../src/model/permissions/permissions.ts';
import { type Answer, call, type Rig } from './rig.ts';

export const SESSION = '/public-api/v2/session';
export const PASSWORD = 'a long night in hall 3';

export type Browser = ReturnType<typeof createBrowser>;

type Init = { readonly headers?: Readonly<Record<string, string | undefined>>; readonly body?: unknown };

/** A header that is undefined is not sent. */
export function createBrowser({ url }: Pick<Rig, 'url'>) {
  let cookie: string | undefined;
  const ask = async (method: string, path: string, { headers = {}, body }: Init = {}): Promise<Answer> => {
    const all = {
      ...(cookie === undefined ? {} : { cookie }),
      ...(method === 'GET' ? {} : { origin: url }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'user-agent': 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Gecko/20100101 Firefox/140.0',
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const answer = await call(url + path, {
      ...{ method, headers: Object.fromEntries(sent) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) cookie = /Max-Age=0/.test(set) ? undefined : set.split(';')[0];
    return answer;
  };
  return {
    get: (path: string, init?: Init) => ask('GET', path, init),
    post: (path: string, body: unknown, init?: Init) => ask('POST', path, { ...init, body }),
    patch: (path: string, body: unknown, init?: Init) => ask('PATCH', path, { ...init, body }),
    send: (method: string, path: string, body: unknown) => ask(method, path, { body }),
    delete: (path: string, init?: Init) => ask('DELETE', path, init),
    login: (name: string, password: string, init?: Init) => ask('POST', SESSION, { ...init, body: { name, password } }),
    claim: (code: string, given: object = {}) => ask('POST', `${SESSION}/claim`, { body: { code, ...given } }),
    cookie: () => cookie,
    setCookie: (text: string | undefined) => {
      cookie = text;
    },
  };
}

export const peoplePath = ({ workspaceId }: Pick<Rig, 'workspaceId'>, path = '') =>
  `/public-api/v2/workspaces/${workspaceId}/people${path}`;

/** The first admin, in its browser. */
export async function claimAdmin(rig: Rig, name = 'Ada'): Promise<Browser> {
  const { code } = await rig.service.admin.people.claim(rig.workspaceId);
  const browser = createBrowser(rig);
  const { status } = await browser.claim(code, { name, password: PASSWORD });
  if (status !== 200) throw new Error(`claim: ${status}`);
  return browser;
}

type Given = { readonly role?: Role; readonly farmRoles?: readonly { farmId: string; role: Role }[] };

/** One more person, in its browser. */
export async function addPerson(
  rig: Rig,
  name: string,
  { role, farmRoles = [] }: Given,
): Promise<Browser & { id: string }> {
  const request = { workspaceId: rig.workspaceId, name, role: role ?? null, farmRoles };
  const { id, code } = await rig.service.admin.people.add(request);
  const browser = createBrowser(rig);
  const { status, body } = await browser.claim(code, { password: PASSWORD });
  if (status !== 200) throw new Error(`first password of ${name}: ${JSON.stringify(body)}`);
  return { ...browser, id };
}

/** Another farm of the same workspace. */
export const addFarm = async (rig: Rig, name: string): Promise<string> =>
  (await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name })).id;
