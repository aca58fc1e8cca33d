// TCP 4433 of Whatsminer API 3: frames with a length, signed writes that are really checked. Atlas section 4.3.
import { Buffer } from 'node:buffer';
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import { exchangeServer } from '../_farm/servers/exchange.ts';
import type { Answer, Reply } from '../_farm/servers/host.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WhatsminerModel } from './farm.data.ts';
import { deviceInfo, minerStatus } from './farm-api3-answers.ts';
import { CHANGE_PASSWORD, type Done3, obey3 } from './farm-api3-writes.ts';
import { sha256, unseal } from './farm-crypt.ts';
import { packedLogs } from './farm-facts.ts';

/** Served at once. */
const CONNECTIONS = 3;
/**
 * The listen queue behind them, long enough for clients that ask eight things at once; what does not fit is refused.
 */
const WAITING = 8;
const MAX_FRAME_BYTES = 64 * 1024;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A signature older or newer than this is refused. */
const CLOCK_DRIFT_S = 60;

const OK = 0;
const INVALID_COMMAND = -1;
const BAD_JSON = -2;
const NO_PERMISSION = -4;

export function whatsminer3Server(device: SimDevice, model: WhatsminerModel): SimServer {
  return exchangeServer<string>(device, {
    port: device.site.port(4433),
    atOnce: CONNECTIONS,
    waiting: WAITING,
    take: takeFrame,
    answer: (text) => answer(device, model, text),
  });
}

/** A frame that promises too much is read as an empty request, which is bad JSON. */
function takeFrame(received: Buffer): string | undefined {
  if (received.length < 4) return undefined;
  const length = received.readUInt32LE(0);
  if (length > MAX_FRAME_BYTES) return '';
  return received.length < 4 + length ? undefined : received.toString('utf8', 4, 4 + length);
}

function answer(device: SimDevice, model: WhatsminerModel, text: string): Reply {
  const request = parseObject(text);
  const cmd = request?.cmd;
  if (!request || typeof cmd !== 'string') return frame(device, BAD_JSON, 'invalid json', '');
  switch (cmd) {
    case 'get.device.info':
      return frame(device, OK, deviceInfo(device, model, saltOf(device), request.param), cmd);
    case 'get.miner.status': {
      const status = minerStatus(device, model, request.param);
      return status ? frame(device, OK, status, cmd) : frame(device, INVALID_COMMAND, 'invalid param', cmd);
    }
    case 'get.log.download': {
      const logs = packedLogs(device, model);
      const head = frame(device, OK, { logsize: String(logs.length) }, cmd);
      return { ...head, bytes: Buffer.concat([Buffer.from(head.bytes), logs]) };
    }
    default:
      return cmd.startsWith('set.')
        ? write(device, model, request, cmd)
        : frame(device, INVALID_COMMAND, 'invalid command', cmd);
  }
}

/** Whose param comes encrypted. */
const SEALED: ReadonlySet<string> = new Set(['set.miner.pools', CHANGE_PASSWORD]);

/** Another one after each reboot. */
function saltOf(device: SimDevice): string {
  return rollText(LETTERS, 8, device.site.seed, device.index, 600 + device.reboots);
}

function write(
  device: SimDevice,
  model: WhatsminerModel,
  request: Readonly<Record<string, unknown>>,
  cmd: string,
): Reply {
  const key = signatureKey(device, request, cmd);
  if (!key || device.faults.has('write-api-off')) return frame(device, NO_PERMISSION, 'permission denied', cmd);
  const param = SEALED.has(cmd) ? openParam(request.param, key) : request.param;
  const done = obey3(device, model, cmd, param);
  if (!done) return frame(device, INVALID_COMMAND, 'invalid command', cmd);
  const say = ({ isOk, msg = isOk ? 'ok' : 'invalid param', after, hangUp, onFile }: Done3): Reply => {
    if (hangUp) return { hangUp: true, after };
    const answered = frame(device, isOk ? OK : INVALID_COMMAND, msg, cmd, after);
    return { ...answered, onFile: onFile && ((file) => say(onFile(file))) };
  };
  return say(done);
}

/** The SHA-256 behind a right token, or undefined. */
function signatureKey(device: SimDevice, request: Readonly<Record<string, unknown>>, cmd: string): Buffer | undefined {
  const { ts, token, account } = request;
  if (typeof ts !== 'number' || typeof token !== 'string' || !device.login || account !== device.login.user) {
    return undefined;
  }
  if (Math.abs(ts - device.nowS()) > CLOCK_DRIFT_S) return undefined;
  const key = sha256(`${cmd}${device.login.password}${saltOf(device)}${ts}`);
  return key.toString('base64').slice(0, 8) === token ? key : undefined;
}

function openParam(param: unknown, key: Buffer): unknown {
  const text = typeof param === 'string' ? unseal(param, key) : undefined;
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function frame(device: SimDevice, code: number, msg: unknown, desc: string, after?: () => void): Answer {
  const body = Buffer.from(JSON.stringify({ code, when: Math.floor(device.nowS()), msg, desc }));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return { bytes: Buffer.concat([head, body]), after };
}
