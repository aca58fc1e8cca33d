// What the certificate library wants of `Reflect` before it is loaded: to keep and to find notes about classes. It is
// as much of that proposal as the library uses, which looks for types of constructors that we never give it.

const notes = new WeakMap<object, Map<unknown, unknown>>();
const read = (key: unknown, target: object): unknown => notes.get(target)?.get(key);

// Another library may have brought the whole of it.
if (!('getMetadata' in Reflect))
  Object.assign(Reflect, {
    getMetadata: read,
    getOwnMetadata: read,
    defineMetadata(key: unknown, value: unknown, target: object) {
      notes.set(target, (notes.get(target) ?? new Map<unknown, unknown>()).set(key, value));
    },
  });
