import type { Content, ToolCall, ToolInput } from 'protocol'
import type { StoredEntry } from '../../../agent/sessions/transcript-store.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

const lost = 'The arguments held a secret, and the key that they were sealed with is not here.'
const placeOf = (toolUseId: string) => `held_inputs/${toolUseId}`

type Parts = {
  redact<T>(value: T): T
  seal(place: string, text: string): string
  /** @throws Error if the text cannot be opened */
  open(place: string, sealed: string): string
}

/**
 * Keeps secrets out of the arguments that a transcript stores. The real arguments of a call are stored separately and sealed until its run has
 * ended, so that a waiting call can continue after a restart. The arguments of a call that was handed out to a program stay, because the program may
 * ask again.
 */
export class HeldInputs extends SqliteStore {
  readonly #parts: Parts
  readonly #insert = this.sql.prepare(
    'INSERT OR REPLACE INTO held_inputs (tool_use_id, session_id, run_id, input) VALUES (?, ?, ?, ?)',
  )
  readonly #select = this.sql.prepare<[string], { id: string; input: string }>(
    'SELECT tool_use_id AS id, input FROM held_inputs WHERE session_id = ?',
  )
  readonly #selectOne = this.sql
    .prepare<[string], string>('SELECT input FROM held_inputs WHERE tool_use_id = ?')
    .pluck()

  constructor(database: Pick<Database, 'sql'>, parts: Parts) {
    super(database)
    this.#parts = parts
  }

  /** @param isOver true if nobody needs the real arguments any more. @returns the content to store; the same object if it contains no secret */
  hold({ sessionId, runId }: { sessionId: string; runId: string }, content: Content[], isOver = false): Content[] {
    const stored = content.map((item) => {
      if (item.type !== 'tool_call') return item
      const { toolUseId, toolInput, malformed } = item
      const safe = this.#parts.redact({ toolInput, ...(malformed !== undefined && { malformed }) })
      const written = JSON.stringify(toolInput)
      const isSame = JSON.stringify(safe.toolInput) === written
      if (isSame && safe.malformed === malformed) return item
      // A malformed call never runs.
      if (!isSame && !isOver && malformed === undefined)
        this.#insert.run(toolUseId, sessionId, runId, this.#parts.seal(placeOf(toolUseId), written))
      return { ...item, ...safe }
    })
    return stored.every((item, at) => item === content[at]) ? content : stored
  }

  /** The real arguments of one call; undefined if its run has ended or the arguments contained no secret. */
  realOf(toolUseId: string): Pick<ToolCall, 'toolInput'> | Pick<ToolCall, 'malformed'> | undefined {
    const sealed = this.#selectOne.get(toolUseId)
    if (sealed === undefined) return undefined
    const toolInput = this.#opened(toolUseId, sealed)
    return toolInput === undefined ? { malformed: lost } : { toolInput }
  }

  /** Puts the real arguments back if they are still held. A call whose arguments cannot be opened is malformed, so that it never runs. */
  real(sessionId: string, entries: StoredEntry[]): StoredEntry[] {
    const held = new Map(this.#select.all(sessionId).map(({ id, input }) => [id, input]))
    if (held.size === 0) return entries
    const realCall = (item: Content): Content => {
      const sealed = item.type === 'tool_call' ? held.get(item.toolUseId) : undefined
      if (item.type !== 'tool_call' || sealed === undefined) return item
      const toolInput = this.#opened(item.toolUseId, sealed)
      return toolInput === undefined ? { ...item, malformed: lost } : { ...item, toolInput }
    }
    return entries.map((entry) =>
      entry.type === 'assistant' ? { ...entry, content: entry.content.map(realCall) } : entry,
    )
  }

  #opened(id: string, sealed: string): ToolInput | undefined {
    try {
      return JSON.parse(this.#parts.open(placeOf(id), sealed)) as ToolInput
    } catch {
      return undefined
    }
  }
}
