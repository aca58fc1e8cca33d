// The web of Antminer stock (port 80): digest login on every page, the CGI reads and the writes that drivers use. Atlas
// sections 3.2 and 3.4.
import type { SimDevice } from '../device.ts';
import type { Mode } from '../physics.ts';
import { digestServer } from '../servers/digest.ts';
import type { SimServer } from '../servers/listener.ts';
import type { WebReply, WebRequest } from '../servers/web.ts';
import { ANTMINER_REALM, type AntminerModel } from './antminer.data.ts';
import { antminerFacts, firmwareOf } from './facts.ts';
import { bodyOf, FORBIDDEN, json, NOT_FOUND, readPools, reboot, refused, setBlink, setPassword } from './pages.ts';
import { minerConf, networkInfo, systemInfo, webPools, webStats, webSummary } from './web-answers.ts';

/** `own` answers before stock would: firmwares that replace stock keep most of its pages. */
export function antminerWebServer(
  device: SimDevice,
  model: AntminerModel,
  own: (request: WebRequest) => WebReply | undefined = () => undefined,
): SimServer {
  return digestServer(device, ANTMINER_REALM, (request) => own(request) ?? page(device, model, request));
}

/** The small helper on port 6060 of newer builds: no login. */
export function antminerHelperServer(device: SimDevice): SimServer {
  return device.site.web.server(device, device.site.port(6060), ({ path }) => {
    switch (path) {
      case '/warning':
        return {
          status: 200,
          type: 'text/plain',
          body: JSON.stringify({ error_message: antminerFacts(device).warning }),
        };
      case '/miner_power':
        return { status: 200, type: 'text/plain', body: `miner_power: ${antminerFacts(device).powerW}` };
      default:
        return { status: 200, type: 'text/plain', body: 'error 6060 cmd' };
    }
  });
}

function page(device: SimDevice, model: AntminerModel, request: WebRequest): WebReply {
  switch (request.path) {
    case '/':
      return { status: 200, body: '<html><head><title>Ant Miner</title></head><body></body></html>\n' };
    case '/cgi-bin/get_system_info.cgi':
      return json(systemInfo(device, model));
    case '/cgi-bin/get_network_info.cgi':
      return json(networkInfo(device));
    case '/cgi-bin/summary.cgi':
      return json(webSummary(device, model, antminerFacts(device)));
    case '/cgi-bin/stats.cgi':
      return json(webStats(device, model, antminerFacts(device)));
    case '/cgi-bin/pools.cgi':
      return json(webPools(device, model, antminerFacts(device)));
    case '/cgi-bin/get_miner_conf.cgi':
      return json(minerConf(device, model, antminerFacts(device)));
    case '/cgi-bin/set_miner_conf.cgi':
      return setMinerConf(device, model, request);
    case '/cgi-bin/get_blink_status.cgi':
      return json({ blink: device.settings.isLightOn });
    case '/cgi-bin/blink.cgi':
      return setBlink(device, request);
    case '/cgi-bin/miner_type.cgi':
      return model.subtype === ''
        ? NOT_FOUND
        : json({ miner_type: model.reportedAs, subtype: model.subtype, fw_version: firmwareOf(device, model) });
    case '/cgi-bin/get_kernel_log.cgi':
      return model.isEarly ? log(device) : NOT_FOUND;
    case '/cgi-bin/log.cgi':
      return model.isEarly ? NOT_FOUND : log(device);
    case '/cgi-bin/passwd.cgi':
      return setPassword(device, request);
    case '/cgi-bin/upgrade.cgi':
      return upgrade(device, model, request);
    case '/cgi-bin/reboot.cgi':
      return reboot(device);
    default:
      return NOT_FOUND;
  }
}

const log = (device: SimDevice): WebReply => ({
  status: 200,
  type: 'text/plain',
  body: `[    0.000000] Booting Linux on physical CPU 0x0\n[${Math.floor(device.nowS())}] miner status good\n`,
});

/**
 * Firmware as this farm writes it: `firmware <version> for <control board and hashboard>`, or for the model where the
 * device does not know its boards. A bundle, which holds it for several boards, is no firmware.
 */
function upgrade(device: SimDevice, model: AntminerModel, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const [, version, target] = /\r\n\r\nfirmware "([^"]+)" for ([^\r\n]+)\r\n/.exec(request.body) ?? [];
  const isOurs = target === (model.subtype === '' ? model.reportedAs : model.subtype);
  if (version === undefined || !isOurs) return json({ stats: 'error', code: 'U001', msg: 'Firmware verify failed' });
  const done = { stats: 'success', code: 'U000', msg: 'OK!' };
  if (device.faults.has('ignores-writes')) return json(done);
  return json(done, () => {
    device.settings.firmware = version;
    device.reboot();
  });
}

const MODE_NAMES: Readonly<Record<string, Mode>> = { 0: 'normal', 1: 'sleep', 2: 'high', 3: 'low' };
const B_NEEDS = ['bitmain-fan-ctrl', 'bitmain-fan-pwm', 'freq-level', 'miner-mode', 'pools'] as const;

/**
 * B takes the whole configuration or nothing; C takes a part, and looks at `miner-mode` only while it answers success
 * to either key. The answer comes when the process is up again.
 */
function setMinerConf(device: SimDevice, model: AntminerModel, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const conf = bodyOf(request);
  if (!conf) return refused('M001');
  if (model.generation === 'b' && B_NEEDS.some((key) => !(key in conf))) return refused('M002');
  const wanted = model.generation === 'c' ? conf['miner-mode'] : (conf['bitmain-work-mode'] ?? conf['miner-mode']);
  const mode = wanted === undefined ? undefined : MODE_NAMES[String(wanted)];
  if (wanted !== undefined && mode === undefined) return refused('M003');
  const pools = conf.pools === undefined ? undefined : readPools(conf.pools);
  if (conf.pools !== undefined && !pools) return refused('M004');
  const done = { stats: 'success', code: 'M000', msg: 'OK!' };
  if (device.faults.has('ignores-writes')) return json(done);
  if (pools) device.settings.pools = pools.filter((pool) => pool.url !== '');
  if (mode) device.setMode(mode);
  return { ...json(done), delayMs: device.restartSlowly() };
}
