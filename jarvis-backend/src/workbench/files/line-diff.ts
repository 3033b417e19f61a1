/** A line that stays (` `), is added (`+`) or is removed (`-`). */
export type DiffLine = { sign: ' ' | '+' | '-'; text: string }

/** Limit of changed lines for the search of the shortest difference. Beyond it, all lines between the equal ends are shown as removed and added. */
const mostSteps = 2_000

/** The lines of both texts in order, with as few changes as can be found within the limit. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }))
  const [old, made] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return [...same(before.slice(0, start)), ...middle(old, made), ...same(before.slice(before.length - end))]
}

/** The lines between the equal ends, by Myers' shortest edit script. */
function middle(old: readonly string[], made: readonly string[]): DiffLine[] {
  const whole = (): DiffLine[] => [
    ...old.map((text): DiffLine => ({ sign: '-', text })),
    ...made.map((text): DiffLine => ({ sign: '+', text })),
  ]
  if (old.length === 0 || made.length === 0) return whole()
  const most = Math.min(old.length + made.length, mostSteps)
  const reach = new Map<number, number>([[1, 0]])
  const rounds: Map<number, number>[] = []
  for (let steps = 0; steps <= most; steps += 1) {
    rounds.push(new Map(reach))
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1
      while (x < old.length && x - k < made.length && old[x] === made[x - k]) x += 1
      reach.set(k, x)
      if (x >= old.length && x - k >= made.length) return traced(old, made, rounds)
    }
  }
  return whole()
}

function traced(old: readonly string[], made: readonly string[], rounds: readonly Map<number, number>[]): DiffLine[] {
  const back: DiffLine[] = []
  let [x, y] = [old.length, made.length]
  for (let steps = rounds.length - 1; steps >= 0; steps -= 1) {
    const reach = rounds[steps] ?? new Map<number, number>()
    const k = x - y
    const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))
    const fromK = down ? k + 1 : k - 1
    const fromX = steps === 0 ? 0 : (reach.get(fromK) ?? 0)
    const fromY = steps === 0 ? 0 : fromX - fromK
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      back.push({ sign: ' ', text: old[x] ?? '' })
    }
    if (steps === 0) break
    if (down) {
      y -= 1
      back.push({ sign: '+', text: made[y] ?? '' })
    } else {
      x -= 1
      back.push({ sign: '-', text: old[x] ?? '' })
    }
  }
  return back.toReversed()
}

/** Unchanged lines that are shown before and after a change. */
const around = 3

/** Unified hunks: each begins with `@@ -from,count +from,count @@`. */
export function hunksOf(lines: readonly DiffLine[]): string[] {
  const changed = lines.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]))
  const out: string[] = []
  let [oldAt, newAt, next] = [1, 1, 0]
  for (let first = 0; first < changed.length; ) {
    let last = first
    while (last + 1 < changed.length && (changed[last + 1] ?? 0) - (changed[last] ?? 0) <= 2 * around + 1) last += 1
    const from = Math.max(0, (changed[first] ?? 0) - around)
    const to = Math.min(lines.length, (changed[last] ?? 0) + around + 1)
    for (const { sign } of lines.slice(next, from)) {
      if (sign !== '+') oldAt += 1
      if (sign !== '-') newAt += 1
    }
    const hunk = lines.slice(from, to)
    const [left, came] = [
      hunk.filter(({ sign }) => sign !== '+').length,
      hunk.filter(({ sign }) => sign !== '-').length,
    ]
    out.push(`@@ -${oldAt},${left} +${newAt},${came} @@`, ...hunk.map(({ sign, text }) => sign + text))
    oldAt += left
    newAt += came
    next = to
    first = last + 1
  }
  return out
}
