// What was recorded of a device as a case: files and `case.json`, everything private replaced, equal answers kept once.
// It asks the device nothing.
import { drivers } from '../../../../drivers/index.ts';
import { VERSION } from '../../../base/version.ts';
import type { Case, Exchange } from '../../../case/format.ts';
import type { Ask, Known } from '../../../driver/contract.ts';
import type { LoadedDriver } from '../../../driver/load/loaded-driver.ts';
import type { PrivateKind } from '../../../driver/redact.ts';
import { readAnswers } from '../../../driver/visit/visit.ts';
import type { Reading } from '../../../model/reading.ts';
import { repairJson } from '../../../transport/cgminer/json-fixer.ts';
import type { RecordedAnswer } from '../../../transport/tcp/recorder.ts';
import { type Asked, caseName, fileName } from './case.ts';
import { createPlaceholders } from './placeholders.ts';

export type Raw = Omit<Exchange, 'file' | 'failure'> & { readonly bytes: Buffer; readonly failure?: string };

/** The last answer is the one to the question; a challenge or a login may come before it. */
export function toRaw(about: Asked, heard: readonly RecordedAnswer[], failure?: string): Raw {
  const isLogin = about.auth === 'login';
  // Those of a login belong to its own exchange.
  const own = heard.filter(({ path }) => about.transport !== 'http' || isLogin || path !== undefined);
  const headers = Object.assign({}, ...own.map(headersOf), isLogin ? cookiesOf(heard) : {});
  const last = own.at(-1);
  const bytes = last?.bytes ?? Buffer.alloc(0);
  return {
    ...about,
    ...(last?.status !== undefined && { status: last.status }),
    ...(Object.keys(headers).length > 0 && { headers }),
    elapsedMs: Math.round(heard.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)),
    bytes: about.transport === 'whatsminer-v3' ? bytes.subarray(4) : bytes,
    ...(failure !== undefined && { failure }),
  };
}

const HEADERS = ['content-type', 'location', 'server', 'www-authenticate'] as const;

/** The cookies that a login set, without their attributes. */
function cookiesOf(heard: readonly RecordedAnswer[]): Record<string, string> {
  const lines = heard.flatMap(({ headers = {} }) => headers['set-cookie'] ?? []);
  const cookies = lines.slice(0, 32).map((line) => line.split(';', 1)[0]?.slice(0, 4_096) ?? '');
  return cookies.length === 0 ? {} : { 'set-cookie': cookies.join('\n') };
}

/** Headers by which a firmware is known; of a challenge only what is not of one moment. */
function headersOf({ headers = {} }: RecordedAnswer): Record<string, string> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = [headers[name] ?? []].flat().join(', ').slice(0, 512);
      return value === '' ? [] : [[name, value.replaceAll(/,?\s*(c?nonce|opaque)="[^"]*"/g, '')]];
    }),
  );
}

type Recorded = {
  readonly raws: readonly Raw[];
  readonly ports: Readonly<Record<string, string>>;
  readonly driver: LoadedDriver | undefined;
  readonly known: Known;
  /** Hidden wherever they are. */
  readonly secrets: readonly string[];
};

