import { mainAgentId, promptFiles, type WorkspaceFile, type WorkspaceText } from 'protocol'
import { lessonAbove, partsOf } from './daily.ts'
import type { Keeper, TextPart } from './indexer.ts'
import { indexedName, isSharedPath, kindOf, sharedKind } from './owner.ts'

/** Reads the workspace's files. */
export type Files = {
  list(): WorkspaceFile[]
  /** @throws Error if the file cannot be read */
  read(path: string): Pick<WorkspaceText, 'text' | 'problem'>
}

/** Returns true if a path lies in the folder of skills. Ignores case, because a file system may. */
export const isSkillPath = (path: string): boolean => /^skills(?:\/|$)/iu.test(path.normalize('NFKC'))

/** Returns true if a file is a note. Runbooks and skills are not notes: they have pages of their own, and an unapproved skill must reach no model. */
export const isNote = (path: string): boolean => !path.startsWith('runbooks/') && !isSkillPath(path)

/**
 * Makes the keeper of a workspace's notes. Files that are part of every prompt are left out, and main's shared folder, which has a keeper of its own.
 * @param agent id of the agent that owns the workspace
 */
export const createFileKeeper = (workspace: Files, agent: string = mainAgentId): Keeper =>
  keeperOf(workspace, {
    agent,
    kind: kindOf('file', agent),
    has: (path) => isNote(path) && !promptFiles.includes(path) && !(agent === mainAgentId && isSharedPath(path)),
  })

/** Makes the keeper of main's notes that every agent reads. @param workspace main's */
export const createSharedKeeper = (workspace: Files): Keeper =>
  keeperOf(workspace, { agent: mainAgentId, kind: sharedKind, has: isSharedPath })

type Part = { agent: string; kind: Keeper['kind']; has(path: string): boolean }

const keeperOf = (workspace: Files, { agent, kind, has }: Part): Keeper => ({
  kind,
  list: () =>
    workspace
      .list()
      .filter(({ path }) => has(path))
      .map(({ path, bytes, changedAt }) => ({
        name: indexedName(path, agent),
        title: indexedName(path, agent),
        // Size and time stand in for a checksum, because reading every file would cost more.
        checksum: `${bytes} ${changedAt}`,
        changedAt: dayOf(path, changedAt),
        read() {
          try {
            const { text, problem } = workspace.read(path)
            return { parts: partsOf(text).map(withLessons), problem }
          } catch (error) {
            return { parts: [], problem: error instanceof Error ? error.message : String(error) }
          }
        },
      })),
})

function withLessons(part: TextPart): TextPart {
  if (!part.isFromTools) return part
  const lines = part.text.split('\n')
  return { ...part, lead: (line) => lessonAbove(lines, line)?.text }
}

const halfDayMs = 43_200_000

/** Returns when a note was written, Unix ms: a day's file on its day, at noon if it was saved on another day; other files when they were saved. */
function dayOf(path: string, savedAt: number): number {
  const [, day] = /^memory\/(\d{4}-\d{2}-\d{2})\.md$/.exec(path) ?? []
  const noon = Date.parse(`${day}T12:00`)
  return Number.isNaN(noon) || Math.abs(savedAt - noon) <= halfDayMs ? savedAt : noon
}
