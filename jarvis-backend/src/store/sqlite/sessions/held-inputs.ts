import type { Content, ToolCall, ToolInput } from 'protocol'
import type { StoredEntry } from '../../../agent/sessions/transcript-store.ts'
import type { Database } from '../database.ts'

export type HeldInputs = ReturnType<typeof createHeldInputs>

const lost = 'The arguments held a secret, and the key that they were sealed with is not here.'

/**
 * Keeps secrets out of the arguments that a transcript stores. The real arguments of a call lie beside it, sealed, until its run has
 * ended, so that a call that waits goes on after a restart; those that were handed out to a program stay, because it may ask again.
 */
export function createHeldInputs(
  { sql }: Pick<Database, 'sql'>,
  parts: {
    redact<T>(value: T): T
    seal(place: string, text: string): string
    /** @throws where the text cannot be opened */
    open(place: string, sealed: string): string
  },
) {
  const insert = sql.prepare(
    'INSERT OR REPLACE INTO held_inputs (tool_use_id, session_id, run_id, input) VALUES (?, ?, ?, ?)',
  )
  const select = sql.prepare<[string], { id: string; input: string }>(
    'SELECT tool_use_id AS id, input FROM held_inputs WHERE session_id = ?',
  )
  const selectOne = sql.prepare<[string], string>('SELECT input FROM held_inputs WHERE tool_use_id = ?').pluck()
  const placeOf = (toolUseId: string) => `held_inputs/${toolUseId}`

  function opened(id: string, sealed: string): ToolInput | undefined {
    try {
      return JSON.parse(parts.open(placeOf(id), sealed)) as ToolInput
    } catch {
      return undefined
    }
  }

  return {
    /** @param isOver nobody needs the real arguments any more. @returns the content as it is stored; the same where it has no secret */
    hold(sessionId: string, runId: string, content: Content[], isOver = false): Content[] {
      const stored = content.map((item) => {
        if (item.type !== 'tool_call') return item
        const { toolUseId, toolInput, malformed } = item
        const safe = parts.redact({ toolInput, ...(malformed !== undefined && { malformed }) })
        const written = JSON.stringify(toolInput)
        const isSame = JSON.stringify(safe.toolInput) === written
        if (isSame && safe.malformed === malformed) return item
        // A malformed call never runs.
        if (!isSame && !isOver && malformed === undefined)
          insert.run(toolUseId, sessionId, runId, parts.seal(placeOf(toolUseId), written))
        return { ...item, ...safe }
      })
      return stored.every((item, at) => item === content[at]) ? content : stored
    },
    /** The real arguments of one call, where they are still held; undefined where its run has ended or they had no secret. */
    realOf(toolUseId: string): Pick<ToolCall, 'toolInput'> | Pick<ToolCall, 'malformed'> | undefined {
      const sealed = selectOne.get(toolUseId)
      if (sealed === undefined) return undefined
      const toolInput = opened(toolUseId, sealed)
      return toolInput === undefined ? { malformed: lost } : { toolInput }
    },
    /** Puts the real arguments back where they are still held. A call whose arguments cannot be opened is malformed, so that it never runs. */
    real(sessionId: string, entries: StoredEntry[]): StoredEntry[] {
      const held = new Map(select.all(sessionId).map(({ id, input }) => [id, input]))
      if (held.size === 0) return entries
      const realCall = (item: Content): Content => {
        const sealed = item.type === 'tool_call' ? held.get(item.toolUseId) : undefined
        if (item.type !== 'tool_call' || sealed === undefined) return item
        const toolInput = opened(item.toolUseId, sealed)
        return toolInput === undefined ? { ...item, malformed: lost } : { ...item, toolInput }
      }
      return entries.map((entry) =>
        entry.type === 'assistant' ? { ...entry, content: entry.content.map(realCall) } : entry,
      )
    },
  }
}
