import type { Change } from 'sandbox/changes'
import type { Way } from 'sandbox/rehearse'
import type { Why } from 'sandbox/run'
import type { Level } from './level.ts'

/**
 * One command of a session, from its start on. `folder`: as `ROOT/PATH`. `egress`: places that it may reach. Its text and its output lines are
 * redacted.
 */
export type Command = {
  id: string
  sessionId: string
  /** The tool call that began the command. */
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
 * The end of a command. `why` is `jarvis` if the command ended together with JARVIS; its effect is then not known. `changes`: paths relative to the
 * folder. `refused`: the reasons why none of the changes may be applied. `asked`: places that it tried to reach and that were refused. `applied`:
 * the call that applied the changes, and its time, Unix ms.
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
  /** Stores the command. It is on disk when the method returns. */
  put(command: Command): void
  /** The session's commands, the oldest first. */
  of(sessionId: string): Command[]
  /** All commands that were running when they were last stored. */
  running(): Command[]
  forget(sessionId: string): void
}

/** A few words about how a command ended. */
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
