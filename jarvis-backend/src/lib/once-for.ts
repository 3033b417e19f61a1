/** @returns a function that returns `make(current())`, and computes it again only if `current()` returns another object or text */
export function onceFor<T extends object | string, R>(current: () => T, make: (from: T) => R): () => R {
  let made: { from: T; result: R } | undefined
  return () => {
    const from = current()
    if (made?.from !== from) made = { from, result: make(from) }
    return made.result
  }
}
