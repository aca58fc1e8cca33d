// A driver to copy. It is for a device that does not exist, is compiled and tested like the others, and is not in
// drivers/index.ts.
//
// 1. Copy this folder, name it after the firmware family (`antminer-stock`, not `s19`), change `id` and `make`. Say in
// family.data.ts how its devices show themselves.
// 2. Write `asks`: what to send and how often. `poll` = each poll, as few as possible; `slow` = pools, errors, light,
// mode; `static` = names.
// 3. Write one schema per ask in replies.ts. Readers of src/driver/fields.ts turn what devices write into numbers or
// into undefined.
// 4. Write `read`: replies in, Reading out. Units are in the names of the fields. What the device did not say stays
// away.
// 5. Add abilities: only what you have seen work, each with the proof that can be read back. Leave out what the family
// cannot do.
// 6. Write farm.ts, the simulated device. Add one line to drivers/index.ts and one to drivers/farm-index.ts.
// `npx vitest run --project contract` tells what is missing. drivers/README.md tells it all at length.
import { z } from 'zod';
import { defineDriver } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { versionTexts } from '../_dialects/cgminer.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

const web = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/api/${name}`, auth: 'digest', as: 'json' }) as const;

export const blueprint = defineDriver({
  id: 'blueprint',
  make: 'Example',
  families: FAMILIES,
  // What people look up. `evidence` says how sure we are: an answer of a real device, of our simulated one, or
  // documents only.
  covers: [{ models: 'Example One', firmware: '1.0 and newer', evidence: 'claimed' }],
  asks: {
    summary: { every: 'poll', via: 'cgminer', command: 'summary' },
    boards: { every: 'poll', via: 'cgminer', command: 'devs' },
    // Sent only when the device does not know `devs`.
    oldBoards: { every: 'poll', via: 'cgminer', command: 'gpus', insteadOf: 'boards' },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    // Redirects are not followed; the core logs in and reuses the login.
    light: { every: 'slow', ...web('light') },
    system: { every: 'static', ...web('system') },
  },
  replies,
  abilities: {
    reboot: {
      // `once` = never repeated: after a crash of ours the outcome is found out by looking at the device.
      effect: 'once',
      offlineS: [40, 180],
      params: z.looseObject({}),
      async act(link) {
        // Sent, but the device was gone before it answered: that is no failure, the task gate looks whether it came
        // back younger.
        return orLostReply(async () => {
          await link.send({ ...web('reboot'), method: 'POST', as: 'text' });
          return { kind: 'accepted' };
        });
      },
    },
    light: {
      // May run again after a crash: the light does not care how often it is told.
      effect: 'repeatable',
      offlineS: [0, 0],
      params: z.looseObject({ on: z.boolean() }),
      async act(link, params) {
        const { on } = z.looseObject({ on: z.boolean() }).parse(params);
        return orLostReply(async () => {
          await link.send({ ...web('light'), method: 'POST', json: { on } });
          return { kind: 'accepted' };
        });
      },
      // The device's answer is not believed: the next reading must show it. Undefined = this reading cannot tell.
      shows({ isLightOn }, params) {
        const { success, data } = z.looseObject({ on: z.boolean() }).safeParse(params);
        return isLightOn === undefined || !success ? undefined : isLightOn === data.on;
      },
    },
  },
  login: { kind: 'digest', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 300 },
  // Pure: decided from the answers to the shared probe questions alone. `undefined` = not ours.
  identify({ version }) {
    const { Example: firmwareVersion, Type: model } = versionTexts(version);
    if (firmwareVersion === undefined) return undefined;
    return { confidence: 'sure', make: 'Example', firmwareVersion, ...(model && { model }) };
  },
  read,
});
