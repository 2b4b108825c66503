/**
 * Caches what is computed from an object that many requests share. Only frozen objects, as they never change; the result
 * lives as long as the object.
 */
export function memoizeByIdentity<Source extends object, Made>(make: (source: Source) => Made) {
  const kept = new WeakMap<Source, Made>();
  return (source: Source): Made => {
    if (!Object.isFrozen(source)) return make(source);
    const known = kept.get(source);
    if (known !== undefined) return known;
    const made = make(source);
    kept.set(source, made);
    return made;
  };
}
