/** Maximum nesting of a tool’s arguments, so that code that walks them may be recursive. */
export const deepestInput = 50

/**
 * Returns the reason why a value cannot be the arguments of a tool; undefined if it can. JSON has only finite numbers, and `1e309` is parsed as
 * infinite.
 */
export function unfitInput(value: unknown): string | undefined {
  if (isDeeperThan(value, deepestInput)) return `nested more than ${deepestInput} levels deep`
  return holdsInfinite(value)
    ? 'beyond JSON: they have a number that is too large or no number, such as 1e309'
    : undefined
}

const holdsInfinite = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinite)

/** Tests if arrays and objects are nested more than `levels` deep. Never recurses. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value]
  for (let level = 0; layer.length > 0; level += 1) {
    const inner = layer.filter((item) => typeof item === 'object' && item !== null)
    if (inner.length > 0 && level > levels) return true
    layer = inner.flatMap((item) => Object.values(item as object))
  }
  return false
}
