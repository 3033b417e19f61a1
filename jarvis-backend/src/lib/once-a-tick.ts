/**
 * Makes a value once for all who ask within one turn of the event loop, for what is read from disk several times in a row.
 * @returns `forget` for a change that was made within the same turn
 */
export function onceATick<T>(make: () => T): { get(): T; forget(): void } {
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
