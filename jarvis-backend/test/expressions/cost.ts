import { type Automaton, automatonOf } from './automaton.ts'

/** Highest power of a text's length that its time can grow with: 1 is linear; infinite where it doubles with each character. */
export type Cost = number

/** A repetition that may come more often than this costs as much as one without a bound. */
const fewCopies = 100
/** The same where each round can be read in two ways, because the ways multiply. */
const fewDoubles = 6
/** Joint states that are looked at, for one question. */
const mostStates = 60_000

/**
 * How the time of a backtracking matcher grows with the text, in the worst case. The analysis looks for characters that can be read in
 * two ways again and again, before a place where the match can still fail.
 * @throws Error where the expression is too large to be looked at
 */
export function costOf(source: string, flags: string): Cost {
  const counted = automatonOf(source, flags, fewDoubles)
  if (failingLoops(counted).some((loop) => doubles(counted, loop))) return Number.POSITIVE_INFINITY
  const automaton = automatonOf(source, flags, fewCopies)
  const loops = loopsOf(automaton, () => true)
  const failing = failingLoops(automaton)
  const reach = reachOf(automaton)
  const degrees = new Map<Set<number>, number>()
  /** The power with which a loop is entered: one for itself, and that of a loop before it that reads the same. */
  const degree = (loop: Set<number>): number => {
    const known = degrees.get(loop)
    if (known !== undefined) return known
    degrees.set(loop, 1)
    const before = loops.filter((other) => !overlaps(other, loop) && leads(automaton, reach, other, loop))
    const found = 1 + Math.max(0, ...before.map((other) => degree(other)))
    degrees.set(loop, found)
    return found
  }
  return Math.max(1, ...failing.map(degree))
}

const failingLoops = (automaton: Automaton) => loopsOf(automaton, (position) => automaton.succeeds[position] !== true)

const overlaps = (one: Set<number>, other: Set<number>) => [...one].some((position) => other.has(position))

/** Sets of positions that lead to one another, among those that `fits` lets through. */
function loopsOf({ edges }: Automaton, fits: (position: number) => boolean): Set<number>[] {
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const stack: number[] = []
  const found: Set<number>[] = []
  const visit = (at: number): void => {
    index.set(at, index.size)
    low.set(at, index.get(at) ?? 0)
    stack.push(at)
    for (const { to } of edges[at] ?? []) {
      if (!fits(to)) continue
      if (!index.has(to)) visit(to)
      if (stack.includes(to)) low.set(at, Math.min(low.get(at) ?? 0, low.get(to) ?? 0))
    }
    if (low.get(at) !== index.get(at)) return
    const loop = new Set(stack.splice(stack.indexOf(at)))
    if (loop.size > 1 || (edges[at] ?? []).some(({ to }) => to === at)) found.push(loop)
  }
  for (const at of edges.keys()) if ((edges[at] ?? []).length > 0 && fits(at) && !index.has(at)) visit(at)
  return found
}

function reachOf({ edges }: Automaton): Set<number>[] {
  return edges.map((_, from) => {
    const seen = new Set<number>()
    const waiting = [from]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const { to } of edges[at] ?? []) {
        if (seen.has(to)) continue
        seen.add(to)
        waiting.push(to)
      }
    return seen
  })
}

type Joint = { at: number[]; last: bigint }

/** Joint states that several readers of the same text reach together, each within its own positions; `visit` ends the search by true. */
function walk(
  { edges }: Automaton,
  start: Joint,
  mayEnter: ((position: number) => boolean)[],
  visit: (from: Joint, to: Joint) => boolean,
): boolean {
  const seen = new Set<string>()
  const waiting = [start]
  const combine = (from: Joint, reader: number, at: number[], before: bigint, after: bigint): boolean => {
    if (reader === from.at.length) {
      const to = { at, last: after }
      if (visit(from, to)) return true
      const key = `${at.join()}/${after}`
      if (seen.has(key)) return false
      seen.add(key)
      if (seen.size > mostStates) throw new Error('Too many joint states to be looked at')
      waiting.push(to)
      return false
    }
    for (const edge of edges[from.at[reader] ?? 0] ?? []) {
      if (mayEnter[reader]?.(edge.to) !== true) continue
      const left = before & edge.before
      const right = after & edge.after
      if (left > 0n && right > 0n && combine(from, reader + 1, [...at, edge.to], left, right)) return true
    }
    return false
  }
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop())
    if (combine(from, 0, [], from.last, -1n)) return true
  return false
}

/** True if the same characters lead through the loop and back to its beginning in two ways. */
function doubles(automaton: Automaton, loop: Set<number>): boolean {
  if (automaton.doubles.some(([from, to]) => loop.has(from) && loop.has(to))) return true
  if (loop.size === 1) return false
  const [first = 0] = loop
  const within = (position: number) => loop.has(position)
  const back = new Map<string, Set<string>>()
  const apart = new Set<string>()
  const key = ({ at }: Joint) => at.join()
  walk(automaton, { at: [first, first], last: automaton.labels[first] ?? 0n }, [within, within], (from, to) => {
    const list = back.get(key(to)) ?? new Set()
    back.set(key(to), list.add(key(from)))
    if (to.at[0] !== to.at[1]) apart.add(key(to))
    return false
  })
  const waiting = [`${first},${first}`]
  const seen = new Set(waiting)
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (apart.has(at)) return true
    for (const from of back.get(at) ?? [])
      if (!seen.has(from)) {
        seen.add(from)
        waiting.push(from)
      }
  }
  return false
}

/** True if the same characters can be read by the first loop, by the second one, and on the way from one to the other. */
function leads(automaton: Automaton, reach: Set<number>[], from: Set<number>, to: Set<number>): boolean {
  const [first = 0] = from
  const isNear = [...to].some((position) => reach[first]?.has(position))
  if (!isNear) return false
  const between = (position: number) =>
    from.has(position) || to.has(position) || [...to].some((one) => reach[position]?.has(one))
  const readers = [(at: number) => from.has(at), between, (at: number) => to.has(at)]
  return [...to].some((second) => {
    const last = (automaton.labels[first] ?? 0n) & (automaton.labels[second] ?? 0n)
    if (last === 0n) return false
    return walk(automaton, { at: [first, first, second], last }, readers, (_, { at }) => {
      return at[0] === first && at[1] === second && at[2] === second
    })
  })
}
