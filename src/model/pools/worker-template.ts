// Worker names with braces, such as `account.{rack}-{position}`: parsed, and filled in with the facts of one miner.
// Pure: it knows no pools and sends nothing.

/** What may stand in braces. */
export const TEMPLATE_FACTS = ['worker', 'ip', 'ip3', 'ip4', 'mac', 'serial', 'rack', 'position', 'model'] as const;
export type TemplateFact = (typeof TEMPLATE_FACTS)[number];

/** A brace that stands for itself is written twice. */
export const TEMPLATE_PATTERN = new RegExp(`^([^{}]|\\{\\{|\\}\\}|\\{(${TEMPLATE_FACTS.join('|')})\\})*$`);
export const TEMPLATE_FORMS = `a text with no other braces than ${TEMPLATE_FACTS.map((fact) => `{${fact}}`).join(', ')}; a brace itself is written twice: {{ or }}`;

type Part = { readonly text: string } | { readonly fact: TemplateFact };

/** What is known of one miner; `ip` is an IPv4 address, `worker` the user of its pool as it is now. */
export type WorkerFacts = {
  readonly ip: string;
  readonly worker?: string | undefined;
  readonly mac?: string | undefined;
  readonly serial?: string | undefined;
  readonly model?: string | undefined;
  readonly rack?: string | undefined;
  readonly position?: number | undefined;
};

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;
const isFact = (name: string): name is TemplateFact => TEMPLATE_FACTS.some((fact) => fact === name);

/** Its parts in their order; or what is wrong with it, for people. */
export function parseTemplate(template: string): readonly Part[] | { readonly wrong: string } {
  const parts: Part[] = [];
  for (const [token, name] of template.matchAll(TOKEN)) {
    if (token === '{{' || token === '}}') parts.push({ text: token.slice(1) });
    else if (name !== undefined && isFact(name)) parts.push({ fact: name });
    else if (name !== undefined) return { wrong: name === '' ? 'empty braces' : `unknown braces {${name}}` };
    else if (token === '{' || token === '}') return { wrong: `a single ${token}` };
    else parts.push({ text: token });
  }
  return parts;
}

/** The template that stands for exactly this text. */
export const literally = (text: string): string => text.replaceAll(/[{}]/g, '$&$&');

/** The facts that a template names; none for one that is wrong. */
export function factsOf(template: string): ReadonlySet<TemplateFact> {
  const parts = parseTemplate(template);
  return new Set('wrong' in parts ? [] : parts.flatMap((part) => ('fact' in part ? part.fact : [])));
}

/** The worker of this miner; or the facts that it lacks, each once. */
export function fillTemplate(
  parts: readonly Part[],
  facts: WorkerFacts,
): { readonly user: string } | { readonly missing: readonly TemplateFact[] } {
  const missing = new Set<TemplateFact>();
  let before = '';
  const texts = parts.map((part) => {
    const text = 'text' in part ? part.text : partOf(part.fact, facts, before.includes('.'));
    if ('text' in part) before += part.text;
    else if (text === undefined) missing.add(part.fact);
    return text ?? '';
  });
  return missing.size > 0 ? { missing: [...missing] } : { user: texts.join('') };
}

/** `isAfterAccount` = an account with its dot stands before it in the template. */
function partOf(fact: TemplateFact, facts: WorkerFacts, isAfterAccount: boolean): string | undefined {
  switch (fact) {
    case 'worker':
      return isAfterAccount ? afterAccount(facts.worker) : facts.worker || undefined;
    case 'ip':
      return facts.ip.replaceAll('.', 'x');
    case 'ip3':
      return facts.ip.split('.')[2];
    case 'ip4':
      return facts.ip.split('.')[3];
    case 'mac':
      return facts.mac?.replaceAll(/[^0-9A-Fa-f]/g, '') || undefined;
    case 'serial':
      return plain(facts.serial);
    case 'rack':
      return plain(facts.rack);
    case 'position':
      return facts.position?.toString();
    case 'model':
      return plain(facts.model);
    default:
      return fact satisfies never;
  }
}

/** Without the account that it has now, which another one takes the place of. */
function afterAccount(worker: string | undefined): string | undefined {
  const dot = worker?.indexOf('.') ?? -1;
  return dot < 0 ? undefined : worker?.slice(dot + 1) || undefined;
}

/** What every pool takes in the name of a worker: letters, digits, `_` and `-`. A dot would end the account. */
function plain(text: string | undefined): string | undefined {
  const spelt = text?.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return spelt?.replaceAll(/[^A-Za-z0-9_]+/g, '-').replaceAll(/^-|-$/g, '') || undefined;
}
