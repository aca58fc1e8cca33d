// Before the tests of the page: says in one line where there is no browser. With PITHEAD_REQUIRE_BROWSER=1 that fails
// the run.
import { BROWSER_PATH } from './browser.ts';

export default function requireBrowser(): void {
  if (BROWSER_PATH !== undefined) return;
  if (process.env.PITHEAD_REQUIRE_BROWSER === '1')
    throw new Error(
      'test the page: there is no Chromium; install the package chromium-headless-shell, or name one in CHROMIUM_PATH',
    );
  process.stderr.write('the page is not tested: there is no Chromium on this host\n');
}
