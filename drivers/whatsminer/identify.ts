// Recognises a Whatsminer by its web page, by TCP 4028 or by TCP 4433, each alone, and tells which of its three APIs to
// speak (atlas 4).
import type { Evidence, Identity } from '../../src/driver/contract.ts';
import { toText } from '../../src/driver/fields.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present } from '../_dialects/cgminer.ts';
import { deviceInfo } from './replies.ts';

/** First firmware dates of the write API on 4028 and of API 3. */
const API2_SINCE = 20220729;
const API3_SINCE = 20241101;

/**
 * The API that a `get_version` text (or any text with its keys) stands for; undefined when it names neither firmware
 * nor API. The firmware date decides: builds of API 2 still call themselves `whatsminer v1.4.0`.
 */
export function generationOf(text: string): 'api1' | 'api2' | 'api3' | undefined {
  const date = Number(text.match(/"(?:fw_ver|firmware ?version)"\s*:\s*"'?(20\d{6})\b/i)?.[1]);
  if (Number.isFinite(date)) return date >= API3_SINCE ? 'api3' : date >= API2_SINCE ? 'api2' : 'api1';
  switch (text.match(/"api_ver"\s*:\s*"(?:whatsminer )?v?(\d)\.\d/i)?.[1]) {
    case '1':
      return 'api1';
    case '2':
      return 'api2';
    case '3':
      return 'api3';
    default:
      return undefined;
  }
}

export function identify(evidence: Evidence): Identity | undefined {
  const { family, version, devdetails, whatsminer3 } = evidence;
  if (family !== 'whatsminer') return undefined;
  const info = infoOf(whatsminer3);
  const isTcp = version !== undefined || devdetails !== undefined;
  const words = `${version ?? ''}\n${devdetails ?? ''}`;
  const reported = info?.miner?.type ?? toText(words.match(/"Model"\s*:\s*"([^"\n]{1,64})"/)?.[1]);
  const model = findModel('whatsminer-stock', reported);
  return present({
    generation: whatsminer3 !== undefined ? 'api3' : isTcp ? tcpGeneration(words) : undefined,
    make: model?.make ?? 'Whatsminer',
    model: model?.model ?? reported,
    firmwareVersion: info?.system?.fwversion,
    mac: info?.network?.mac,
    serialNumber: info?.miner?.['miner-sn'],
    confidence: confidenceOf(evidence),
  });
}

/**
 * Only 4433 itself proves API 3: a firmware that has it may have it switched off and still answer reads on 4028, as API
 * 2 does.
 */
const tcpGeneration = (words: string) => (generationOf(words) === 'api1' ? 'api1' : 'api2');

function infoOf(whatsminer3: unknown) {
  const msg = typeof whatsminer3 === 'object' && whatsminer3 !== null && 'msg' in whatsminer3 ? whatsminer3.msg : null;
  const parsed = deviceInfo.safeParse(msg);
  return parsed.success ? parsed.data : undefined;
}
