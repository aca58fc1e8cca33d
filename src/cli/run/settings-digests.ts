// What the audit trail knows of a configuration: a digest of each setting, which shows that it changed and not what it
// is. Passwords are not part of it: they cannot be guessed from a digest.
import { hash } from 'node:crypto';
import type { AgentConfig } from '../../agent/config/config.ts';

/** By name of the setting, as `listen.port`; settings two levels down count as one. */
export function settingsDigests(config: AgentConfig): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [section, value] of Object.entries(shown(config))) {
    const parts = isSection(value) ? Object.entries(value) : [];
    if (parts.length === 0) digests[section] = digestOf(value);
    for (const [name, part] of parts) digests[`${section}.${name}`] = digestOf(part);
  }
  return digests;
}

/** Logins with the users and without the passwords; ranges as they were written. */
const shown = ({ ranges, portMap, ...config }: AgentConfig): Readonly<Record<string, unknown>> => ({
  ...config,
  networks: ranges.echo,
  portMap: [...portMap],
});

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Enough to tell two values apart. */
const DIGITS = 16;
const digestOf = (value: unknown) => hash('sha256', JSON.stringify(value ?? null)).slice(0, DIGITS);
