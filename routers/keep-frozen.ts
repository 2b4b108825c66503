/**
 * Work done once for what is the same for all. Whoever freezes an object promises that it never changes, so what is made
 * of it is kept exactly as long as somebody holds the object itself.
 */
export function keepFrozen<Source extends object, Made>(make: (source: Source) => Made) {
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
