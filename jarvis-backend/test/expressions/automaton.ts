import { type Expression, parse } from './parse.ts'

/** A set of sample characters, one bit each. */
type Mask = bigint
/** A step to the next position, with the characters before and after the place between the two that allow it. */
export type Edge = { to: number; before: Mask; after: Mask }
/**
 * A backtracking matcher as an automaton without empty steps. A position is a place of the expression that reads one character of its
 * `label`. Position 0 reads the characters before a match begins.
 */
export type Automaton = {
  labels: Mask[]
  edges: Edge[][]
  /** Pairs of positions with several ways from one to the other for the same characters. */
  doubles: [number, number][]
  /** Positions after which a match succeeds whatever follows. */
  succeeds: boolean[]
}

/** Characters that stand for all: ASCII, and one of each kind that expressions tell apart. */
const samples = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u00a0\u00ad\u00e9\u00df\u0130\u0131\u017f\u212a\u0301\u0391\u0416\u0531\u4e2d\u3000\u200b\u200d\u2028\u2029\u202e\ufe0f\ufeff\uffa0\u115f\u2800',
  ...'\u{1f600}\u{1f3fd}\u{e0001}⟨⟩°·…–—’“”„«»→✓•€№½²äöüñ',
]
const everything: Mask = (1n << BigInt(samples.length)) - 1n
/** The end of the text, as one more character that may follow and is never read. */
const end: Mask = 1n << BigInt(samples.length)
const known = new Map<string, Mask>()

function maskOf(source: string, flags: string): Mask {
  const key = `${source}/${flags}`
  let mask = known.get(key)
  if (mask === undefined) {
    const one = new RegExp(`^(?:${source})$`, flags)
    mask = samples.reduce((all, char, at) => (one.test(char) ? all | (1n << BigInt(at)) : all), 0n)
    known.set(key, mask)
  }
  return mask
}

const wordMask = maskOf('\\w', '')
const lineMask = maskOf('[\\n\\r\\u2028\\u2029]', '')

type State =
  | { type: 'reads'; position: number; next: State }
  | { type: 'split'; outs: State[] }
  | { type: 'if'; before: Mask; after: Mask; next: State }
  | { type: 'success' }
  | { type: 'dead' }

/** Copies of a counted repetition that are looked at. */
const mostCopies = 2
/** Empty paths that are followed from one position. */
const mostSteps = 40_000

/**
 * @param fewCopies a counted repetition that may come more often counts as one without a bound
 * @throws Error where the expression is too large to be looked at
 */
export function automatonOf(source: string, flags: string, fewCopies: number): Automaton {
  const plainFlags = flags.replace(/[gymd]/g, '')
  const labels: Mask[] = [everything]
  const after: State[] = []
  const dead: State = { type: 'dead' }
  const both = everything | end

  const reads = (label: Mask, next: State): State => {
    const position = labels.push(label) - 1
    if (position > 8_000) throw new Error(`Too large to be looked at: ${source.slice(0, 200)}`)
    after[position] = next
    return { type: 'reads', position, next }
  }
  const when = (before: Mask, following: Mask, next: State): State => ({ type: 'if', before, after: following, next })

  function build(node: Expression, next: State, isFirst: boolean): State {
    switch (node.type) {
      case 'set':
        return reads(maskOf(node.source, plainFlags), next)
      case 'copy':
        return build(node.body, next, isFirst)
      case 'sequence':
        return node.items.reduceRight((then, item) => build(item, then, isFirst), next)
      case 'choice':
        return { type: 'split', outs: node.options.map((option) => build(option, next, isFirst)) }
      case 'edge':
        return edge(node.kind, next, isFirst)
      case 'look':
        return look(node, next, isFirst)
      case 'repeat':
        return repeat(node, next, isFirst)
    }
  }

  function edge(kind: string, next: State, isFirst: boolean): State {
    if (kind === '$') return when(both, flags.includes('m') ? lineMask | end : end, next)
    if (kind === '^') return isFirst ? next : flags.includes('m') ? when(lineMask, both, next) : dead
    const others = both & ~wordMask
    const [afterWord, afterOther] = kind === 'b' ? [others, wordMask] : [wordMask, others]
    return { type: 'split', outs: [when(wordMask, afterWord, next), when(others, afterOther, next)] }
  }

  function look(node: Expression & { type: 'look' }, next: State, isFirst: boolean): State {
    const options = optionsOf(node.body)
    const singles = options.flatMap((option) => singleOf(option, node.isAhead) ?? [])
    const mask = singles.reduce((all, single) => all | single, 0n)
    const isWhole = singles.length === options.length
    const allowed = node.isNegative ? both & ~mask : isWhole ? mask : both
    const then = node.isAhead ? when(both, allowed, next) : when(allowed, both, next)
    if (isWhole) return then
    const body = node.isAhead ? node.body : reversed(node.body)
    return { type: 'split', outs: [build(body, dead, isFirst), then] }
  }

  function repeat({ body, min, max }: Expression & { type: 'repeat' }, next: State, isFirst: boolean): State {
    let from = next
    let copies = Math.min(min, mostCopies)
    if (max > fewCopies) {
      const loop: State = { type: 'split', outs: [] }
      const entry = build(body, loop, isFirst)
      loop.outs.push(entry, next)
      // Entering is another step than coming round, so that a loop within a loop is entered in two ways.
      from = copies > 0 ? entry : { type: 'split', outs: [entry, next] }
      copies -= 1
    } else {
      for (let left = Math.min(max - min, mostCopies); left > 0; left -= 1)
        from = { type: 'split', outs: [build(body, from, isFirst), next] }
    }
    for (; copies > 0; copies -= 1) from = build(body, from, isFirst)
    return from
  }

  /** The characters beside a place that an option allows; undefined where it is more than one character. */
  function singleOf(option: Expression, isAhead: boolean): Mask | undefined {
    if (option.type === 'set') return maskOf(option.source, plainFlags)
    if (option.type !== 'edge' || option.kind !== (isAhead ? '$' : '^')) return undefined
    const lines = flags.includes('m') ? lineMask : 0n
    return isAhead ? lines | end : lines
  }

  const tree = parse(source)
  const success: State = { type: 'success' }
  const begins: State = { type: 'split', outs: [] }
  if (!flags.includes('y')) begins.outs.push(build(tree, success, false), { type: 'reads', position: 0, next: begins })
  after[0] = begins
  const first = build(tree, success, true)
  return stepsOf(
    { labels, after, letters: maskOf('[^]', plainFlags) },
    { type: 'split', outs: flags.includes('y') ? [first] : [first, begins] },
  )
}

