// The question of `setup` about the web page, on a terminal. It changes nothing.
import { type CANCEL_SYMBOL, isCancel, select } from '@clack/prompts';
import { ownNetworks } from '../../../agent/host/networks.ts';
import { CancelledError } from '../../../base/errors.ts';
import type { CliContext } from '../../output/terminal.ts';
import type { PageAccess } from './page-access.ts';

/** `host` undefined = it was not asked, or every address. Throws CancelledError when the person gives up. */
export async function askWhoOpensPage(
  isListenGiven: boolean,
  context: CliContext,
): Promise<{ readonly access: PageAccess; readonly host: string | undefined }> {
  const common = { output: context.stderr, signal: context.signal };
  const answered = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (isCancel(answer)) throw new CancelledError('set up');
    return answer;
  };
  const options: { value: PageAccess; label: string; hint: string }[] = [
    { value: 'network', label: 'This network', hint: 'phones and laptops, by HTTPS with a certificate of this farm' },
    { value: 'host', label: 'Only this host', hint: 'a browser on this host' },
    { value: 'off', label: 'For now, no one', hint: 'the page is off' },
  ];
  const access = answered(await select({ ...common, message: 'Who opens the web page?', options }));
  const own = ownNetworks();
  if (access !== 'network' || isListenGiven || own.length < 2) return { access, host: undefined };
  const host = answered(
    await select({
      ...common,
      message: 'At which address of this host?',
      options: [
        { value: '0.0.0.0', label: 'Every one', hint: '' },
        ...own.map(({ interface: name, address }) => ({ value: address, label: address, hint: name })),
      ],
    }),
  );
  return { access, host };
}
