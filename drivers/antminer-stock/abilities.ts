// What a stock Antminer can be told (atlas 3.4), by the generation of its web. Whether it obeyed is found out by
// looking, not here.
import * as kit from '../../src/driver/kit/index.ts';
import { kernelLog, light, reboot } from '../_dialects/bitmain-actions.ts';
import {
  bitmainBody,
  bitmainMode,
  type ConfDialect,
  confMode,
  confPools,
  likeBefore,
} from '../_dialects/bitmain-conf.ts';
import { formLight, formMode, formPools } from '../_dialects/bitmain-forms.ts';
import { modeNumber } from '../_dialects/bitmain-modes.ts';
import { password } from '../_dialects/bitmain-password.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { archiveFirmware, bundleFirmware } from './firmware.ts';

const later: ConfDialect = {
  numberOf: (mode, { model }) => modeNumber(mode, model),
  modeOf: bitmainMode,
  // Numbers on B, texts on C; where the generation is not known, as the device itself writes it.
  body: bitmainBody((conf, number, { generation }) => {
    if (generation === 'b') return number;
    return generation === 'c'
      ? String(number)
      : likeBefore(conf.value('miner-mode') ?? conf.value('bitmain-work-mode'), number);
  }),
};

export const abilities = {
  reboot,
  light: byGeneration(light(String), formLight),
  powerMode: byGeneration(confMode(later), formMode),
  pools: byGeneration(confPools(later.body), formPools),
  log: kernelLog,
  firmware: byGeneration(bundleFirmware, archiveFirmware),
  password: byGeneration(password, {
    ...password,
    act: (link) => Promise.reject(kit.unsupported(link, 'set the password of', 'not known for firmware before 2020')),
  }),
};

/** `ability` on B and C, `old` on generation A. */
function byGeneration(ability: kit.Ability, old: kit.Ability): kit.Ability {
  return {
    ...ability,
    async act(link, params, known, image) {
      return ((await isGenerationA(link, known)) ? old : ability).act(link, params, known, image);
    },
  };
}

/** Whether the device has the old web. Where its build date is not known, a page of the web of 2020 tells. */
const isGenerationA = async (link: kit.MinerLink, { generation }: kit.Known): Promise<boolean> =>
  generation === undefined
    ? kit.beforeAct(link, 'ask for the web of', () =>
        kit.orElse(
          () => link.send(page('summary.cgi')).then(() => false),
          () => true,
          ['peer.unsupported', 'peer.unparsable'],
        ),
      )
    : generation === 'a';
