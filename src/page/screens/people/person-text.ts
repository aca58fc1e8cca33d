// A person in words: what it may do where, and why it cannot come in.

import type { Person } from '../../../wire/api/people/people.ts';
import type { Session } from '../../../wire/api/people/session.ts';
import type { Texts } from '../../text/texts.ts';

export function rolesText({ role, farm_roles }: Person, farms: Session['farms'], texts: Texts): string {
  const everywhere = role === null ? [] : [texts.role[role]];
  const single = farm_roles.map((one) =>
    texts.people.roleIn(
      texts.role[one.role],
      farms.find(({ id }) => id === one.farm_id)?.name ?? one.farm_id.slice(-6),
    ),
  );
  return [...everywhere, ...single].join(', ');
}

/** Undefined = it can come in. */
export function barredText({ is_disabled, expires_at, has_password, is_wall }: Person, nowMs: number, texts: Texts) {
  if (is_disabled) return texts.people.disabled;
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return texts.people.over;
  return has_password || is_wall ? undefined : texts.people.notYet;
}
