// What is seen of the program from outside, as texts in a fixed order. It starts the real service on an empty database
// for the parts that only a running service has, and stops it again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { fileSchema } from '../../src/agent/config/file-schema.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { renderFigures } from '../../src/base/metrics/figures.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { createService } from '../../src/service/service.ts';

export type Section = { readonly title: string; readonly text: string };

/** One section per command, then the configuration file, the OpenAPI document, and the metrics. */
export async function describeOutside(): Promise<Section[]> {
  const { stdout, stderr } = process;
  const program = await buildProgram({ stdout, stderr, environment: {}, signal: new AbortController().signal });
  program.configureOutput({ getOutHelpWidth: () => 120, getErrHelpWidth: () => 120 });
  return [...helpOf(program, []), { title: 'configuration file', text: configSchema() }, ...(await servedTexts())];
}

/** The help of the command and of all below it, with what is added before and after. */
function helpOf(command: Command, parents: readonly string[]): Section[] {
  const path = [...parents, command.name()];
  const parts: string[] = [];
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => void parts.push(part) });
  command.outputHelp();
  return [{ title: path.join(' '), text: parts.join('') }, ...command.commands.flatMap((each) => helpOf(each, path))];
}

/** Durations and the like are read by functions: such a setting shows its input and its default, not its form. */
const configSchema = () => printed(z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }));

async function servedTexts(): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-outside-'));
  const service = await createService({
    databasePath: join(folder, 'service.sqlite'),
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, log: silentLog, version: '(version)' },
  });
  try {
    const { url } = await service.start();
    const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
    const metrics = await renderFigures(service.figures);
    return [
      { title: 'OpenAPI', text: printed(document) },
      { title: 'metrics', text: metricsOf(metrics) },
    ];
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Name, type and help of each metric, without its values. */
const metricsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('# '))
    .toSorted()
    .join('\n');

/** Keys in alphabetical order, so that the order in which code names them does not show. */
function printed(value: unknown): string {
  const sorted = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(sorted);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part)
        .map(([key, inner]) => [key, sorted(inner)] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  return JSON.stringify(sorted(value), undefined, 1);
}
