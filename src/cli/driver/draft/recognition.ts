// By what a new driver may recognise its device: a name in the answer to `version`, the start page, the challenge of
// the login, a page that needs no login. Guesses, for a person to check. Pure.
import type { CaseFolder } from '../../../case/folder.ts';
import type { Exchange } from '../../../case/format.ts';
import { repairJson } from '../../../transport/cgminer/json-fixer.ts';
import type { DraftAsk } from './asks.ts';

/** Keys of a JSON object with the types of their values; `is` = the value that it must have. */
export type Shape = readonly (readonly [key: string, type: 'number' | 'string' | 'boolean', is?: string])[];

export type Recognition = {
  /** Begins a name in the answer to `version`: a proof. */
  readonly tcpWord: string | undefined;
  /** Of the start page: hints. */
  readonly title: string | undefined;
  readonly realm: string | undefined;
  /** Together with the realm: a proof. */
  readonly server: string | undefined;
  /** Needs no login: a proof. */
  readonly page: { readonly path: string; readonly shape: Shape } | undefined;
};

/** Programs that many makers build on: their names tell nothing. */
const COMMON = /^(cg|bfg|bm|sg|bos|gekko|cpu)?miner\b|^(api|msg|compiletime|type|version|status|description|s|e|w|i)$/i;
const NAMING = ['Type', 'Model', 'PROD', 'MODEL', 'TYPE', 'Miner', 'NAME', 'Name'] as const;
const MOST_KEYS = 5;
const NAMES_MAKER = /^(vendor|maker?|manufacturer|brand|company)(_?name)?$/i;

export function recognitionOf({ about, bytesOf }: CaseFolder, asks: readonly DraftAsk[]): Recognition {
  const probes = about.responses.filter(({ ask }) => ask === undefined);
  const version = probes.find(({ transport, send }) => transport === 'cgminer-tcp' && send?.command === 'version');
  const start = probes.find(({ transport, path }) => transport === 'http' && path === '/');
  const challenge = start?.status === 401 ? start.headers?.['www-authenticate'] : undefined;
  const title = start && /<title>\s*([^<\r\n"'\\]{3,60}?)\s*<\/title>/i.exec(bytesOf(start.file).toString('utf8'))?.[1];
  return {
    tcpWord: version && tcpWordIn(repairJson(bytesOf(version.file))?.value),
    title: title === undefined || /^(401|unauthorized|login|home|index|redirect)/i.test(title) ? undefined : title,
    realm: /^digest.*?realm="([^"\\]{1,64})"/i.exec(challenge ?? '')?.[1],
    server: start?.headers?.server,
    page: provingPage(asks),
  };
}

/** The first words of what names the device, or the name of its program. */
function tcpWordIn(answer: unknown): string | undefined {
  const { VERSION, STATUS } = Object(answer);
  const row: Readonly<Record<string, unknown>> = Object(Array.isArray(VERSION) ? VERSION[0] : undefined);
  const status = Object(Array.isArray(STATUS) ? STATUS[0] : undefined);
  const names = [...NAMING.map((key) => row[key]), ...Object.keys(row), status.Description];
  const name = names.find(
    (each) => typeof each === 'string' && /^[A-Za-z][\w+-]{2,}/.test(each) && !COMMON.test(each) && !isNamingKey(each),
  );
  if (typeof name !== 'string') return undefined;
  // A number that follows is the model or the version of this one device.
  return /^[A-Za-z][\w+-]*/.exec(name)?.[0].toUpperCase();
}

const isNamingKey = (text: string) => NAMING.some((key) => key.toUpperCase() === text.toUpperCase());

function provingPage(asks: readonly DraftAsk[]): Recognition['page'] {
  for (const { recorded, answer } of asks) {
    if (!isOpenPage(recorded)) continue;
    const shape = Object.entries(answer).flatMap(([key, value]): Shape => {
      const type = typeof value;
      return (type === 'number' || type === 'string' || type === 'boolean') && /^[A-Za-z]\w{0,40}$/.test(key)
        ? [type === 'string' && NAMES_MAKER.test(key) ? [key, type, String(value)] : [key, type]]
        : [];
    });
    // With fewer, the page of another device may fit.
    if (shape.length < 3) continue;
    // What names the maker proves more than a type.
    const makers = shape.filter(([, , is]) => is !== undefined);
    const others = shape.filter(([, , is]) => is === undefined);
    return { path: recorded.path ?? '/', shape: [...makers, ...others].slice(0, MOST_KEYS) };
  }
  return undefined;
}

const isOpenPage = ({ transport, method = 'GET', port, auth }: Exchange) =>
  transport === 'http' && method === 'GET' && port === 80 && auth === undefined;
