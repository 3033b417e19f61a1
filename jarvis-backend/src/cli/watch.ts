import { type Activity, JarvisError, type JournalEntry, type JournalPage, Tier, type ToolInput } from 'protocol'
import { callWords } from '../calls/call-words.ts'
import type { Config } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'
import { type Input, shortMs } from './options.ts'
import { reach } from './remote/reach.ts'
import { eventsOf, type Remote } from './remote/remote.ts'
import { markOf, narrow, type Style, styleFor, timeOf } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** Longest time between two reads of the journal, ms. A call that changed no list is reported only by the journal. */
const lookEveryMs = 2_000

/** Time after the start during which lines of both sources are collected, to be sorted before the first ones are printed, ms. */
const settleMs = 500

/** `jarvis watch`: prints a line for each call, card and event of all conversations, until Ctrl-C. */
export async function watch(
  config: Config,
  { values }: Input<{ url?: string; since?: string; jsonl?: boolean }>,
): Promise<void> {
  const since = values.since === undefined ? Date.now() : sinceOf(values.since, Date.now())
  const remote = await reach(config, values.url)
  const style = styleFor(process.stdout)
  const over = new AbortController()
  process.once('SIGINT', () => {
    process.exitCode = exitCodes.interrupted
    over.abort()
  })
  /** The first lines of both sources, which are sorted together before printing; undefined once they are printed. */
  let first: { at: number; line: string }[] | undefined = []
  const say = (at: number, row: Row, raw: object) => {
    if (at < since) return
    const line = values.jsonl === true ? JSON.stringify(raw) : lineOf(at, row, style)
    if (first === undefined) console.log(line)
    else first.push({ at, line })
  }
  const begin = () => {
    for (const { line } of (first ?? []).sort((a, b) => a.at - b.at)) console.log(line)
    first = undefined
  }
  const journal = createJournalTail(remote, since, (entry) => {
    const row = rowOf(entry, style)
    if (row !== undefined) say(entry.at, row, entry)
  })
  let reading = Promise.resolve()
  const look = () => {
    reading = reading.then(journal).catch((error: unknown) => {
      if (!over.signal.aborted) console.error(error instanceof Error ? error.message : String(error))
    })
  }
  look()
  const settled = setTimeout(() => void reading.then(begin), settleMs)
  const timer = setInterval(look, lookEveryMs)
  try {
    for await (const { event, data } of eventsOf((options) => remote.open('GET /api/events', options), {
      signal: over.signal,
    })) {
      if (event === 'changed') look()
      else {
        const line = data as Activity
        const word = line.level === 'info' ? line.kind : `${line.kind} !`
        say(line.at, { mark: word.padEnd(10), word: '', who: line.node ?? '', what: line.text, came: '' }, line)
      }
    }
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    clearInterval(timer)
    clearTimeout(settled)
    await reading
    begin()
  }
}

type Row = { mark: string; word: string; who: string; what: string; came: string; isOpen?: boolean }

function lineOf(at: number, { mark, word, who, what, came, isOpen }: Row, style: Style): string {
  const [first, last] = [visible(what), isOpen === true ? style.bold(visible(came)) : visible(came)]
  if (style.width < narrow) return `${timeOf(at)} ${mark}${word}\n  ${visible(who)} ${first}\n  ${last}`
  const room = Math.max(20, style.width - 66)
  return `${style.dim(timeOf(at))}  ${mark}${word} ${visible(who).padEnd(10).slice(0, 12)}  ${first.padEnd(34)}  ${last.padEnd(room).trimEnd()}`.trimEnd()
}

/** Parses a time of today, or a span before now. @throws JarvisError `invalid_request` */
export function sinceOf(text: string, now: number): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (hours === undefined) return now - shortMs('--since', text)
  const at = new Date(now)
  at.setHours(Number(hours), Number(minutes), 0, 0)
  if (Number(hours) > 23 || Number(minutes) > 59)
    throw new JarvisError('invalid_request', '--since takes a time of today such as 09:13, or a span such as 2h.')
  return at.getTime()
}

/** Reads the entries that were added to the journal since the last look, oldest first. The first look reads the entries newer than `since`. */
function createJournalTail(remote: Remote, since: number, tell: (entry: JournalEntry) => void): () => Promise<void> {
  let last: number | undefined
  return async () => {
    const added: JournalEntry[] = []
    for (let before: number | undefined; ; ) {
      const { items, next }: JournalPage = await remote.call('GET /api/journal', { query: { limit: 100, before } })
      const fresh = items.filter(({ seq, at }) => (last === undefined ? at >= since : seq > last))
      added.push(...fresh)
      if (fresh.length < items.length || next === undefined) break
      before = Number(next)
    }
    last = added[0]?.seq ?? last ?? (await remote.call('GET /api/journal', { query: { limit: 1 } })).items[0]?.seq ?? 0
    for (const entry of added.reverse()) tell(entry)
  }
}

/** A line for a journal entry about a call; undefined for all other entries. */
export function rowOf({ kind, body }: Pick<JournalEntry, 'kind' | 'body'>, style: Style): Row | undefined {
  const of = body as Record<string, unknown>
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const tier = Tier.safeParse(of.tier)
  const asker = of.requestedBy as { kind?: string; name?: string; agent?: string; token?: string } | undefined
  const who = text(of.by) || asker?.token || (asker?.kind === 'chat' ? (asker.agent ?? 'main') : asker?.kind) || ''
  const toolName = text(of.toolName)
  const what = of.toolInput === undefined ? toolName : callWords({ toolName, toolInput: of.toolInput as ToolInput })
  const [mark, word] = tier.success ? [markOf(tier.data, style), ''] : [kind.padEnd(10), '']
  switch (kind) {
    case 'call':
      return { mark, word, who, what, came: text(of.outcome) || 'waits', isOpen: of.outcome === undefined }
    case 'refusal':
      return { mark, word, who, what, came: `refused: ${text(of.rule)}` }
    case 'decision':
      return {
        mark,
        word,
        who,
        what: what.trim() || text(of.toolUseId),
        came: [text(of.decision), text(of.note)].filter(Boolean).join(': '),
      }
    case 'result':
      return {
        mark,
        word,
        who,
        what: what.trim() || text(of.toolUseId),
        came: text(of.outcome),
        isOpen: of.outcome === 'unknown',
      }
    default:
      return undefined
  }
}
