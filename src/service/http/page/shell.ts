// The HTML that every address of the web page answers with: it loads the scripts and shows nothing itself.
import type { Page } from './assets.ts';

/**
 * Only this origin is asked, no script or style stands in the page, and no other page may show it in a frame. Pictures
 * come from this origin, from actors (data:) and from the camera (blob:).
 */
export const POLICY = [
  "default-src 'none'",
  // The reader of bar codes is WebAssembly; texts still cannot be run as scripts.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const SHELL_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(self), screen-wake-lock=(self), geolocation=(), microphone=()',
};

/** Where its files are. */
export const FILES = '/page/';
export const MANIFEST = 'manifest.webmanifest';

export const renderShell = ({ script, first, style }: Page, version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="version" content="${version}">
<title>Pithead</title>
<link rel="icon" href="${FILES}icon.svg">
<link rel="manifest" href="${FILES}${MANIFEST}">
${style === null ? '' : `<link rel="stylesheet" href="${FILES}${style}">`}
${first.map((name) => `<link rel="modulepreload" href="${FILES}${name}">`).join('\n')}
<script type="module" src="${FILES}${script}"></script>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`;

/** So that a phone keeps the page on its home screen. */
export const MANIFEST_TEXT = JSON.stringify({
  name: 'Pithead',
  short_name: 'Pithead',
  start_url: '/',
  display: 'standalone',
  background_color: '#10161b',
  theme_color: '#10161b',
  icons: [{ src: `${FILES}icon.svg`, sizes: 'any', type: 'image/svg+xml' }],
});
