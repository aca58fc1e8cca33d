// The rows of the authorisation table that the OpenAPI document lists: all but parts of pages.
import { RULES, type Rule } from '../../src/service/auth/rules.data.ts';

export const DOCUMENTED_ROUTES: readonly (readonly [route: string, rule: Rule])[] = Object.entries(RULES).filter(
  ([, rule]) => !(rule.access === 'open' && rule.isPartOfPage),
);
