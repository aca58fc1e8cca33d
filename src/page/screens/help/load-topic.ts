// Loads the text of a topic: each is a part of the page that comes when it is opened.
import type { Topic } from './topics.data.ts';

export async function loadTopic(topic: Topic): Promise<string> {
  const { default: text } = await LOADERS[topic]();
  return text;
}

const LOADERS = {
  architecture: () => import('../../../../packaging/handbook/architecture.md'),
  changelog: () => import('../../../../packaging/handbook/changelog.md'),
  configuration: () => import('../../../../packaging/handbook/configuration.md'),
  drivers: () => import('../../../../packaging/handbook/drivers.md'),
  installation: () => import('../../../../packaging/handbook/installation.md'),
  interface: () => import('../../../../packaging/handbook/interface.md'),
  miners: () => import('../../../../packaging/handbook/miners.md'),
  operation: () => import('../../../../packaging/handbook/operation.md'),
  postgres: () => import('../../../../packaging/handbook/postgres.md'),
  security: () => import('../../../../packaging/handbook/security.md'),
} satisfies Readonly<Record<Topic, () => Promise<{ readonly default: string }>>>;
