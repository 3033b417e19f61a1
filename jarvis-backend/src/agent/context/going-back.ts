import type { Checkpoint, CheckpointChange, CheckpointDetail, CheckpointFile } from 'protocol'
import { JarvisError } from 'protocol'
import type { StoredEntry, TranscriptStore } from '../sessions/transcript-store.ts'
import { callLine, mayChange, oneLine } from './facts/fact-maker.ts'

/** A file that JARVIS wrote in the workspace. `id`: the id of the write’s undo. */
export type FileWrite = { id: string; path: string }

/** Restores files to their content before JARVIS's writes. Both methods take the writes newest first. */
export type FilesBack = {
  /** Returns what `restore` would do to each file, without changing anything. */
  preview(writes: readonly FileWrite[]): CheckpointFile[]
  restore(writes: readonly FileWrite[], by: string): CheckpointFile[]
}

/** Maximum number of messages in the list; the newest are listed. */
const mostCheckpoints = 200
const longestText = 200

/** The points to which a session can go back, and the changes that cannot be undone. */
export type GoingBack = {
  /** Returns the messages of people as points to go back to, newest first. @throws JarvisError `unknown_session` */
  list(sessionId: string): Checkpoint[]
  /**
   * Returns the files that going back to the message at `seq` restores, and the changes that are not undone. @throws JarvisError `unknown_session`,
   * `not_found`, `invalid_request`
   */
  detail(sessionId: string, seq: number): CheckpointDetail
  /** Restores the files that JARVIS wrote in a session from `seq` on. Files that were edited after that write are not changed. */
  restoreFiles(sessionId: string, seq: number, by: string): CheckpointFile[]
}

type Made = { changes: CheckpointChange[]; writes: (FileWrite & { seq: number })[] }

export function createGoingBack(
  store: Pick<TranscriptStore, 'session' | 'entry' | 'entriesOfTypes'>,
  files: FilesBack,
): GoingBack {
  function entriesOf(sessionId: string) {
    if (store.session(sessionId) === undefined)
      throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return store.entriesOfTypes(sessionId, ['user', 'tool_use', 'tool_result', 'reconciled'])
  }
  const writesFrom = (made: Made, seq: number) => made.writes.filter((write) => write.seq >= seq).reverse()

  return {
    list(sessionId) {
      const entries = entriesOf(sessionId)
      const made = madeIn(entries)
      const points = entries
        .filter(
          (entry) => entry.type === 'user' && entry.job === undefined && !/^\/(?:fold|context)\s*$/.test(entry.text),
        )
        .slice(-mostCheckpoints)
      return points.reverse().flatMap((entry) =>
        entry.type !== 'user'
          ? []
          : {
              seq: entry.seq,
              text: oneLine(entry.text, longestText),
              at: entry.at,
              changes: made.changes.filter(({ seq }) => seq >= entry.seq).length,
              files: new Set(writesFrom(made, entry.seq).map(({ path }) => path)).size,
            },
      )
    },
    detail(sessionId, seq) {
      const made = madeIn(entriesOf(sessionId))
      const entry = store.entry(sessionId, seq)
      if (entry === undefined) throw new JarvisError('not_found', `This session has no entry ${seq}.`)
      if (entry.type !== 'user') throw new JarvisError('invalid_request', `Entry ${seq} is not a message.`)
      return {
        seq,
        text: oneLine(entry.text, longestText),
        at: entry.at,
        files: files.preview(writesFrom(made, seq)),
        notUndone: made.changes.filter((change) => change.seq >= seq),
      }
    },
    restoreFiles: (sessionId, seq, by) => files.restore(writesFrom(madeIn(entriesOf(sessionId)), seq), by),
  }
}

/**
 * Collects the changes and file writes of a session, oldest first. A write of a memory file is a file write, because it can be undone on the memory
 * page. Everything else is a change.
 */
function madeIn(entries: readonly StoredEntry[]): Made {
  const made: Made = { changes: [], writes: [] }
  const changing = new Map<string, string>()
  const writing = new Set<string>()
  for (const entry of entries) {
    if (entry.type === 'tool_use') {
      if (entry.toolName === writer) writing.add(entry.toolUseId)
      if (mayChange(entry)) changing.set(entry.toolUseId, callLine(entry.toolName, entry.toolInput))
    } else if (entry.type === 'tool_result') {
      const { toolUseId, at, seq, summary, data } = entry
      const line = changing.get(toolUseId)
      const write = writing.has(toolUseId) ? writeIn(data) : undefined
      if (write !== undefined) made.writes.push({ ...write, seq })
      else if (line !== undefined && !entry.isRehearsal) {
        const outcome = entry.isUnknown ? 'unknown' : entry.isError ? 'failed' : 'done'
        made.changes.push({ toolUseId, seq, line, outcome, text: oneLine(summary, longestText), at })
      }
    } else if (entry.type === 'reconciled') {
      const change = made.changes.find(({ toolUseId }) => toolUseId === entry.toolUseId)
      if (change !== undefined)
        Object.assign(change, { outcome: entry.outcome, text: oneLine(entry.text, longestText) })
    }
  }
  return made
}

/**
 * The tool whose results contain the id of a write’s undo. The same fields in results of other tools are ignored, because an attached server may
 * have written them.
 */
const writer = 'memory_write'

function writeIn(data: unknown): FileWrite | undefined {
  if (typeof data !== 'object' || data === null || !('undoId' in data) || !('path' in data)) return undefined
  const { undoId, path } = data
  return typeof undoId === 'string' && typeof path === 'string' ? { id: undoId, path } : undefined
}
