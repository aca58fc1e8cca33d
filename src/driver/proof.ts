// What of the answers to the shared questions is a proof of the family: something that only it gives, in the place where it gives it. A word somewhere
// on a page or in a text is a hint, for anybody's page may hold it. Pure.
import { z } from 'zod';
import type { WebEvidence } from '../transport/request.ts';
import type { Evidence } from './contract.ts';
import { FAMILY_PAGES, type FamilyId, PROVING_REALMS, TCP_WORDS } from './families.data.ts';

type Answers = Omit<Evidence, 'family' | 'isProven'>;

export function isProven(family: FamilyId, answers: Answers): boolean {
  const { version, devdetails, whatsminer3, api4028, systemInfo, familyPage, web } = answers;
  return (
    isSaidOnTcp(family, version, 'version') ||
    isSaidOnTcp(family, devdetails, 'devdetails') ||
    (family === 'whatsminer' && typeof whatsminer3 === 'object' && whatsminer3 !== null) ||
    (family === 'epic-umcos' && hasKeys(api4028, 'Model', 'Coins')) ||
    (AXEOS.includes(family) && hasKeys(systemInfo, 'ASICModel')) ||
    FAMILY_PAGES.some((page) => page.family === family && isPageOf(familyPage, page)) ||
    PROVING_REALMS.some((rule) => rule.family === family && web !== undefined && asksLike(web, rule))
  );
}

/** Speak one API, and tell apart by their start pages which of them they are. */
const AXEOS: readonly FamilyId[] = ['axeos', 'axeos-nerd', 'luckyminer'];

const asksLike = (web: WebEvidence, { realm, server }: (typeof PROVING_REALMS)[number]) =>
  web.status === 401 && web.authenticate?.includes(realm) === true && web.server?.startsWith(server) === true;

function isPageOf(page: WebEvidence | undefined, { keys, word }: (typeof FAMILY_PAGES)[number]): boolean {
  return hasKeys(page, ...keys) && (word === undefined || page?.body.toUpperCase().includes(word) === true);
}

/** A JSON object with these keys at its top. */
function hasKeys(page: WebEvidence | undefined, ...keys: readonly string[]): boolean {
  if (page?.status !== 200) return false;
  const json = jsonOf(page.body);
  return (
    typeof json === 'object' && json !== null && !Array.isArray(json) && keys.every((key) => Object.hasOwn(json, key))
  );
}

function isSaidOnTcp(family: FamilyId, answer: string | undefined, command: 'version' | 'devdetails'): boolean {
  if (answer === undefined) return false;
  const said = saidOnTcp(answer);
  const rules = TCP_WORDS.filter((rule) => rule.family === family && !rule.isHint && (rule.in ?? command) === command);
  return rules.some(({ words }) =>
    words.some((word) =>
      said.some((text) => (word.startsWith('"') ? text.startsWith(word.slice(1)) : text.includes(word))),
    ),
  );
}

const row = z.record(z.string(), z.unknown());
const rows = z.array(row).max(64).catch([]);
const letter = z.string().regex(/^[SIWEF]$/);
const answerSchema = z.looseObject({
  STATUS: z.unknown().optional(),
  Description: z.unknown().optional(),
  VERSION: rows,
  DEVDETAILS: rows,
  DEVS: rows,
  Msg: z.unknown().optional(),
});

/** Whether it is an answer of the CGMiner kind at all: it has the letter of a status where one stands. */
export function speaksCgminer(answer: string | undefined): boolean {
  const parsed = parse(answer);
  return parsed !== undefined && statusRows(parsed).length > 0;
}

function parse(answer: string | undefined) {
  if (answer === undefined) return undefined;
  const value = jsonOf(answer);
  return answerSchema.safeParse(value).data;
}

/** Rows of the status, or the answer itself where the letter stands at the top (Whatsminer). */
function statusRows(parsed: z.output<typeof answerSchema>): Readonly<Record<string, unknown>>[] {
  if (letter.safeParse(parsed.STATUS).success) return [parsed];
  return rows.parse(parsed.STATUS).filter((each) => letter.safeParse(each.STATUS).success);
}

/** What such an answer says in the places where the program and the device name themselves, in upper case: keys and texts. */
function saidOnTcp(answer: string): string[] {
  const parsed = parse(answer);
  if (parsed === undefined) return [];
  const named = [...parsed.VERSION, ...parsed.DEVDETAILS, ...parsed.DEVS].flatMap((each) =>
    Object.entries(each).flat(),
  );
  const status = statusRows(parsed).flatMap(({ Description, Msg }) => [
    Description,
    ...(row.safeParse(Msg).success ? Object.values(row.parse(Msg)) : []),
  ]);
  return [...named, ...status].flatMap((text) => (typeof text === 'string' ? [text.toUpperCase()] : []));
}

/** Undefined where it is none, also with the comma that old firmware leaves out between two objects. */
function jsonOf(text: string): unknown {
  for (const candidate of [text, text.replaceAll(/}\s*{/g, '},{')]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/** How sure a driver may be of a family that the tables name. */
export const confidenceOf = ({ isProven: proven }: Evidence): 'sure' | 'likely' =>
  proven === true ? 'sure' : 'likely';
