// What a driver says of its families: by which answers to the shared questions a device of each shows itself, and by
// which it proves it. Data.
import type { z } from 'zod';

/**
 * Words in the raw text of `version` or `devdetails`, compared without case (atlas 2.2). `in: 'version'` = ignore it in
 * `devdetails`. `isHint` = others say it too: it proves nothing.
 */
export type TcpWords = {
  readonly words: readonly string[];
  readonly in?: 'version';
  readonly isHint?: true;
};

/**
 * Evidence of `GET /`: status, realm of the login challenge, redirect target, body text (compared with case, first 64
 * KB; atlas 2.3). A hint, for any device may show it.
 */
export type StartPage = {
  readonly status?: number;
  readonly realm?: string;
  readonly location?: string;
  readonly body?: string;
};

/**
 * A page that needs no login and that only this family has: asked where something hints at the family and nothing has
 * proved it. `shape` = what its JSON holds, keys and types together: an application that answers everything, or repeats
 * what it is asked, does not fit. `guarded` = another page, which asks for a login there; `title` = of the start page.
 */
export type FamilyPage = {
  readonly path: string;
  /** Default: where the start page was found. */
  readonly port?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly shape: z.ZodType;
  readonly guarded?: string;
  readonly title?: string;
};

/**
 * What it answers to one of the shared questions that few know: a page, or the object of `whatsminer3`. `words` = all
 * of them in the page are a hint at the family; absent = they are none. `shape` = what proves it.
 */
export type OwnAnswer = {
  readonly to: 'whatsminer3' | 'api4028' | 'systemInfo';
  readonly words?: readonly string[];
  readonly shape: z.ZodType;
};

/** A login challenge and the server that asks it. The realm alone is on any page that was copied. */
export type ProvingRealm = { readonly realm: string; readonly server: RegExp };

/**
 * What a device broadcasts when a person presses its IP-report button, and to which port. `words`: the first group is
 * the address, the second the MAC; either may be missing. `fields`: of a JSON object. `isPacked`: zlib data in which
 * the first MAC is the miner's. It is a hint to look there, never who it is.
 */
export type IpReportForm = { readonly port: number } & (
  | { readonly words: RegExp }
  | { readonly fields: z.ZodType<{ ip: string; mac: string }> }
  | { readonly isPacked: true }
);

export type Family = {
  readonly id: string;
  /** Firmware for machines of other makers: looked for before the makers' own, whose words may live on in it. */
  readonly isThirdParty?: true;
  /** Its words and its realm live on in other firmware: any other family beats it, and it is asked patiently. */
  readonly livesOn?: true;
  /** Its API may be on the side port, where its page does not tell whose it is. */
  readonly hasSidePort?: true;
  readonly tcp?: readonly TcpWords[];
  readonly startPages?: readonly StartPage[];
  readonly answers?: readonly OwnAnswer[];
  readonly page?: FamilyPage;
  readonly realms?: readonly ProvingRealm[];
};
