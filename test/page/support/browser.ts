// The browser of the tests of the page: Debian's Chromium, one for all tests of a file. Without one the tests are
// skipped, unless PITHEAD_REQUIRE_BROWSER=1 says that they may not be. Its headless shell is the same engine without
// the windows around it, and needs half of the processor.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';

const PATHS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** Undefined = there is none on this host. */
export const BROWSER_PATH: string | undefined = [process.env.CHROMIUM_PATH ?? '', ...PATHS].find((path) =>
  existsSync(path),
);

export const SIZES = {
  phone: { width: 412, height: 860 },
  desktop: { width: 1280, height: 800 },
} as const;
export type Size = keyof typeof SIZES;

/** Started in containers too, where Chromium's own sandbox has no rights to be made. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(BROWSER_PATH !== undefined && { executablePath: BROWSER_PATH }),
    args: ['--no-sandbox', '--disable-gpu'],
  });

export type Visit = { readonly context: BrowserContext; readonly page: Page; readonly faults: string[] };

/** Who has no session is told so once. */
const NO_SESSION = /401/;

type VisitOptions = {
  readonly size?: Size;
  readonly theme?: 'light' | 'dark';
  readonly locale?: string;
  /** What the browser may say in its console: refusals that a test provokes. */
  readonly expected?: RegExp;
};

/** A browser of its own for one person. `faults` gets what went wrong in scripts, and what the policy refused. */
export async function visit(
  browser: Browser,
  { size = 'phone', theme = 'light', locale = 'en-GB', expected = NO_SESSION }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    hasTouch: size === 'phone',
    colorScheme: theme,
    locale,
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) faults.push(message.text());
  });
  return { context, page, faults };
}

/**
 * By a link, as from screen to screen; until the screen before is gone. To load the page for each screen of many would
 * be more than one address may do in a minute.
 */
export async function follow(page: Page, address: string): Promise<void> {
  if (page.url() === address) return;
  await page.evaluate(`(() => {
    for (const screen of document.querySelectorAll('main > *')) screen.dataset.before = '';
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(address)} });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await page.locator('main > [data-before]').first().waitFor({ state: 'detached' });
}

/** The pointer stays down for longer than a tap. */
export async function hold(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  if (box === null) throw new Error('hold a button: it is not on the screen');
  const { mouse } = button.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await button.page().waitForTimeout(800);
  await mouse.up();
}
