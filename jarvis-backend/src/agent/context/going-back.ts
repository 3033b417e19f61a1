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

/** The files of a change in a root of the workbench. `because`: the reason why it cannot be taken back; undefined if it can. */
export type FileChanges = { paths: readonly string[]; because: string | undefined }

/** Changes of files in roots of the workbench. They go back by an undo for each, through the gate. */
export type RootChanges = {
  /** Returns the files that a call changed; undefined if it changed none. */
  of(toolUseId: string): FileChanges | undefined
  /** Starts the undo of a change in a session. */
  undo(sessionId: string, toolUseId: string, by: string): void
}

/** Maximum number of changes that are undone at once: each is a message that waits in the new session. */
const mostUndone = 20
const tooMany = `More than ${mostUndone} changes would go back at once. Undo the others one by one.`
const asks = 'An undo in the new session puts it back, and asks where that needs a card.'

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
  /**
   * Restores the files that JARVIS wrote in a session from `seq` on. Files that were edited after that write are not changed. Files in roots go back
   * by undos in the session `branch`, the newest change first.
   */
  restoreFiles(sessionId: string, seq: number, of: { by: string; branch: string }): CheckpointFile[]
  /** Returns the calls from `seq` on that wrote in the session's own folder, the newest first. */
  laterCalls(sessionId: string, seq: number): { toolUseId: string; files: readonly string[] }[]
}

type Made = { changes: CheckpointChange[]; writes: (FileWrite & { seq: number })[] }

export function createGoingBack(
  store: Pick<TranscriptStore, 'session' | 'entry' | 'entriesOfTypes'>,
  files: FilesBack,
  roots: RootChanges,
): GoingBack {
  function entriesOf(sessionId: string) {
    if (store.session(sessionId) === undefined)
      throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return store.entriesOfTypes(sessionId, ['user', 'tool_use', 'tool_result', 'reconciled'])
  }
  /** The changes of files in roots from `seq` on, the newest first. Those of the session's own folder are left out: a branch has a copy. */
  const rootChangesFrom = (made: Made, seq: number) =>
    made.changes
      .filter((change) => change.seq >= seq && change.outcome === 'done')
      .reverse()
      .flatMap(({ toolUseId }) => {
        const found = roots.of(toolUseId)
        const paths = found?.paths.filter((path) => !path.startsWith('session/')) ?? []
        return found === undefined ? [] : [{ toolUseId, paths, because: found.because }]
      })
  const rowsOf = (changes: ReturnType<typeof rootChangesFrom>): CheckpointFile[] =>
    changes.flatMap(({ paths, because }, at) => {
      const why = because ?? (at < mostUndone ? undefined : tooMany)
      return paths.map((path) => ({ path, writes: 1, goesBack: why === undefined, because: why ?? asks }))
    })
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
        files: [...files.preview(writesFrom(made, seq)), ...rowsOf(rootChangesFrom(made, seq))],
        notUndone: made.changes.filter((change) => change.seq >= seq && roots.of(change.toolUseId) === undefined),
      }
    },
    restoreFiles(sessionId, seq, { by, branch }) {
      const made = madeIn(entriesOf(sessionId))
      const changes = rootChangesFrom(made, seq)
      for (const { toolUseId, paths, because } of changes.slice(0, mostUndone))
        if (because === undefined && paths.length > 0) roots.undo(branch, toolUseId, by)
      return [...files.restore(writesFrom(made, seq), by), ...rowsOf(changes)]
    },
    laterCalls: (sessionId, seq) =>
      store
        .entriesOfTypes(sessionId, ['tool_result'])
        .flatMap((entry) =>
          entry.type === 'tool_result' && entry.seq >= seq
            ? { toolUseId: entry.toolUseId, files: entry.files ?? [] }
            : [],
        )
        .reverse(),
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
