// The screens of who runs the service, which are loaded together.
export { About } from './about/about.tsx';
export { ApiKeys } from './api-keys/api-keys.tsx';
export { Settings } from './settings/settings.tsx';
export { Webhooks } from './webhooks/webhooks.tsx';
