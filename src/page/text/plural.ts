// The form of a word that a number asks for. Russian has three, Chinese one.

export type Forms = { readonly [K in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** `#` in a form stands for the number. */
export function pluralsOf(locale: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count));
}
