/** A pattern of paths. `test` returns true if a path matches. */
export type PathPattern = { test(path: string): boolean }

type State = { reads: (letter: string) => boolean; next: number } | { outs: number[] }
/** A remembered set of states, with the next set for each letter. */
type Known = { states: readonly number[]; fits: boolean; steps: Map<string, Known> }

const mostKnown = 2_000
const notSlash = (letter: string) => letter !== '/'

/**
 * A pattern of paths: `*` and `?` within a name, `**` over folders, `{a,b}`, `[a-z]`. It is case-sensitive. A test reads each letter once and
 * follows all ways to match at the same time, so no pattern makes it slow.
 * @throws SyntaxError if the ends of a range in brackets are in the wrong order
 */
export function globPattern(glob: string): PathPattern {
  const states: State[] = [{ outs: [] }]
  const end = 0
  const add = (state: State) => states.push(state) - 1
  const reading = (reads: (letter: string) => boolean, next: number) => add({ reads, next })
  const repeated = (body: (back: number) => number, next: number): number => {
    const outs: number[] = [next]
    const loop = add({ outs })
    outs.push(body(loop))
    return loop
  }

  const slash = (next: number) => reading((letter) => letter === '/', next)
  const name = (next: number) =>
    reading(
      notSlash,
      repeated((back) => reading(notSlash, back), next),
    )
  /** Adds the states of a piece. @param next the state that follows the piece @returns the piece's first state */
  function one(piece: Piece, next: number): number {
    switch (piece.type) {
      case 'letter':
        return reading(piece.reads, next)
      case 'any':
        return repeated((back) => reading(piece.reads, back), next)
      case 'folders':
        return repeated((back) => name(slash(back)), next)
      case 'one of':
        return add({ outs: piece.options.map((option) => built(option, next)) })
    }
  }
  const built = (pieces: readonly Piece[], next: number): number =>
    pieces.reduceRight((then, piece) => one(piece, then), next)

  const start = built(piecesOf(glob), end)
  const known = new Map<string, Known>()

  function reached(from: readonly number[]): Known {
    const all = new Set<number>()
    const waiting = [...from]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (all.has(at)) continue
      all.add(at)
      const state = states[at]
      if (state !== undefined && 'outs' in state) waiting.push(...state.outs)
    }
    const list = [...all].sort((a, b) => a - b)
    const key = list.join()
    const old = known.get(key)
    if (old !== undefined) return old
    const made = { states: list, fits: all.has(end), steps: new Map<string, Known>() }
    known.set(key, made)
    return made
  }

  return {
    test(path) {
      if (known.size > mostKnown) known.clear()
      let at = reached([start])
      for (let index = 0; index < path.length && at.states.length > 0; index += 1) {
        const letter = path.charAt(index)
        let next = at.steps.get(letter)
        if (next === undefined) {
          next = reached(
            at.states.flatMap((number) => {
              const state = states[number]
              return state !== undefined && 'reads' in state && state.reads(letter) ? state.next : []
            }),
          )
          at.steps.set(letter, next)
        }
        at = next
      }
      return at.fits
    },
  }
}

type Piece =
  | { type: 'letter' | 'any'; reads: (letter: string) => boolean }
  | { type: 'folders' }
  | { type: 'one of'; options: Piece[][] }

function piecesOf(glob: string): Piece[] {
  const whole: Piece[] = []
  /** The braces that are open, with their options so far. */
  const open: Piece[][][] = []
  let pieces = whole
  const close = () => {
    const options = open.pop() ?? []
    pieces = open.at(-1)?.at(-1) ?? whole
    pieces.push({ type: 'one of', options })
  }
  for (let at = 0; at < glob.length; at += 1) {
    const letter = glob.charAt(at)
    const inBrackets = letter === '[' ? /^\[([^\]/]+)\]/.exec(glob.slice(at, at + mostInBrackets))?.[1] : undefined
    if (letter === '*' && glob[at + 1] === '*') {
      const isFolder = glob[at + 2] === '/'
      pieces.push(isFolder ? { type: 'folders' } : { type: 'any', reads: () => true })
      at += isFolder ? 2 : 1
    } else if (letter === '*') pieces.push({ type: 'any', reads: notSlash })
    else if (letter === '?') pieces.push({ type: 'letter', reads: notSlash })
    else if (letter === '{') {
      pieces = []
      open.push([pieces])
    } else if (letter === '}' && open.length > 0) close()
    else if (letter === ',' && open.length > 0) {
      pieces = []
      open.at(-1)?.push(pieces)
    } else if (inBrackets !== undefined) {
      const one = new RegExp(`^[${inBrackets.replace(/^!/, '^').replace(/[\\[]/g, '\\$&')}]$`)
      pieces.push({ type: 'letter', reads: (read) => one.test(read) })
      at += inBrackets.length + 1
    } else pieces.push({ type: 'letter', reads: (read) => read === letter })
  }
  while (open.length > 0) close()
  return whole
}

const mostInBrackets = 200
