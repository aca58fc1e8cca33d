// The web of Antminer stock from before 2020 (port 80): digest login, pages that are shell scripts, forms whose fields
// are counted. Atlas section 3.4.
import type { PoolSetting, SimDevice } from '../device.ts';
import { digestServer } from '../servers/digest.ts';
import type { SimServer } from '../servers/listener.ts';
import type { WebReply, WebRequest } from '../servers/web.ts';
import { ANTMINER_REALM } from './antminer.data.ts';
import type { OldAntminer } from './antminer-a.data.ts';
import { confBase, FORBIDDEN, json, NOT_FOUND, networkOf, reboot } from './pages.ts';

/** What the configuration holds beside the pools. */
type OldConf = { fan: string; pwm: string; freq: string; voltage: string; mode: string };

export function oldAntminerWebServer(device: SimDevice, model: OldAntminer): SimServer {
  const conf: OldConf = {
    fan: 'false',
    pwm: '',
    freq: String(model.frequencyMhz),
    voltage: model.hasVoltage ? '0706' : '',
    mode: model.hasWorkMode ? AWAKE : '',
  };
  return digestServer(device, ANTMINER_REALM, (request) => page(device, model, conf, request));
}

/** How the 17 series writes its modes. */
const AWAKE = '0';
const ASLEEP = '254';

const plain = (body: string): WebReply => ({ status: 200, type: 'text/html', body });

function page(device: SimDevice, model: OldAntminer, conf: OldConf, request: WebRequest): WebReply {
  const name = request.path.replace('/cgi-bin/', '');
  switch (name) {
    case '/':
      return plain('<html><head><title>Ant Miner</title></head><body></body></html>\n');
    case 'get_system_info.cgi':
      return json({
        minertype: model.reportedAs,
        ...networkOf(device),
        system_mode: 'GNU/Linux',
        ant_hwv: '',
        system_kernel_version: `Linux 3.14.0-xilinx #57 SMP PREEMPT ${model.compileTime}`,
        system_filesystem_version: model.fileSystem,
        cgminer_version: model.miner.version,
      });
    case 'get_miner_conf.cgi':
      return json(minerConf(device, model, conf));
    case 'set_miner_conf.cgi':
      return device.faults.has('write-api-off') ? FORBIDDEN : setMinerConf(device, conf, request);
    case 'blink.cgi':
      return formBlink(device, request);
    case 'get_kernel_log.cgi':
      return {
        status: 200,
        type: 'text/plain',
        body: `[    0.000000] Booting Linux on physical CPU 0x0\n[${device.systemUptimeS()}.000000] all is well\n`,
      };
    case 'upgrade.cgi':
      return device.faults.has('write-api-off') ? FORBIDDEN : upgrade(device, request);
    case 'reboot.cgi':
      return reboot(device);
    default:
      return NOT_FOUND;
  }
}

function minerConf(device: SimDevice, model: OldAntminer, conf: OldConf): object {
  return {
    ...confBase([0, 1, 2].map((index) => device.settings.pools[index] ?? { url: '', user: '', pass: '' })),
    // Written only while the fans are set by hand.
    ...(conf.fan === 'true' ? { 'bitmain-fan-ctrl': true, 'bitmain-fan-pwm': conf.pwm } : {}),
    'bitmain-freq': conf.freq,
    ...(model.hasVoltage ? { 'bitmain-voltage': conf.voltage } : {}),
    ...(model.hasWorkMode ? { 'bitmain-work-mode': conf.mode } : {}),
  };
}

/** The escapes that the script knows. Blanks are `+`. */
const ESCAPES = /%(2[3-6]|2[BCF]|3[A-F]|40|5[BDE]|7[BCD])/g;
const decoded = (text: string) =>
  text.replaceAll('+', ' ').replace(ESCAPES, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

/** Fields go by their place: a field left out moves all that follow it. */
function setMinerConf(device: SimDevice, conf: OldConf, request: WebRequest): WebReply {
  const fields = request.body.split('&').map((field) => decoded(field.slice(field.indexOf('=') + 1)));
  const at = (place: number) => fields[place] ?? '';
  if (device.faults.has('ignores-writes')) return plain('ok\n');
  const pools = [0, 3, 6].flatMap((place): PoolSetting[] =>
    at(place) === '' ? [] : [{ url: at(place), user: at(place + 1), pass: at(place + 2) }],
  );
  device.settings.pools = pools;
  conf.fan = at(11) === 'true' ? 'true' : 'false';
  conf.pwm = conf.fan === 'true' ? at(12) : '';
  // What is left blank stays as it was.
  if (at(13) !== '') conf.freq = at(13);
  if (at(14) !== '') conf.voltage = at(14);
  if (at(15) !== '') {
    conf.mode = at(15);
    device.setMode(conf.mode === ASLEEP ? 'sleep' : 'normal');
  }
  device.restart();
  return plain('ok\n');
}

/**
 * The script that starts the light leaves it the connection on every second device; one that blinks already gets no
 * answer at all.
 */
export function formBlink(device: SimDevice, request: WebRequest): WebReply {
  const action = /(?:^|&)action=(\w+)/.exec(request.body)?.[1];
  if (action === 'onPageLoaded') return json({ isBlinking: device.settings.isLightOn });
  if (action !== 'startBlink' && action !== 'stopBlink') return plain('');
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const isOn = action === 'startBlink';
  if (isOn && device.settings.isLightOn) return plain('');
  if (!device.faults.has('ignores-writes')) device.settings.isLightOn = isOn;
  if (isOn && device.index % 2 === 1) return { ...plain(''), isSilent: true };
  return json({ [action]: true });
}

/** Unpacks, checks a signature, and leaves the reboot to the page that it sends. */
function upgrade(device: SimDevice, request: WebRequest): WebReply {
  const isSigned = request.body.includes('signed by the maker');
  const words = device.faults.has('ignores-writes') || isSigned ? undefined : 'Installer Not Signtured!!!';
  return plain(
    words === undefined
      ? '<html><body onload="f_submit_reboot();"><h2>System Upgrade Successed</h2></body></html>\n'
      : `<html><body><h2>System Upgrade Failed</h2><p>${words}\n</p><table><tr></tr></table></body></html>\n`,
  );
}
