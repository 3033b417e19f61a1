import { createHash } from 'node:crypto'
import { mainAgentId, personOf, type WorkspaceFile, type WorkspaceText } from 'protocol'
import { agentDir } from '../agents/agent-dir.ts'
import type { Foundation } from '../foundation.ts'
import type { Library } from '../runbooks/library.ts'
import { createWorkspace } from './files.ts'

/**
 * Reads and writes the texts that people edit, for all doors. The texts lie in the workspace, which is main's folder, and in the folders of other
 * agents. The journal records each change and who made it. Each function throws JarvisError as `Workspace` does.
 */
export type TextFiles = {
  list(agent: string): (WorkspaceFile & { by?: string })[]
  read(agent: string, path: string): WorkspaceText
  /** Writes a text. A runbook with a fault is refused, as on the page of runbooks. */
  write(agent: string, path: string, change: TextChange): WorkspaceText
  remove(agent: string, path: string, by: string): void
}

/** A text that a person saves. `checksum`: the checksum of the text that the person edited; undefined for a new file. */
type TextChange = { text: string; checksum: string | undefined; by: string }

/** The last person who wrote each text of the agent `main`, through any door. */
export type Writers = {
  /** @param hash SHA-256 of the text, hex */
  note(path: string, hash: string, by: string): void
  /** Returns the id of the person who wrote this text; undefined if it is not known, for example because the file was changed on disk. */
  of(path: string, hash: string): string | undefined
}

export function createWriters({ settings }: Pick<Foundation, 'settings'>): Writers {
  const keyOf = (path: string) => `text_by ${path}`
  return {
    note: (path, hash, by) => settings.set(keyOf(path), JSON.stringify({ hash, by: personOf(by) })),
    of(path, hash) {
      const known = JSON.parse(settings.get(keyOf(path)) ?? '{}') as { hash?: string; by?: string }
      return known.hash === hash ? known.by : undefined
    },
  }
}

export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Makes the only writer of the texts that people edit. */
export function createTextFiles(
  {
    dataDir,
    database,
    journal,
    settings,
    activity,
  }: Pick<Foundation, 'dataDir' | 'database' | 'journal' | 'settings' | 'activity'>,
  writers: Writers,
  library: Pick<Library, 'nameOf' | 'save' | 'remove'>,
): TextFiles {
  const workspaceOf = (agent: string) => createWorkspace(agentDir(dataDir, agent))
  const byKey = (agent: string, path: string) => `agent_file ${agent} ${path}`
  const runbookAt = (agent: string, path: string) => (agent === mainAgentId ? library.nameOf(path) : undefined)
  const saved = <T>(entry: { change: string; agent: string; path: string; by: string }, work: () => T): T => {
    const result = database.durably(() => {
      journal.append('agent', entry)
      settings.set(byKey(entry.agent, entry.path), entry.by)
      return work()
    })
    activity.changed({ what: 'agents' })
    return result
  }
  return {
    list: (agent) =>
      workspaceOf(agent)
        .list()
        .map((file) => {
          const by = settings.get(byKey(agent, file.path))
          return { ...file, by }
        }),
    read: (agent, path) => workspaceOf(agent).read(path),
    write(agent, path, { text, checksum, by }) {
      const runbook = runbookAt(agent, path)
      if (runbook !== undefined) {
        library.save(runbook, { text, hash: checksum }, by)
        return workspaceOf(agent).read(path)
      }
      return saved({ change: 'file_written', agent, path, by }, () => {
        if (agent === mainAgentId) writers.note(path, hashOfText(text), by)
        return workspaceOf(agent).write(path, text, checksum)
      })
    },
    remove(agent, path, by) {
      const runbook = runbookAt(agent, path)
      if (runbook === undefined)
        saved({ change: 'file_deleted', agent, path, by }, () => workspaceOf(agent).remove(path))
      else library.remove(runbook, by)
    },
  }
}
