// Which language the page speaks: that of the person's choice, else of the browser. English comes with the page, others
// when they are asked for.
import { en } from './en.data.ts';

/** The same keys with words of any language, lists as long as the English ones. */
type Words<T> = T extends string
  ? string
  : T extends readonly string[]
    ? { readonly [K in keyof T]: string }
    : T extends (...given: infer A) => string
      ? (...given: A) => string
      : { readonly [K in keyof T]: Words<T[K]> };
export type Texts = Words<typeof en>;

export const LANGUAGES = ['en', 'ru', 'es', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** In their own words, so that people find theirs. */
export const LANGUAGE_NAMES = {
  ...{ en: 'English', ru: 'Русский', es: 'Español', zh: '中文' },
} as const satisfies Readonly<Record<Language, string>>;

export const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text);

/** Of the languages that a browser asks for, best first. */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [base = ''] = tag.toLowerCase().split('-');
    if (isLanguage(base)) return base;
  }
  return 'en';
}

export const ENGLISH: Texts = en;
