// `--login`: the login for one device, from the configuration or typed on a terminal. It is never on the command line,
// and never kept.
import { isCancel, password, text } from '@clack/prompts';
import type { AgentConfig } from '../../agent/config/config.ts';
import { CancelledError } from '../../base/errors.ts';
import { covers } from '../../base/net/ranges.ts';
import { wrongOption } from '../options.ts';
import type { CliContext } from '../output/terminal.ts';

export type GivenLogin = { readonly user: string; readonly password: string };

/** The login of the configuration that names this address, else what a person types. Throws ConfigError, or
 * CancelledError when the person gives up. */
export async function givenLogin(ip: string, { credentials }: AgentConfig, context: CliContext): Promise<GivenLogin> {
  const rule = credentials.logins.find(({ ranges }) => ranges !== undefined && covers(ranges, ip));
  if (rule !== undefined) return { user: rule.login.user, password: rule.login.password.reveal() };
  if (!process.stdin.isTTY || !context.stderr.isTTY)
    throw wrongOption(
      '--login',
      `there is no terminal to type it, and no configuration with a login for ${ip}: name one with --config (credentials.logins, with this address as its range)`,
    );
  const common = { output: context.stderr, signal: context.signal };
  const user = await text({
    ...common,
    message: `User at ${ip} (empty: root)`,
    placeholder: 'root',
    defaultValue: 'root',
  });
  if (isCancel(user)) throw new CancelledError('ask for the login');
  const typed = await password({ ...common, message: 'Password' });
  if (isCancel(typed)) throw new CancelledError('ask for the login');
  return { user, password: typed };
}