/** `files` = text of each file by its name. */
export async function toCase(
  recorded: Recorded,
): Promise<{ readonly case: Case; readonly files: ReadonlyMap<string, string> }> {
  const { raws, ports, driver, known, secrets } = recorded;
  const factory = driver?.login.factoryDefault?.password;
  const placeholders = createPlaceholders({
    publicWords: ['miner', ...drivers.flatMap(({ id, make }) => [make, id]), ...productWords(raws, known)],
    secrets: secrets.filter((secret) => secret !== factory),
  });
  const texts = raws.map(({ bytes }) => bytes.toString('latin1'));
  const plain = Object.fromEntries(
    raws.flatMap(({ ask, failure }, index) =>
      ask === undefined || failure !== undefined ? [] : [[ask, asAnswered(driver?.asks[ask], texts[index] ?? '')]],
    ),
  );
  const readFrom = async (given: Readonly<Record<string, unknown>>) =>
    driver && (await readAnswers(driver, given, known)).reading;
  for (const [kind, original] of privateParts((await readFrom(plain)) ?? {})) placeholders.know(kind, original);
  for (const text of texts) placeholders.learn(text);
  const hideAll = (own: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(own).map(([name, text]) => [name, placeholders.hide(text)]));
  const files = new Map<string, string>();
  const fileOf = createFiles(files);
  const answers: Record<string, unknown> = {};
  const responses = raws.map(({ bytes: _, headers, ...exchange }, index): Exchange => {
    const text = placeholders.hide(texts[index] ?? '');
    const file = fileOf(exchange, text);
    const { ask, failure } = exchange;
    if (ask !== undefined && failure === undefined) answers[ask] = asAnswered(driver?.asks[ask], text);
    return { ...exchange, file, ...(headers && { headers: hideAll(headers) }) };
  });
  const reading = await readFrom(answers);
  const { make, model, firmwareVersion } = { ...known, ...reading };
  return {
    files,
    case: {
      id: caseName(make ?? driver?.make, model, firmwareVersion),
      firmware: driver?.id ?? 'unknown',
      make: make ?? null,
      model: model ?? null,
      firmwareVersion: firmwareVersion ?? null,
      known: hideAll({ ...known }),
      capturedBy: `pithead ${VERSION}`,
      ports,
      responses,
      expect: {},
      read: reading ?? null,
    },
  };
}

/** Names of products, which devices use as their host name: what it is known as, and what names itself on TCP. */
function productWords(raws: readonly Raw[], { make }: Known): readonly string[] {
  const texts = raws
    .filter(({ ask, transport }) => ask === undefined && transport === 'cgminer-tcp')
    .map(({ bytes }) => bytes.toString('latin1').slice(0, 8_192));
  const named = texts.flatMap((text) => [...text.matchAll(NAMING)].map(([, word = '']) => word));
  return [...(make === undefined ? [] : [make]), ...named];
}

const NAMING = /"(?:Type|Model|PROD|Miner|Name|Description)"\s{0,4}:\s{0,4}"([A-Za-z]{3,24})/gi;

/** Gives each answer its file: the one of an equal answer, else a new one. */
function createFiles(files: Map<string, string>): (exchange: Asked, text: string) => string {
  const taken = new Set<string>(['case.json']);
  const byAnswer = new Map<string, string>();
  return (exchange, text) => {
    const key = JSON.stringify([exchange.transport, exchange.status, exchange.auth === 'login', text]);
    const equal = byAnswer.get(key);
    if (equal !== undefined) return equal;
    const file = fileName(exchange, text, taken);
    files.set(file, text);
    byAnswer.set(key, file);
    return file;
  };
}

/** What the driver read as private, whatever its key is called. */
function privateParts(reading: Reading): [PrivateKind, string][] {
  const { mac, serialNumber, controllerSerialNumber, hostname, boards = [], psus = [], pools = [] } = reading;
  const serials = [serialNumber, controllerSerialNumber, ...[...boards, ...psus].map((part) => part.serialNumber)];
  const parts: [PrivateKind, string | undefined][] = [
    ['mac', mac],
    ['host', hostname],
    ...serials.map((serial): [PrivateKind, string | undefined] => ['serial', serial]),
    ...pools.flatMap(({ url, user }): [PrivateKind, string | undefined][] => [
      ['url', url],
      ['host', url.match(/\/\/(?:[^/@]*@)?([^/:]+)/)?.[1]],
      ['worker', user],
    ]),
  ];
  return parts.flatMap(([kind, part]) => (part === undefined || part === '' ? [] : [[kind, part]]));
}

/** As the link would have handed it to the driver. */
function asAnswered(ask: Ask | undefined, text: string): unknown {
  const bytes = Buffer.from(text, 'latin1');
  return ask?.via === 'http' && ask.as === 'text' ? bytes.toString('utf8') : repairJson(bytes)?.value;
}
