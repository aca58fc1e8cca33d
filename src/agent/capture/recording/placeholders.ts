// Replaces everything private in a set of answers by placeholders: the same one for the same original, and in its
// shape, so that drivers can read it. It must learn from all answers before it hides anything in the first one.
import { writtenForms } from '../../../base/secrets.ts';
import { hideText, type PrivateKind } from '../../../driver/redact.ts';

type PlaceholderOptions = {
  /** Words that are not private even under private keys: makes and models that devices use as their host name. */
  readonly publicWords: readonly string[];
  /** Passwords and names known beforehand; hidden everywhere. */
  readonly secrets: readonly string[];
};

/** What devices write where they have no value. */
const FILLER = /^(0+|f+|-+|n\/?a|none|null|unknown|undefined|true|false|default)$/i;
/** A shorter text would be found inside of other words. */
const LEAST_LENGTH = 6;
/** No device has more; a hostile one must not cost more. */
const MOST_EVERYWHERE = 500;
const KEPT_IP = /^(255\.|127\.0\.0\.1$|0\.0\.0\.0$)/;
/** Four numbers with dots that are a version, by the key before them. */
const VERSIONS =
  /"[\w .-]{0,32}(?:version|miner|api|firmware|fw_?ver)[\w .-]{0,32}"\s{0,8}:\s{0,8}"(\d{1,3}(?:\.\d{1,3}){3})"/gi;
const LOCAL_IP = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;

export function createPlaceholders({ publicWords, secrets }: PlaceholderOptions) {
  const given = new Map<string, number>();
  const issued = new Set<string>();
  const counts = new Map<string, number>();
  const versions = new Set<string>();
  const isPublic = publicTest(publicWords);

  const next = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count;
  };
  const substitute = (kind: PrivateKind, original: string): string => {
    if (issued.has(original) || FILLER.test(original.trim()) || isKept(kind, original)) return original;
    const identity = kind === 'mac' ? `mac ${macDigits(original)}` : original;
    const number = given.get(identity) ?? next(familyOf(kind));
    given.set(identity, number);
    const placeholder = shape(kind, original, number);
    issued.add(placeholder);
    return placeholder;
  };
  const isKept = (kind: PrivateKind, original: string) => {
    switch (kind) {
      case 'ip':
        return KEPT_IP.test(original) || versions.has(original);
      case 'mac':
        return /^(0+|F+)$/.test(macDigits(original));
      case 'url':
        return original.startsWith('/');
      case 'host':
      case 'worker':
        return isPublic(original);
      default:
        return false;
    }
  };
  /** A value found under a private key is hidden wherever it appears. */
  const everywhere = new Map<string, PrivateKind>();
  const note = (kind: PrivateKind, original: string) => {
    const placeholder = substitute(kind, original);
    if (
      placeholder !== original &&
      original.length >= LEAST_LENGTH &&
      everywhere.size < MOST_EVERYWHERE &&
      !isPublic(original)
    ) {
      for (const form of kind === 'mac' ? macForms(original) : [original]) everywhere.set(form, kind);
    }
    return placeholder;
  };
  for (const secret of secrets) if (secret.length > 3) everywhere.set(secret, 'secret');
  const long = secrets.filter((secret) => secret.length >= LEAST_LENGTH);
  /** Without the known secrets, in every written form and also inside of words. */
  const withoutKnown = (text: string): string =>
    long.reduce(
      (rest, secret) =>
        writtenForms(secret).reduce((left, form) => left.replaceAll(form, () => substitute('secret', secret)), rest),
      text,
    );

  return {
    /** Finds what is private in a text. */
    learn(text: string): void {
      for (const [, version = ''] of text.matchAll(VERSIONS)) if (!LOCAL_IP.test(version)) versions.add(version);
      hideText(text, note);
    },
    /** Notes a value that is known to be private. */
    know: (kind: PrivateKind, original: string): void => void note(kind, original),
    /** The text with placeholders. Call it after all texts were learned. */
    hide(text: string): string {
      let rest = hideText(withoutKnown(text), substitute);
      const longestFirst = [...everywhere].toSorted(([a], [b]) => b.length - a.length);
      for (const [original, kind] of longestFirst) {
        if (!rest.includes(original)) continue;
        rest = rest.replaceAll(wordOf(original), () => substitute(kind, original));
      }
      return rest;
    },
  };
}

/** Kinds that count together: a host in a URL and a host alone. */
const familyOf = (kind: PrivateKind) => (kind === 'url' || kind === 'host' ? 'host' : kind);

function shape(kind: PrivateKind, original: string, number: number): string {
  switch (kind) {
    case 'mac':
      return macLike(original, number);
    case 'ip':
      return `192.0.2.${1 + ((number - 1) % 254)}`;
    case 'url': {
      const [, scheme = ''] = original.match(/^(\w+(?:\+\w+)*:\\?\/\\?\/)/) ?? [];
      const [, port = ''] = original.slice(scheme.length).match(/^[^/]*?(:\d{1,5})(?:[/?#]|$)/) ?? [];
      return `${scheme}pool-${number}.example${port}`;
    }
    case 'host':
      return `host-${number}`;
    case 'mail':
      return `mail-${number}@example.com`;
    case 'serial':
    case 'secret':
    case 'worker':
      if (/^\d+$/.test(original)) return `9${String(number).padStart(Math.max(original.length - 1, 3), '0')}`;
      return kind === 'serial' ? `REDACTED${String(number).padStart(6, '0')}` : `${kind}-${number}`;
    case 'wallet':
      return `wallet-${number}`;
  }
}

const macDigits = (mac: string) => mac.replaceAll(/[^0-9a-f]/gi, '').toUpperCase();

/** The maker's half stays, the notation too. */
function macLike(original: string, number: number): string {
  // Far from the numbers that makers use first.
  const own = (0xa0_0000 + number).toString(16);
  const isLower = original === original.toLowerCase();
  let position = 0;
  return original.replaceAll(/[0-9a-f]/gi, (digit) => {
    const index = position++;
    if (index < 6) return digit;
    const replaced = own[index - 6] ?? '0';
    return isLower ? replaced : replaced.toUpperCase();
  });
}

function macForms(mac: string): string[] {
  const digits = macDigits(mac);
  const pairs = digits.match(/../g) ?? [];
  const forms = [digits, pairs.join(':'), pairs.join('-')];
  return [...forms, ...forms.map((form) => form.toLowerCase())];
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
/** The text where it is not part of a longer word. */
const wordOf = (text: string) =>
  new RegExp(
    `${/^\w/.test(text) ? '(?<![A-Za-z0-9])' : ''}${escaped(text)}${/\w$/.test(text) ? '(?![A-Za-z0-9])' : ''}`,
    'g',
  );

/** `Antminer`, `Antminer S19`, `VolcMiner D1`: a make, and a short name of a model. */
function publicTest(words: readonly string[]): (text: string) => boolean {
  const makes = new Set(words.map((word) => word.toLowerCase()));
  return (text) => {
    const [make = '', model, ...more] = text
      .trim()
      .toLowerCase()
      .split(/[ _-]+/);
    return (
      makes.has(make) && more.length === 0 && (model === undefined || /^[a-z]{0,3}\d{1,4}[a-z+]{0,3}$/.test(model))
    );
  };
}
