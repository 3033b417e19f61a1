import { FilesData, JarvisError } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake, pathEffect } from '../../gate/index.ts'
import { type Command, endWords } from '../../workbench/sandbox/command.ts'
import {
  type CommandPorts,
  changesWords,
  commandTool,
  ofSession,
  readsSandbox,
  writtenInSession,
} from './command-ports.ts'
import { keptOf } from './file-tool.ts'

/** The paths of the changed files as `ROOT/PATH`, with the command's folder before each path. */
const pathsOf = ({ folder, state }: Command) =>
  state.kind === 'running' ? [] : state.changes.map(({ path }) => `${folder}/${path}`)

const chosen = 'The model chose this command: nobody named its id.'

/** @throws Mistake if the command left nothing that may be applied */
function mustBeWhole(command: Command): void {
  const { id, state } = command
  if (state.kind === 'running') throw new Mistake(`command: ${id} still runs.`)
  if (state.changes.length === 0 || state.refused.length > 0)
    throw new Mistake(`command: ${id}: ${changesWords(state)}.`)
}

export const applyChanges = commandTool({
  name: 'apply_changes',
  title: 'Apply what a command would change',
  description:
    'Writes the files that a command changed on its view, exactly as it left them; the command does not run again. A person sees the difference first, unless the folder is the conversation’s own.',
  tier: 'yellow',
  touches: [
    { kind: 'data', on: 'path' },
    { kind: 'read', on: 'sandbox' },
  ],
  effects({ command: id }, world, ports?: CommandPorts) {
    const command = ports?.commands.get(id)
    if (command === undefined) throw new Mistake(`command: there is no command ${quoted(id, 40)}.`)
    mustBeWhole(command)
    const paths = pathsOf(command)
    const files = paths.length === 1 ? 'One file' : `${paths.length} files`
    const sentence = `${files} of ${quoted(command.folder, 200)} ${paths.length === 1 ? 'becomes' : 'become'} what the command left on its view.`
    const changed = paths.map((path, index) =>
      pathEffect(
        {
          kind: 'data',
          path,
          isShownWhole: true,
          refers: { argument: 'command', because: chosen },
          ...(index === 0 && { sentence, deed: `apply ${paths.length === 1 ? 'one file' : `${paths.length} files`}` }),
        },
        world,
      ),
    )
    return [...changed, ...readsSandbox()]
  },
  async prepare({ command: id }, { sessionId }, ports) {
    const command = ofSession(ports.commands, id, sessionId)
    mustBeWhole(command)
    if (command.state.kind === 'running') throw new Mistake(`command: ${id} still runs.`)
    const { hash, diff, moved, undo } = await ports.applicable(command)
    const { state } = command
    const changed =
      moved.length === 0
        ? ''
        : ` Since the command ran, something else changed ${moved
            .slice(0, 5)
            .map((path) => quoted(path, 120))
            .join(', ')}: what that wrote is lost.`
    return {
      now: `The command ${quoted(command.command, 300, '`')} ran once on a view of ${command.folder} (sandbox: ${command.level}): ${endWords(state)}${lastWords(state.lastLines)}.${askedWords(state.asked)}`,
      then: `${state.changes.length === 1 ? 'this file' : `these ${state.changes.length} files`}, as shown; nothing is run again.${changed}`,
      undo,
      basis: { files: hash },
      diff,
    }
  },
  ending: () => ({ applies: true }),
  // Time for five hundred files, each flushed twice, on a slow disk.
  timeoutMs: 300_000,
  input: z.strictObject({ command: z.string().max(64).describe('The command’s id, as run_command gives it.') }),
  output: FilesData.extend({ command: z.string(), files: z.int() }),
  view: 'files',
  async run({ command: id }, { sessionId, toolUseId, preview, signal }, ports) {
    const command = ofSession(ports.commands, id, sessionId)
    const hash = preview?.basis?.files
    if (hash === undefined || toolUseId === undefined)
      throw new JarvisError('conflict', 'What was to be applied is not known any more. Ask again.')
    const { done, already } = await ports.apply(command, hash, { toolUseId, signal })
    const files = done + already
    const words = files === 1 ? '1 file changed' : `${files} files changed`
    const text = `${files === 1 ? 'One file' : `${files} files`} of ${command.folder} now hold what ${id} left.`
    return {
      text,
      summary: words,
      data: { command: id, files, diff: keptOf(preview?.diff ?? []) },
      files: writtenInSession(command),
    }
  },
})

const lastWords = (lines: readonly string[]): string => {
  const last = lines.findLast((line) => line.trim() !== '')
  return last === undefined ? '' : `, last line ${quoted(last.trim(), 120)}`
}

const askedWords = (asked: readonly string[]) =>
  asked.length === 0
    ? ' It asked for no host.'
    : ` It asked in vain for ${asked
        .slice(0, 5)
        .map((place) => quoted(place, 80))
        .join(', ')}.`
