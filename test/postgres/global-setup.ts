// One cluster for all files of the project. Where none can be started the files are skipped with the reason, unless
// PITHEAD_REQUIRE_POSTGRES=1.
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/service/store/store.ts';
import { newPostgresDatabase } from '../support/database.ts';
import { type Cluster, startCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in projects that run on the embedded database. */
    postgres?:
      | { readonly url: string /** Name of a database with the schema and nothing else. */; readonly template: string }
      | { readonly absent: string; readonly isRequired: boolean };
  }
}

let cluster: Cluster | undefined;

export async function setup(project: TestProject): Promise<void> {
  try {
    cluster = await startCluster();
    project.provide('postgres', { url: cluster.url, template: await createTemplate(cluster.url) });
  } catch (error) {
    const absent = error instanceof Error ? error.message : String(error);
    process.stderr.write(`\nPostgreSQL could not be started, so nothing is tested on it.\n${absent}\n\n`);
    // Thrown here it would end the run without a failure: the files fail instead.
    project.provide('postgres', { absent, isRequired: process.env.PITHEAD_REQUIRE_POSTGRES === '1' });
  }
}

async function createTemplate(clusterUrl: string): Promise<string> {
  const { target } = await newPostgresDatabase(clusterUrl);
  const store = await openStore(target);
  await store.close();
  return new URL(target).pathname.slice(1);
}

export async function teardown(): Promise<void> {
  await cluster?.stop();
}
