// The firmware family that the answers of a device name, and whether they prove it. Pure.
import type { Evidence } from './contract.ts';
import { type FamilyId, TCP_WORDS, WEB_RULES, type WebRule } from './families.data.ts';
import { isProven } from './proof.ts';

/** The start page redirects to TLS. The redirect is not followed: only the device itself is asked. */
export const isSentToTls = (web: Evidence['web']): boolean =>
  web !== undefined && web.status >= 300 && web.status < 400 && web.location?.startsWith('https://') === true;

export const isAnyProven = (answers: EvidenceParts) => familiesOf(answers).some((family) => isProven(family, answers));

/** Answers without what follows from them. */
export type EvidenceParts = Omit<Evidence, 'family' | 'isProven'>;

/** The answers, with the family that they name and whether they prove it. */
export function evidenceOf(answers: EvidenceParts): Evidence {
  // A proof of one family beats the hint of another, but not where the proof is stock's: it lives on in the firmwares
  // that replace it.
  const proven = familiesOf(answers).find((each) => each !== 'antminer-stock' && isProven(each, answers));
  const family = proven ?? familyOf(answers);
  return { ...answers, family, isProven: family !== undefined && isProven(family, answers) };
}

/**
 * The family that the answers name. TCP words before API 3 before the web page, but any third-party or foreign family
 * before stock Antminer firmware, whose realm and words live on in the firmwares that replace it. A login challenge
 * that spells out its algorithm may be MARA or newer stock: only MARA's own words on TCP decide for MARA, because
 * trying its login on a stock miner would do harm.
 */
export function familyOf(answers: EvidenceParts): FamilyId | undefined {
  const found = familiesOf(answers);
  return found.find((family) => family !== 'antminer-stock') ?? found[0];
}

function familiesOf(answers: EvidenceParts): FamilyId[] {
  const { web, whatsminer3 } = answers;
  return [
    tcpFamily(answers.version, answers.devdetails),
    typeof whatsminer3 === 'object' && whatsminer3 !== null ? ('whatsminer' as const) : undefined,
    // What an ePIC machine says of itself: which it is and what it can mine.
    isPageWith(answers.api4028, '"Model"', '"Coins"') || isPageWith(answers.api4028, '"epic-miner v')
      ? ('epic-umcos' as const)
      : undefined,
    web && WEB_RULES.find((rule) => ruleFits(rule, web))?.family,
    // The API of a Bitaxe, which names its chip. Its readings show which relative it is.
    isPageWith(answers.systemInfo, '"ASICModel"') ? ('axeos' as const) : undefined,
  ].filter((family) => family !== undefined);
}

export function tcpFamily(version: string | undefined, devdetails: string | undefined): FamilyId | undefined {
  const inVersion = version?.toUpperCase() ?? '';
  const inDetails = devdetails?.toUpperCase() ?? '';
  return TCP_WORDS.find((entry) =>
    entry.words.some((word) => inVersion.includes(word) || (entry.in !== 'version' && inDetails.includes(word))),
  )?.family;
}

function ruleFits(rule: WebRule<string>, web: NonNullable<Evidence['web']>): boolean {
  return (
    (rule.status === undefined || web.status === rule.status) &&
    (rule.realm === undefined || (web.authenticate?.includes(rule.realm) ?? false)) &&
    (rule.location === undefined || (web.location?.includes(rule.location) ?? false)) &&
    (rule.body === undefined || web.body.includes(rule.body))
  );
}

const isPageWith = (page: Evidence['web'], ...words: readonly string[]) =>
  page?.status === 200 && words.every((word) => page.body.includes(word));

/** A web server on 4028 (ePIC) speaks no CGMiner. */
export function isWebPage(answer: string): boolean {
  return /^\s*(<|HTTP\/)/i.test(answer);
}
