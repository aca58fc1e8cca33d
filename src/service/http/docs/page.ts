// The page that shows the OpenAPI document: its HTML, its own script and its own style. It knows no files of the
// viewer.

/** Only this origin is asked, no script stands in the page, and no other page may show it in a frame. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The viewer's style has its icons in it.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export type PageLinks = {
  readonly scripts: readonly string[];
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  /** The OpenAPI document. All links are relative to the page, so that a proxy may put a folder in front. */
  readonly document: string;
};

/** The empty icon: a browser asks for /favicon.ico where a page names none. */
export const renderPage = ({ scripts, modules, styles, document }: PageLinks): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Pithead: the interface</title>
<link rel="icon" href="data:,">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${scripts.map((src) => `<script defer src="${src}"></script>`).join('\n')}
${modules.map((src) => `<script type="module" src="${src}"></script>`).join('\n')}
</head>
<body>
<main id="interface" data-document="${document}"><noscript>This page needs JavaScript. The document itself is at openapi.json.</noscript></main>
</body>
</html>
`;

/**
 * Runs in the browser. Requests go to the service that the page came from, whatever public address the document names.
 * Only GET can be tried: a page for reading must not restart a farm. The key is forgotten when the page is closed.
 */
export const START_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followSystem();
dark.addEventListener('change', followSystem);

const place = document.getElementById('interface');
const url = new URL(place.dataset.document, location.href);
try {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error((await answer.json()).message);
  const spec = { ...(await answer.json()), servers: [{ url: new URL('.', url).href.replace(/\\/$/, '') }] };
  SwaggerUIBundle({
    domNode: place,
    spec,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: 'list',
    filter: true,
    persistAuthorization: false,
    supportedSubmitMethods: ['get'],
    validatorUrl: null,
  });
} catch (error) {
  place.textContent = 'The document could not be shown: ' + error.message;
}
`;

export const PAGE_STYLE = `body { margin: 0; background: #fff; color: #3b4151; font-family: sans-serif; }
html.dark-mode body { background: #1c2022; color: #e4e6e6; }
html.dark-mode .swagger-ui .header-col { color: inherit; }
`;
