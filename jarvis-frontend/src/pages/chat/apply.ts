import type { Entry } from 'protocol'

type Call = Extract<Entry, { type: 'confirm_needed' | 'tool_use' | 'blocked' }>
const isCall = (entry: Entry): entry is Call =>
  entry.type === 'confirm_needed' || entry.type === 'tool_use' || entry.type === 'blocked'

/**
 * Whether a person may be offered to apply what a command would change: its run is over, and no call applies it, has applied it, or was
 * refused. A call that was denied, ran out or failed leaves the offer. @param runId the run in which the command ran
 * @returns undefined where nothing is offered; `asked`: how many calls asked for it before
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

/** True if the entry says that nothing came of the call. */
const isInVain = (entry: Entry, id: string): boolean =>
  (entry.type === 'confirm_resolved' &&
    entry.toolUseId === id &&
    entry.decision !== 'approved' &&
    entry.replacedBy === undefined) ||
  (entry.type === 'tool_result' && entry.toolUseId === id && entry.isError && entry.isUnknown !== true)
