// What a machine mines by, by the make and model that it is shown with. Null where the table of models does not know
// it.
import { MODELS } from './models.data.ts';
import { findAntminer, findAnyModel } from './models.ts';

const byName = indexNames();

/** The same model name of two makes counts only where both mine by the same. */
export function algorithmOf(make: string | null, model: string | null): string | null {
  if (model === null) return null;
  const whole = `${make ?? ''} ${model}`.trim();
  const known = byName.get(whole.toUpperCase()) ?? byName.get(model.toUpperCase());
  if (known !== undefined) return known;
  return (findAnyModel(whole) ?? findAnyModel(model) ?? findAntminer(model))?.algorithm ?? null;
}

/** Null: the name stands for several. */
function indexNames(): ReadonlyMap<string, string | null> {
  const index = new Map<string, string | null>();
  for (const [make, model, algorithm] of MODELS)
    for (const name of [`${make} ${model}`.toUpperCase(), model.toUpperCase()]) {
      const before = index.get(name);
      index.set(name, before === undefined || before === algorithm ? algorithm : null);
    }
  return index;
}
