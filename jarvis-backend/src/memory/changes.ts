import { createHash } from 'node:crypto'
import { type Added, chunkText } from 'hybrid-index'
import type { MemoryStore, NewChunk, Source, SourceKind } from './ports.ts'

/** One text of `Keeper.list`. `checksum` must be cheap, because it is computed without reading the text. */
export type Listed = Omit<Source, 'kind'> & { read(): { parts: readonly TextPart[]; problem?: string } }
/**
 * A part of a text. `meaning`: the text to embed for the part's first chunk, while its other chunks get no embedding; empty: no chunk gets one;
 * absent: each chunk's own text is embedded. `lead`: returns context to put before a chunk that begins at that line, from 1.
 */
export type TextPart = {
  text: string
  isFromTools: boolean
  firstLine?: number
  meaning?: string
  /** When the part was written, Unix ms, if that is known. */
  at?: number | undefined
  lead?(line: number): string | undefined
}
/** A source of texts to remember: the workspace, the sessions or the journal. */
export type Keeper = { kind: SourceKind; list(): Iterable<Listed> }
/** A change of the index: `make` indexes or removes one text. */
export type Change = { name: string; make(): { removed: number[]; added: Added[] } }
export type Failure = { name: string; error: unknown }

/** Limits of one transaction: time, ms, and number of changes. A search waits until the transaction ends. */
const sliceMs = 20
const sliceChanges = 64

/** Compares the keepers' texts with the store by checksum. @returns the removals, then the new and changed texts */
export function changesOf(store: MemoryStore, keepers: readonly Keeper[]): Change[] {
  const gone: Change[] = []
  const changed: Change[] = []
  for (const { kind, list } of keepers) {
    const known = store.checksums(kind)
    for (const source of list()) {
      const { name, checksum } = source
      if (known.get(name) !== checksum) changed.push({ name, make: () => take(store, kind, source) })
      known.delete(name)
    }
    for (const name of known.keys()) gone.push({ name, make: () => ({ removed: store.remove(name), added: [] }) })
  }
  return [...gone, ...changed]
}

/**
 * Applies one slice of changes in one transaction. If a change fails, applies each change of the slice in a transaction of its own, so that the
 * others succeed.
 * @param slice `from`: the index of its first change
 * @returns `next`: the index at which the next slice begins
 */
export function makeSome(
  store: MemoryStore,
  { due, from }: { due: readonly Change[]; from: number },
  now: () => number,
) {
  const until = now() + sliceMs
  const failed: Failure[] = []
  let next = from
  let made: ReturnType<Change['make']>[]
  try {
    made = store.together(() => {
      const done: typeof made = []
      do {
        const change = due[next++]
        if (change !== undefined) done.push(change.make())
      } while (next < due.length && next - from < sliceChanges && now() < until)
      return done
    })
  } catch {
    made = due.slice(from, next).flatMap(({ name, make }) => {
      try {
        return [store.together(make)]
      } catch (error) {
        failed.push({ name, error })
        return []
      }
    })
  }
  return { removed: made.flatMap(({ removed }) => removed), added: made.flatMap(({ added }) => added), failed, next }
}

function take(store: MemoryStore, kind: SourceKind, { read, ...source }: Listed) {
  const { parts, problem } = read()
  return store.replace({ kind, ...source }, chunksOf(parts), problem)
}

function* chunksOf(parts: readonly TextPart[]): Generator<NewChunk> {
  for (const { text: whole, isFromTools, firstLine = 1, meaning, at, lead } of parts) {
    let left = meaning
    for (const piece of chunkText(whole)) {
      const led = lead?.(piece.firstLine)
      const text = led === undefined ? piece.text : `${led}\n${piece.text}`
      const hash = hashOf(piece.heading, text)
      const meant = left === undefined ? { text, hash } : left && { text: left, hash: hashOf('', left) }
      if (left !== undefined) left = ''
      yield {
        ...piece,
        text,
        meaning: meant || undefined,
        firstLine: piece.firstLine + firstLine - 1,
        lastLine: piece.lastLine + firstLine - 1,
        hash,
        isFromTools,
        at,
      }
    }
  }
}

const hashOf = (heading: string, text: string) => createHash('sha256').update(`${heading}\n${text}`).digest()

/** Reports failures with the same reason as one, because a full disk makes all changes fail. */
export function sayFailed(failed: readonly Failure[], report: (error: unknown, message: string) => void) {
  const alike = new Map<string, { first: Failure; count: number }>()
  for (const one of failed) {
    const known = alike.get(String(one.error))
    if (known === undefined) alike.set(String(one.error), { first: one, count: 1 })
    else known.count += 1
  }
  for (const { first, count } of alike.values()) {
    const more = count === 1 ? '' : ` and ${count - 1} more`
    report(first.error, `${first.name}${more} could not be brought up to date in the memory`)
  }
}
