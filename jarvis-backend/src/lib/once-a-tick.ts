/** A value that is made at most once in a turn of the event loop. `forget`: the next `get` makes it again. */
export type OnceATick<T> = { get(): T; forget(): void }

/**
 * Makes a value once for all who ask within one turn of the event loop, for what is read from disk several times in a row.
 * @returns `forget` for a change that was made within the same turn
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
