import { CommandsReply, JarvisError } from 'protocol'
import { type Command, endWords } from '../workbench/sandbox/command.ts'
import { type Commands, longestMs } from '../workbench/sandbox/commands.ts'
import { type Route, route } from './route.ts'

const linesShown = 6

/** `/api/sessions/:id/commands`: the commands that ran in the sandbox for a session. */
export const commandRoutes = (commands: Commands): Route[] => [
  route('/sessions/:id/commands').get(
    'The commands that ran or run in the sandbox for this session, the oldest first.',
    { role: 'viewer', forMembers: true, token: 'read', reply: CommandsReply },
    ({ params }) => {
      commands.looked(params.id)
      return { items: commands.of(params.id).map((command) => rowOf(command, commands)), now: Date.now() }
    },
  ),
  route('/sessions/:id/commands/:commandId/stop').post(
    'Ends a command with all that it started.',
    { role: 'member', session: 'talk' },
    ({ params }) => {
      const command = commands.get(params.commandId)
      if (command?.sessionId !== params.id)
        throw new JarvisError('not_found', 'There is no such command in this session.')
      if (!commands.stop(command.id)) throw new JarvisError('conflict', 'The command has ended already.')
    },
  ),
]

function rowOf({ state, ...command }: Command, commands: Commands): CommandsReply['items'][number] {
  const { id, toolUseId, folder, isBackground, level, startedAt } = command
  const endsBy = startedAt + (isBackground ? longestMs.background : longestMs.foreground)
  const asked = toolUseId === undefined ? {} : { toolUseId }
  const row = { id, ...asked, command: command.command, folder, isBackground, level, startedAt, endsBy }
  if (state.kind === 'running') return { ...row, status: 'running', lastLines: commands.lastLines(id, linesShown) }
  const { endedAt, exitCode, lastLines, changes } = state
  return {
    ...row,
    status: 'ended',
    endedAt,
    exitCode,
    words: endWords(state),
    lastLines: lastLines.slice(-linesShown),
    changes: changes.length,
  }
}
