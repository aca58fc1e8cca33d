// Where drivers put a password: into a body or a header, never into an address. All drivers, with all that they ask and
// all that they can be told.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { PeerError } from '../../src/base/errors.ts';
import type { Driver, MinerLink, MinerRequest, WebSession } from '../../src/driver/contract.ts';

const PASSWORD = 'canary-Pa55word';
/** Some devices take no more of it. */
const SHORT = PASSWORD.slice(-8);
const FORMS = [PASSWORD, SHORT].flatMap((password) => [
  password,
  encodeURIComponent(password),
  ...(['base64', 'hex'] as const).map((form) => Buffer.from(password).toString(form)),
]);
const PARAMS = [
  {},
  { on: true },
  { mode: 'sleep' },
  { mode: 'normal' },
  { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'u', password: 'p' }] },
  { file: 'image.bin', version: '1' },
  { password: PASSWORD },
  { password: SHORT },
];

/** Everything that the driver sends, as far as it gets without an answer and with a plain yes. */
async function sentBy(driver: Driver): Promise<MinerRequest[]> {
  const sent: MinerRequest[] = Object.values(driver.asks);
  for (const answer of [undefined, {}, 'ok']) {
    const link: MinerLink = {
      ip: '127.0.0.1',
      send(request) {
        sent.push(request);
        if (answer === undefined) return Promise.reject(new PeerError('peer.timeout', 'ask', 'soon'));
        return Promise.resolve(answer);
      },
    };
    const image = { name: 'image.bin', sha256: 'ab', bytes: new Blob(['x']) };
    for (const ability of Object.values(driver.abilities))
      for (const params of PARAMS)
        if (ability.params.safeParse(params).success)
          // What it makes of such answers is not the question.
          await Promise.resolve(ability.act(link, ability.params.parse(params), {}, image)).catch(() => undefined);
  }
  return sent;
}

const isSession = (request: MinerRequest): request is MinerRequest & { auth: WebSession } =>
  request.via === 'http' && typeof request.auth === 'object' && 'open' in request.auth;

test.each(drivers.map((driver) => [driver.id, driver] as const))('%s', async (_, driver) => {
  const sent = await sentBy(driver);
  const openings = await Promise.all(
    sent.filter(isSession).map(({ auth }) => auth.open({ user: 'root', password: PASSWORD })),
  );
  const paths = [...openings, ...sent].flatMap((request) => (request.via === 'http' ? [request.path] : []));
  expect(paths.filter((path) => FORMS.some((form) => path.includes(form)))).toEqual([]);
  const { login } = driver;
  const factory = [login.factoryDefault, ...Object.values(login.factoryDefaultOf ?? {})].flatMap(
    (one) => one?.password ?? [],
  );
  // Some are short words that stand in ordinary paths: they are looked for where a value would stand.
  for (const password of factory.filter((text) => text !== ''))
    expect(paths.filter((path) => path.endsWith(`=${password}`) || path.includes(`=${password}&`))).toEqual([]);
});
