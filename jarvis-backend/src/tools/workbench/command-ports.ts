import type { CommandData, FileDiff } from 'protocol'
import { quoted } from 'redaction/visible'
import { type Effect, Mistake, sandboxTarget, sessionRoot } from '../../gate/index.ts'
import type { Named } from '../../workbench/files/named.ts'
import { type Command, endWords } from '../../workbench/sandbox/command.ts'
import type { Commands } from '../../workbench/sandbox/commands.ts'
import type { Sandbox } from '../../workbench/sandbox/level.ts'
import { toolOver, type Undo } from '../tool.ts'

/** The changes that would be applied now. `hash`: a hash of all changes. `moved`: paths that something else changed after the command ran. */
export type Applicable = { hash: string; diff: FileDiff[]; moved: string[]; undo: Undo }

export type CommandPorts = {
  commands: Commands
  sandbox: Sandbox
  /** The absolute path of `ROOT/PATH`. @throws JarvisError if there is no such root */
  folderOf(shown: string, sessionId: string): string
  /** The files of `ROOT/PATH` that a command names. In the conversation's own folder, also all other files. @throws JarvisError */
  named(shown: string, command: string, sessionId: string): Named
  /** Stores the bytes of a file, so that the rest of a shortened diff can be read later. */
  keep(bytes: Buffer): void
  /** @throws JarvisError `conflict`, `not_found` */
  applicable(command: Command): Promise<Applicable>
  /** Makes exactly the changes that have this hash, or finishes them. @throws JarvisError `conflict` if the changes are different now */
  apply(
    command: Command,
    hash: string,
    call: { toolUseId: string; signal: AbortSignal },
  ): Promise<{ done: number; already: number }>
}

export const commandTool = toolOver<CommandPorts>()

/** Returns the session's command with this id. @throws Mistake if the session has no such command */
export function ofSession(commands: Pick<Commands, 'get'>, id: string, sessionId: string | undefined): Command {
  const command = commands.get(id)
  if (command === undefined || command.sessionId !== sessionId)
    throw new Mistake(`command: there is no command ${quoted(id, 40)} in this conversation. list_commands names them.`)
  return command
}

export const readsSandbox = (): Effect[] => [{ kind: 'read', on: 'sandbox', target: sandboxTarget }]

/** The data from which the dashboard draws a command. */
export function dataOf({ id, command, state, ...facts }: Command, isApplied = false): CommandData {
  const { folder, level, isBackground, egress, startedAt } = facts
  const data = { command: id, text: command, folder, level, isBackground, egress, startedAt }
  if (state.kind === 'running') return { ...data, status: 'running' }
  const { endedAt, exitCode, changes, refused, asked } = state
  const files = isApplied ? appliedWords(changes.length) : changesWords(state)
  return {
    ...data,
    status: 'ended',
    endedAt,
    exitCode,
    words: endWords(state),
    changes: changes.length,
    files,
    isApplied,
    asked,
    mayApply: !isApplied && changes.length > 0 && refused.length === 0,
  }
}

/** The files that a command's changes write in its session's own folder, as paths in it; empty if it worked in another root. */
export function writtenInSession({ folder, state }: Pick<Command, 'folder' | 'state'>): string[] {
  const [root, ...below] = folder.split('/')
  if (state.kind === 'running' || root !== sessionRoot) return []
  return state.changes.flatMap(({ path, new: made }) => (made.kind === 'file' ? [...below, path].join('/') : []))
}

export const appliedWords = (count: number) => `changed ${count === 1 ? '1 file' : `${count} files`}`

/** One line about a command, for the model. */
export function lineOf({ id, command, folder, state, startedAt }: Command, now: number): string {
  const text = quoted(command, 120, '`')
  if (state.kind === 'running')
    return `${id}: ${text} in ${folder}, running for ${Math.round((now - startedAt) / 1000)} s.`
  return `${id}: ${text} in ${folder}, ${endWords(state)}, ${changesWords(state)}.`
}

export function changesWords({ changes, refused, why }: Extract<Command['state'], { kind: 'ended' }>): string {
  if (why === 'jarvis') return 'what it would have changed is not known'
  const files = changes.length === 1 ? '1 file' : `${changes.length} files`
  if (refused.length > 0) return `nothing of it may be applied: ${refused.join(' ')}`
  return changes.length === 0 ? 'changed no file' : `would change ${files}`
}
