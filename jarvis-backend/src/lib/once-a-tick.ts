/** A value that is computed at most once in a turn of the event loop. `forget`: the next `get` computes it again. */
export type OnceATick<T> = { get(): T; forget(): void }

/**
 * Computes a value once for all callers within one turn of the event loop. Used for data that is read from disk several times in a row.
 * @returns with `forget`, for a change that is made within the same turn
 */
export function onceATick<T>(make: () => T): OnceATick<T> {
  let made: { value: T } | undefined
  const forget = () => {
    made = undefined
  }
  return {
    get() {
      if (made === undefined) {
        made = { value: make() }
        setImmediate(forget)
      }
      return made.value
    },
    forget,
  }
}
