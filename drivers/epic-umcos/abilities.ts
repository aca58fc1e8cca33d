// What we change on ePIC firmware (atlas 9): reboot, light, sleep and tuning target, pools, firmware; and its log.
// Reads are free; each command carries the password, and a refusal comes with status 200.
import * as kit from '../../src/driver/kit/index.ts';
import { tuningOf } from './tuning.ts';

const web = { port: 4028 };

export const resource = (name: string) => kit.get(`/${name}`, 'none', web);

const isRefused = (raw: unknown) => {
  const answer = new kit.Answer(raw);
  return answer.value('result') === false && /password|unauthori[sz]ed/i.test(answer.text('error') ?? '');
};
type Password = { readonly password: string };
const inBody = { carry: ({ password }: Password) => ({ json: { password } }), isRefused };
const inFields = { carry: ({ password }: Password) => ({ fields: { password } }), isRefused };

/** Of a login that is tried: whatever is no yes is no proof. */
const mustBeYes = { ...inBody, isRefused: (raw: unknown) => new kit.Answer(raw).value('result') !== true };

/** Its `error` may repeat what it was told: it goes no further. */
function verdict(answer: kit.Answer): kit.Verdict {
  const result = answer.value('result');
  if (typeof result !== 'boolean') return undefined;
  return result || { why: 'result: false', retry: 'later' };
}

const order = (link: kit.MinerLink, name: string, param: unknown) =>
  kit.command(link, `command ${name} of`, kit.post(`/${name}`, inBody, { ...web, json: { param } }), verdict);

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => order(link, 'reboot', '0')),
  light: kit.light((link, on) => order(link, 'identify', on)),
  /** A preset is a target of the tuner: `120 TH/s`, `3000 W`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (mode === 'sleep') return order(link, 'miner', 'Stop');
      // It wakes as it was tuned.
      if (mode === 'normal') return order(link, 'miner', 'Autostart');
      return setTarget(link, kit.wantedTarget(link, preset ?? mode ?? ''));
    },
    shows(reading, { mode, preset }) {
      const { miningMode, isMining } = reading;
      if (preset !== undefined) return kit.showsTarget(reading, preset);
      if (isMining === undefined) return undefined;
      if (mode === 'sleep') return miningMode === 'sleep' || !isMining;
      return miningMode !== 'sleep' && miningMode !== undefined;
    },
    shownWithinS: 180,
  }),
  pools: kit.pools({
    offlineS: [0, 0],
    atMost: 3,
    async set(link, wanted) {
      const summary = await kit.askFirst(link, 'change the pools of', resource('summary'));
      return order(link, 'coin', {
        coin: 'BTC',
        stratum_configs: wanted.map(({ url, user, password }) => ({ pool: url, login: user, password })),
        // Whether workers get an id of the machine added stays as it is.
        unique_id: summary.at('Stratum').bool('Worker Unique Id') ?? false,
      });
    },
    shownWithinS: 120,
  }),
  firmware: kit.firmware({ offlineS: [60, 900], send: update, isVersion: kit.showsVersionIn }),
  password: kit.password({
    offlineS: [0, 0],
    pattern: kit.plainPassword(32),
    provesLogin: async (link) => link.send(await sameLight(link, 'prove the login of', mustBeYes)),
    set: setPassword,
  }),
  log: kit.log((link) => kit.fetchLog(link, kit.asText(resource('log')))),
};

/** All reads are free, so a login is shown by telling the light to be what it is. */
async function sameLight(link: kit.MinerLink, what: string, auth: typeof inBody): Promise<kit.MinerRequest> {
  const light = (summary: kit.Answer) => summary.at('Misc').bool('Locate Miner State');
  const summary = await kit.askFirst(link, what, resource('summary'), (each) => light(each) !== undefined);
  return kit.post('/identify', auth, { ...web, json: { param: light(summary) } });
}

/** Once the present one is shown to open it: a no is about the new one then, whatever its words. */
async function setPassword(link: kit.MinerLink, wanted: string): Promise<kit.ActResult> {
  const what = 'set the password of';
  await kit.beforeAct(link, what, async () => {
    const answer = await link.send(await sameLight(link, what, inBody));
    return kit.resultOf(`${what} ${link.ip}`, verdict(new kit.Answer(answer)));
  });
  const { carry } = inBody;
  return kit.command(link, what, kit.post('/password', { carry }, { ...web, json: { param: wanted } }), verdict);
}

/** The algorithm that is set stays, if its target is of that kind; without one, the first that the firmware offers. */
async function setTarget(link: kit.MinerLink, target: kit.Target): Promise<kit.ActResult> {
  const what = `set the target ${kit.targetText(target)} of`;
  const tuning = tuningOf(await kit.askFirst(link, what, resource('summary')));
  const offers = (await kit.askFirst(link, what, resource('capabilities'), () => true)).rows('PerpetualTune', 16);
  const name = tuning?.name ?? offers?.[0]?.text('algorithm', 64);
  if (name === undefined || target.unit !== (tuning?.unit ?? 'TH/s'))
    throw kit.unsupported(link, what, 'its tuner does not take this target');
  const offer = offers?.find((row) => row.text('algorithm', 64) === name);
  kit.mustBeWithin(link, target, offer?.number('min', { min: 0 }), offer?.number('max', { min: 0 }));
  return kit.inTurn(
    () => order(link, 'perpetualtune/algo', { algo: name, target: target.value, ...tuning?.throttle }),
    tuning?.isOn !== true && (() => order(link, 'perpetualtune', true)),
  );
}

/** The file is a zip and starts as one. */
async function update(link: kit.MinerLink, { sha256, bytes }: kit.FirmwareImage): Promise<kit.ActResult> {
  const [first, second] = new Uint8Array(await bytes.slice(0, 2).arrayBuffer());
  if (first !== 0x50 || second !== 0x4b) throw kit.unsupported(link, 'update', 'ePIC firmware comes as a zip file');
  const upload = {
    fields: { checksum: sha256, keepsettings: 'true' },
    file: { field: 'update.zip', name: 'update.zip', bytes },
  };
  return kit.upload(link, 'update', kit.post('/systemupdate', inFields, { ...web, upload }), verdict);
}
