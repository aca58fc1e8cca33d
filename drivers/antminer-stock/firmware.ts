// New firmware for stock Antminers (atlas 3.4, 3.5): an archive for the web from before 2020, later the part of a
// bundle that is for the machine. Whether it runs is found out by looking, not here.
import * as kit from '../../src/driver/kit/index.ts';
import { reboot } from '../_dialects/bitmain-actions.ts';
import { page, submit } from '../_dialects/bitmain-web.ts';
import { type Found, firmwareFor, type Machine } from './bundle.ts';

const WHAT = 'put firmware on';
const AWAY = [180, 900] as const;

const upload = (field: string, file: Found) =>
  submit('upgrade.cgi', { upload: { fields: {}, file: { field, ...file } } });

/** Before 2020. */
export const archiveFirmware = kit.firmware({
  offlineS: AWAY,
  async send(link, { name, bytes }) {
    const [first, second] = new Uint8Array(await bytes.slice(0, 2).arrayBuffer());
    if (first !== 0x1f || second !== 0x8b)
      throw kit.unsupported(link, WHAT, `${name} is no tar.gz, which is all that this firmware takes`);
    const request = kit.asText(upload('file', { name, bytes }));
    const result = await kit.command(link, WHAT, request, archiveVerdict, kit.UPLOAD);
    // In a browser it is the page of success that reboots the device.
    return result.kind === 'accepted' ? reboot.act(link) : result;
  },
});

function archiveVerdict({ raw }: kit.Answer): kit.Verdict {
  const html = String(raw);
  // The words between the headline and the button.
  if (/upgrade fail/i.test(html)) return (html.match(/<p>([^<]{1,200})<\/p>\s*<table/i)?.[1] ?? 'no').trim();
  return /upgrade success/i.test(html) || { kind: 'lost-reply' };
}

/** From 2020 on. */
export const bundleFirmware = kit.firmware({
  offlineS: AWAY,
  async send(link, image) {
    const found = await partFor(image, await machineOf(link));
    if (typeof found === 'string') throw kit.unsupported(link, WHAT, `${image.name}: ${found}`);
    const request = upload('firmware', { ...found, name: found.name || image.name });
    return kit.command(link, WHAT, request, bundleVerdict, kit.UPLOAD);
  },
});

function bundleVerdict(answer: kit.Answer): kit.Verdict {
  const [stats, code] = [answer.text('stats', 128), answer.text('code', 128)];
  if (code === 'U000' || (code === undefined && stats === 'success')) return { kind: 'accepted', note: 'U000' };
  // Words without a code of success: whether it restarts shows soon.
  if (code === undefined && stats === undefined) return { kind: 'lost-reply' };
  return [code, answer.text('msg', 128)].filter(Boolean).join(' ');
}

/** Builds from before late 2021 do not tell their boards. */
const machineOf = (link: kit.MinerLink): Promise<Machine> =>
  kit.beforeAct(link, WHAT, async () => {
    const ask = async (name: string) => new kit.Answer(await link.send(page(name)));
    const type = await kit.orElse(
      () => ask('miner_type.cgi'),
      () => new kit.Answer(undefined),
      ['peer.unsupported'],
    );
    const subtype = type.text('subtype', 128);
    const told = type.text('miner_type', 128);
    if (told !== undefined) return { model: told, ...(subtype && { subtype }) };
    const model = (await ask('get_system_info.cgi')).text('minertype', 128);
    if (model === undefined) throw new kit.PeerError('peer.unparsable', `ask ${link.ip} what it is`, 'later');
    return { model };
  });

async function partFor({ bytes }: kit.FirmwareImage, machine: Machine): Promise<Found | string> {
  try {
    return await firmwareFor(bytes, machine);
  } catch {
    return 'it cannot be read';
  }
}