/** The options of a look around, each without groups that hold nothing else. */
function optionsOf(node: Expression): Expression[] {
  if (node.type === 'choice') return node.options.flatMap(optionsOf)
  const [only] = node.type === 'sequence' && node.items.length === 1 ? node.items : []
  return only === undefined ? [node] : optionsOf(only)
}

function reversed(node: Expression): Expression {
  if (node.type === 'sequence') return { type: 'sequence', items: node.items.map(reversed).reverse() }
  if (node.type === 'choice') return { type: 'choice', options: node.options.map(reversed) }
  return node.type === 'repeat' ? { ...node, body: reversed(node.body) } : node
}

/** `letters`: the samples that are one character to the engine. `after`: what comes after each position. */
type Built = { labels: Mask[]; after: State[]; letters: Mask }

/** Replaces empty steps by edges from position to position, and drops positions that nothing reaches. */
function stepsOf({ labels, after, letters }: Built, start: State): Automaton {
  const both = everything | end
  const edges: Edge[][] = labels.map(() => [])
  /** The letters that may follow a position at which a match ends, by label. */
  const ends: Mask[] = labels.map(() => 0n)
  const doubles: [number, number][] = []

  function follow(from: number, state: State, label: Mask): void {
    const visits = new Map<State, Map<string, number>>()
    const path = new Set<State>()
    let steps = 0
    const visit = (at: State, before: Mask, next: Mask): void => {
      if (before === 0n || next === 0n || at.type === 'dead' || path.has(at)) return
      steps += 1
      if (steps > mostSteps) throw new Error('Too many empty paths to be looked at')
      if (at.type === 'success') {
        if ((before & label) === label) ends[from] = (ends[from] ?? 0n) | next
        return
      }
      if (at.type === 'reads') {
        const reach = { to: at.position, before, after: next & (labels[at.position] ?? 0n) }
        if (reach.after === 0n) return
        const list = edges[from] ?? []
        if (list.some((old) => old.to === reach.to && (old.before & before) > 0n && (old.after & reach.after) > 0n))
          doubles.push([from, reach.to])
        else list.push(reach)
        return
      }
      const key = `${before}/${next}`
      const seen = visits.get(at) ?? new Map<string, number>()
      const times = seen.get(key) ?? 0
      if (times > 1) return
      seen.set(key, times + 1)
      visits.set(at, seen)
      path.add(at)
      if (at.type === 'if') visit(at.next, before & at.before, next & at.after)
      else for (const out of at.outs) visit(out, before, next)
      path.delete(at)
    }
    visit(state, label, both)
  }

  const reached = new Set<number>()
  const first: Edge[] = []
  edges.push(first)
  follow(edges.length - 1, start, both)
  edges.pop()
  const waiting = first.map(({ to }) => to)
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (reached.has(at)) continue
    reached.add(at)
    const state = after[at]
    if (state !== undefined) follow(at, state, labels[at] ?? 0n)
    waiting.push(...(edges[at] ?? []).map(({ to }) => to))
  }
  return {
    labels,
    edges,
    doubles: doubles.filter(([from]) => from < labels.length),
    succeeds: successes({ labels, edges, ends }, letters | end),
  }
}

type Parts = { labels: Mask[]; edges: Edge[][]; ends: Mask[] }

/** Positions from which some way leads to a match, whatever characters follow: a match ends, or goes on at another such position. */
function successes({ labels, edges, ends }: Parts, anything: Mask): boolean[] {
  const succeeds = labels.map((_, position) => position > 0)
  for (let isStable = false; !isStable; ) {
    isStable = true
    for (const [position, label] of labels.entries()) {
      if (succeeds[position] !== true) continue
      const served = (edges[position] ?? [])
        .filter(({ to, before }) => succeeds[to] === true && (before & label) === label)
        .reduce((all, { after }) => all | after, ends[position] ?? 0n)
      if ((served & anything) === anything) continue
      succeeds[position] = false
      isStable = false
    }
  }
  return succeeds
}
