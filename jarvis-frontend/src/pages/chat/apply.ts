import type { Entry } from 'protocol'

type Call = Extract<Entry, { type: 'confirm_needed' | 'tool_use' | 'blocked' }>
const isCall = (entry: Entry): entry is Call =>
  entry.type === 'confirm_needed' || entry.type === 'tool_use' || entry.type === 'blocked'

/**
 * Decides if a person is offered to apply the file changes of a command. The command's run must have ended, and no call may be applying them, have
 * applied them or have been refused. A call that was denied, expired or failed does not prevent the offer. @param runId the command's run
 * @returns undefined: no offer; `asked`: number of earlier calls that tried to apply them
 */
export function offerOf(entries: readonly Entry[], command: string, runId: string): { asked: number } | undefined {
  if (!entries.some((entry) => entry.runId === runId && (entry.type === 'done' || entry.type === 'error')))
    return undefined
  const calls = entries.filter(
    (entry): entry is Call =>
      isCall(entry) && entry.toolName === 'apply_changes' && entry.toolInput.command === command,
  )
  const ids = new Set(calls.map(({ toolUseId }) => toolUseId))
  return [...ids].every((id) => entries.some((entry) => isInVain(entry, id))) ? { asked: ids.size } : undefined
}

/** True if the entry says that the call was denied, expired or failed. */
const isInVain = (entry: Entry, id: string): boolean =>
  (entry.type === 'confirm_resolved' &&
    entry.toolUseId === id &&
    entry.decision !== 'approved' &&
    entry.replacedBy === undefined) ||
  (entry.type === 'tool_result' && entry.toolUseId === id && entry.isError && entry.isUnknown !== true)
