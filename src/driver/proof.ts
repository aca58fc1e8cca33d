// What of the answers to the shared questions is a proof of the family: something that only it gives, in the place
// where it gives it. A word somewhere on a page or in a text is a hint, for anybody's page may hold it. Pure.
import { z } from 'zod';
import type { WebEvidence } from '../transport/request.ts';
import type { Evidence } from './contract.ts';
import type { Family, FamilyPage, OwnAnswer, ProvingRealm } from './recognition.ts';

type Answers = Omit<Evidence, 'family' | 'isProven'>;

/** `all` = every family that a device may name. */
export function isProven(family: Family, answers: Answers, all: readonly Family[]): boolean {
  const { version, devdetails } = answers;
  return (
    isNamedOnTcp(family, version, 'version', all) ||
    isNamedOnTcp(family, devdetails, 'devdetails', all) ||
    isShown(family, answers)
  );
}

/** By the shape of an answer, or a login challenge of its own. */
export function isShown(family: Family, answers: Answers): boolean {
  const { web } = answers;
  const { answers: own = [], page, realms = [] } = family;
  return (
    own.some((answer) => isOwn(answer, answers)) ||
    (page !== undefined && isPageOf(page, answers)) ||
    (web !== undefined && realms.some((realm) => asksLike(web, realm)))
  );
}

const isOwn = ({ to, shape }: OwnAnswer, answers: Answers): boolean =>
  to === 'whatsminer3' ? shape.safeParse(answers.whatsminer3).success : fits(answers[to], shape);

const asksLike = (web: WebEvidence, { realm, server }: ProvingRealm) =>
  web.status === 401 && realmOf(web.authenticate) === realm && web.server !== undefined && server.test(web.server);

function isPageOf({ shape, guarded, title }: FamilyPage, answers: Answers): boolean {
  const { familyPage, guardedPage, web } = answers;
  if (!fits(familyPage, shape)) return false;
  if (guarded !== undefined && guardedPage?.status !== 401) return false;
  return title === undefined || (web !== undefined && titleOf(web)?.startsWith(title) === true);
}

/** Of a digest challenge, whole. */
const realmOf = (challenge = '') => /^\s*digest\b.*?\brealm="([^"]*)"/i.exec(challenge)?.[1];

const titleOf = ({ body }: WebEvidence) => /<title>\s*([^<]{1,128})/i.exec(body)?.[1];

const fits = (page: WebEvidence | undefined, shape: z.ZodType): boolean =>
  page?.status === 200 && shape.safeParse(jsonOf(page.body)).success;

/**
 * An answer that names several families, or several machines, lists machines of others, as a monitor does. Only a name
 * that lives on stands beside that of what replaced it.
 */
function isNamedOnTcp(
  family: Family,
  answer: string | undefined,
  command: 'version' | 'devdetails',
  all: readonly Family[],
): boolean {
  if (answer === undefined) return false;
  const names = namesOnTcp(answer);
  const isNameOf = ({ tcp = [] }: Family, name: string): boolean =>
    tcp.some(
      (rule) =>
        !rule.isHint &&
        (rule.in ?? command) === command &&
        rule.words.some((word) => isNamed(name, word.replace(/^"/, '').toUpperCase())),
    );
  const named = all.filter((each) => names.some((name) => isNameOf(each, name)));
  if (!named.includes(family) || named.some((each) => each !== family && !each.livesOn)) return false;
  return !listsSeveral(answer, (name) => isNameOf(family, name));
}

/** The boards of a device have one and the same name under each key, or none. */
function listsSeveral(answer: string, isOurs: (name: string) => boolean): boolean {
  const { DEVDETAILS = [], DEVS = [] } = parse(answer) ?? {};
  return [DEVDETAILS, DEVS].some((list) => {
    const keys = new Set(list.flatMap((each) => Object.keys(each).filter((key) => isNaming(key.toUpperCase()))));
    return [...keys].some((key) => {
      const names = list.flatMap((each) => asName(each[key]) || []);
      return names.some(isOurs) && new Set(names).size > 1;
    });
  });
}

/** The version of the program that a firmware was made of, alone or behind its name: `cgminer 4.9.0 `. */
const MADE_OF = /^((CG|BFG|BM|SG|CC|INT)MINER )?V?\d[\w.+-]*[ (_]+/;

/**
 * Whether a program or device names itself so. Its name begins with the word, or with the version of the program that
 * it was made of and the word next, or with an Antminer: `cgminer 4.9.0 rwglr`, `Antminer S21 (Vnish 1.3.4)`. A text
 * that only mentions a miner (`2.1 (bridge for WhatsMiner)`) does not.
 */
function isNamed(name: string, word: string): boolean {
  if (name.startsWith(word) || name.replace(MADE_OF, '').startsWith(word)) return true;
  return name.startsWith('ANTMINER ') && name.length <= 64 && name.includes(word);
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

/** Where a program and a device name themselves, beside the key that names the program and holds its version. */
const NAMING: ReadonlySet<string> = new Set([
  'TYPE',
  'MODEL',
  'PROD',
  'MINER',
  'DRIVER',
  'KERNEL',
  'NAME',
  'FW_VER',
  'API_VER',
]);
const isNaming = (key: string) => NAMING.has(key) || /MINER\+?$/.test(key);

/** The names in such an answer, in upper case: keys of the version, texts in naming places. */
function namesOnTcp(answer: string): string[] {
  const parsed = parse(answer);
  if (parsed === undefined) return [];
  const status = statusRows(parsed);
  if (status.length === 0) return [];
  const versions = parsed.VERSION.filter((each) => Object.hasOwn(each, 'API'));
  const texts = [
    ...versions.flatMap((each) => Object.keys(each)),
    ...[...versions, ...parsed.DEVDETAILS, ...parsed.DEVS].flatMap(namesIn),
    ...status.flatMap(({ Description, Msg }) => [
      Description,
      ...(row.safeParse(Msg).success ? namesIn(row.parse(Msg)) : []),
    ]),
  ];
  return texts.flatMap((text) => asName(text) ?? []);
}

const asName = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.trim().toUpperCase() : undefined;

const namesIn = (each: Readonly<Record<string, unknown>>) =>
  Object.entries(each).flatMap(([key, value]) => (isNaming(key.toUpperCase()) ? [value] : []));

/** A whole answer to `version`: a status letter, and a row with the versions of the API and a mining program. */
export function isWholeCgminer(answer: string | undefined): boolean {
  const parsed = parse(answer);
  if (parsed === undefined || statusRows(parsed).length === 0) return false;
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  return parsed.VERSION.some(
    (each) =>
      isText(each.API) && Object.entries(each).some(([key, value]) => /^\w*miner\+?$/i.test(key) && isText(value)),
  );
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
