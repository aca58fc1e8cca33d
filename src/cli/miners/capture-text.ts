// What a person reads after a capture: how much was answered, and what to do next.
import { GENERIC_DRIVER } from '../../agent/capture/look.ts';
import type { ShownCapture } from '../../agent/control/control-client.ts';

export type CaptureOutcome = {
  readonly ip: string;
  readonly folder: string;
  readonly capture: ShownCapture;
  readonly answered: number;
  readonly hasLogin: boolean;
};

export function captureText({ ip, folder, capture, answered, hasLogin }: CaptureOutcome): string {
  const { case: about, driver, files } = capture;
  const { length: requests } = about.responses;
  const equal = requests - files.size;
  return [
    folder,
    `${answered} of ${requests} requests answered, ${knownAs(driver)}`,
    ...(equal > 0 ? [`${equal} answers equal another one and are kept once`] : []),
    ...unanswered(about.responses),
    ...loginAdvice(ip, folder, capture, hasLogin),
    'Passwords, workers, pools, addresses and serial numbers are replaced. Look at the files before you send them.',
    `What to do with them: pithead help drivers; for a driver of your own: pithead driver new my-miner --from ${folder}`,
    '',
  ].join('\n');
}

/** The generic driver reads what all share: an author wants one of the device's own. */
function knownAs(driver: string | undefined): string {
  if (driver === undefined) return 'no driver knows the device';
  return driver === GENERIC_DRIVER ? `only the generic driver ${driver} knows the device` : `driver ${driver}`;
}

/** Of the requests that a person named. */
const unanswered = (responses: ShownCapture['case']['responses']): readonly string[] =>
  responses.flatMap(({ ask, failure }) =>
    failure !== undefined && ask?.startsWith('also.') ? [`not answered: ${ask} (${failure})`] : [],
  );

/** What to do about a device behind a login. */
function loginAdvice(ip: string, folder: string, capture: ShownCapture, hasLogin: boolean): readonly string[] {
  const { isLoginRefused, loginWall, driver } = capture;
  if (hasLogin && isLoginRefused)
    return ['The device refuses this login. Some lock after a few: be sure before you try again.'];
  if (isLoginRefused && driver !== undefined)
    return [
      'The device refuses the login: set its password in the configuration (credentials.logins), or capture again with --login.',
    ];
  switch (loginWall) {
    case 'digest':
    case 'basic':
      if (hasLogin) return [];
      return [
        `The device asks for a login (HTTP ${loginWall}), so what lies behind it is missing. Capture again with it, and name the pages that you know:`,
        `  pithead capture ${ip} --login --also /path/of/a/page`,
      ];
    case 'page':
      return [
        'The device shows a login page, or one page for everything, so what lies behind it is missing. Write what to ask and how to log in first, then capture:',
        `  pithead driver new my-miner --from ${folder}`,
        '  edit my-miner: its asks and its session, as the network view of a browser shows them',
        `  pithead capture ${ip} --driver ./my-miner --login`,
      ];
    default:
      return [];
  }
}
