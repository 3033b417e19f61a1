import type { Change } from './changes.ts'
import type { Level } from './level.ts'
import type { Way } from './rehearse.ts'
import type { Why } from './run.ts'

/**
 * One command of a session, from its start on. `folder`: as `ROOT/PATH`. `egress`: places that it might reach. Its text and its lines are
 * redacted.
 */
export type Command = {
  id: string
  sessionId: string
  /** The call that began it. */
  toolUseId?: string | undefined
  command: string
  folder: string
  egress: string[]
  isBackground: boolean
  level: Level
  /** Unix ms. */
  startedAt: number
  state: { kind: 'running' } | EndedCommand
}

/**
 * `why`: `jarvis`: it ended with JARVIS, and its effect is not known. `changes`: paths relative to the folder. `refused`: why none of them may
 * be applied. `asked`: places that it asked for in vain. `applied`: by this call, Unix ms.
 */
export type EndedCommand = {
  kind: 'ended'
  endedAt: number
  exitCode: number
  why: Why | 'jarvis'
  lastLines: string[]
  changes: Change[]
  refused: string[]
  asked: string[]
  way: Way
}

export interface CommandRecords {
  get(id: string): Command | undefined
  /** Keeps it on disk before it returns. */
  put(command: Command): void
  /** The session's commands, the oldest first. */
  of(sessionId: string): Command[]
  /** All that were still running when they were put last. */
  running(): Command[]
  forget(sessionId: string): void
}

/** How a command ended, in a few words. */
export function endWords({ why, exitCode }: Pick<EndedCommand, 'why' | 'exitCode'>): string {
  const words: Record<EndedCommand['why'], string> = {
    itself: `exit code ${exitCode}`,
    time: 'ended because its time was over',
    memory: 'ended because it took more than 1 GB of memory',
    processes: 'ended because it started more than 160 processes',
    disk: 'ended because the disk is almost full',
    layer: 'ended because it wrote more than 1 GB, 40,000 files or 100 folders in each other',
    stopped: 'stopped',
    jarvis: 'ended with JARVIS',
  }
  return words[why]
}
