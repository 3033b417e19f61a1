/** Deepest nesting of a tool's arguments; code that walks them may be recursive. */
export const deepestInput = 50

/** Whether arrays and objects are nested more than `levels` deep. Never recurses. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value]
  for (let level = 0; layer.length > 0; level += 1) {
    const inner = layer.filter((item) => typeof item === 'object' && item !== null)
    if (inner.length > 0 && level > levels) return true
    layer = inner.flatMap((item) => Object.values(item as object))
  }
  return false
}
