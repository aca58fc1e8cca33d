// The questions of the first run, on a terminal. Options answer them beforehand; no network is assumed.
import { type CANCEL_SYMBOL, confirm, isCancel, note, password, select, text } from '@clack/prompts';
import { type PrivateNetwork, privateNetworks } from '../../agent/host/networks.ts';
import { driverFacts, rangesOrThrow } from '../../agent/standalone/reach.ts';
import { CancelledError, ConfigError } from '../../base/errors.ts';
import type { CliContext } from '../output/terminal.ts';
import type { LoginAnswer } from './config-file.ts';

export type Told = {
  readonly networks: readonly string[];
  readonly service: string | undefined;
  readonly code: string | undefined;
  /** Passwords that people changed, as typed. */
  readonly logins: readonly LoginAnswer[];
};

/** As a sentence; undefined when nothing is wrong. */
function wrongWith(ranges: readonly string[]): string | undefined {
  try {
    rangesOrThrow(ranges, []);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ message }) => message).join('; ');
    throw error;
  }
}

const split = (typed: string) => typed.split(/[\s,]+/).filter((part) => part !== '');

export function describeNetworks(networks: readonly PrivateNetwork[]): string {
  if (networks.length === 0) return 'This host is in no private network.';
  return networks.map(({ interface: name, cidr, addresses }) => `${name}  ${cidr}  ${addresses} addresses`).join('\n');
}

/** `given` = as far as the command line says it. Throws CancelledError when the person gives up. */
export async function askQuestions(given: Omit<Told, 'logins'>, context: CliContext): Promise<Told> {
  const common = { output: context.stderr, signal: context.signal };
  const answered = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (isCancel(answer)) throw new CancelledError('set up');
    return answer;
  };

  let { networks, service, code } = given;
  if (networks.length === 0) {
    const own = privateNetworks();
    note(describeNetworks(own), 'Networks of this host', common);
    const typed = await text({
      ...common,
      message: 'Which addresses do the miners have? Only these are ever touched.',
      placeholder: own[0]?.cidr ?? '10.31.0.0/22',
      validate: (value) => {
        const ranges = split(value ?? '');
        return ranges.length === 0 ? 'Name at least one: 10.31.0.0/22 or 10.31.0.1-50' : wrongWith(ranges);
      },
    });
    networks = split(answered(typed));
  }
  if (service === undefined) {
    const where = answered(
      await select({
        ...common,
        message: 'Who keeps what the miners say?',
        options: [
          { value: 'own', label: 'This host', hint: 'its own service, on this host only' },
          { value: 'company', label: "My company's service", hint: 'you need its address and an enrolment code' },
        ],
      }),
    );
    if (where === 'company') {
      const validate = (value: string | undefined) =>
        URL.canParse(value ?? '') ? undefined : 'Like https://pithead.example.com';
      service = answered(await text({ ...common, message: 'Its address', placeholder: 'https://', validate }));
    }
  }
  if (service !== undefined && code === undefined) {
    const validate = (value: string | undefined) =>
      value?.trim() ? undefined : 'The service gives it: pithead enroll';
    code = answered(await text({ ...common, message: 'Enrolment code', validate })).trim();
  }
  const families = driverFacts().filter(({ login }) => login !== 'none');
  const logins: LoginAnswer[] = [];
  const isMore = () =>
    confirm({
      ...common,
      initialValue: false,
      message: logins.length === 0 ? 'Were the passwords of the miners changed?' : 'Those of another make too?',
    });
  while (answered(await isMore())) {
    const family = answered(
      await select({
        ...common,
        message: 'Which make?',
        options: families.map(({ id, make }) => ({ value: id, label: make, hint: id })),
        maxItems: 10,
      }),
    );
    const usual = families.find(({ id }) => id === family)?.user ?? 'root';
    const user = answered(
      await text({ ...common, message: `User (empty: ${usual})`, placeholder: usual, defaultValue: usual }),
    );
    const typed = answered(await password({ ...common, message: 'Password' }));
    logins.push({ family, user, password: typed });
  }
  return { networks, service, code, logins };
}
