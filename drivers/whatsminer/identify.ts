// Recognises a Whatsminer by its web page, by TCP 4028 or by TCP 4433, each alone, and tells which of its three APIs to
// speak (atlas 4).
import * as kit from '../../src/driver/kit/index.ts';
import { GENERATIONS } from './family.data.ts';

/**
 * The API that a `get_version` text (or any text with its keys) stands for; undefined when it names neither firmware
 * nor API. The firmware date decides: builds of API 2 still call themselves `whatsminer v1.4.0`.
 */
export function generationOf(text: string) {
  const date = Number(text.match(/"(?:fw_ver|firmware ?version)"\s*:\s*"'?(20\d{6})\b/i)?.[1]);
  const version = text.match(/"api_ver"\s*:\s*"(?:whatsminer )?v?(\d)\.\d/i)?.[1];
  return GENERATIONS.find(([api, since]) => (date > 0 ? date >= since : api === `api${version}`))?.[0];
}

export function identify(evidence: kit.Evidence, ours: kit.Identity | undefined): kit.Identity | undefined {
  const { version, devdetails, whatsminer3 } = evidence;
  if (ours === undefined) return undefined;
  const info = new kit.Answer(whatsminer3).at('msg');
  const isTcp = version !== undefined || devdetails !== undefined;
  const words = `${version ?? ''}\n${devdetails ?? ''}`;
  const reported = info.at('miner').text('type') ?? kit.toText(words.match(/"Model"\s*:\s*"([^"\n]{1,64})"/)?.[1]);
  // Only 4433 itself proves API 3: a firmware that has it may have it switched off and still answer reads on 4028, as
  // API 2 does.
  const tcpGeneration = generationOf(words) === 'api1' ? 'api1' : 'api2';
  return kit.present({
    ...ours,
    generation: whatsminer3 !== undefined ? 'api3' : isTcp ? tcpGeneration : undefined,
    model: kit.knownModel('whatsminer-stock', reported).model,
    firmwareVersion: info.at('system').text('fwversion'),
    mac: info.at('network').text('mac', 128),
    serialNumber: info.at('miner').text('miner-sn', 128),
  });
}
