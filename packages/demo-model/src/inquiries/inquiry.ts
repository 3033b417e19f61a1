import type { PlannedCall } from '../questions.ts'
import type { Outcome, Seen } from '../seen.ts'

/** Calls that must be made before there is a finding. */
export type Reads = { reads: PlannedCall[] }
/** A finding, and the one change that would help. */
export type Finding = { say: string; act?: PlannedCall | undefined }

/**
 * A question that takes several steps. `find` and `check` are pure functions of the results, so the same conversation gets the same answer, also
 * after a restart.
 */
export type Inquiry = {
  /** @param seen results of reads before any change */
  find(seen: Seen): Reads | Finding
  /** Reports the outcome of the change, after reads that show if it helped. */
  check?(seen: Seen, act: Outcome): Reads | Finding
}

/** Returns the calls that have no outcome in turn `round` or later. */
export const unread = (seen: Seen, calls: readonly PlannedCall[], round?: number): PlannedCall[] =>
  calls.filter((call) => seen.of(call, round) === undefined)

/** Tells why a change was not made; undefined: it was made. @param who the target's name */
export function notDone({ text, isError }: Outcome, who: string): string | undefined {
  if (!isError) return undefined
  const note = /Note: (.*?) Nothing was run\./s.exec(text)?.[1]
  if (/^The operator denied this/.test(text))
    return `As you wish, I leave ${who} as it is${note === undefined ? '' : `: “${note}”`}. Nothing was run.`
  if (/^Denied by /.test(text))
    return `You denied that for ${who} a while ago, so I was not to ask again. Nothing was run.`
  if (/^Nobody decided in time/.test(text))
    return `Nobody decided about ${who} in time, so the card expired. Nothing was run.`
  if (/^It was withdrawn/.test(text)) return `The card for ${who} was withdrawn. Nothing was run.`
  return `With ${who} that did not work. ${text}`
}

export const read = (toolName: string, toolInput: Record<string, unknown> = {}): PlannedCall => ({
  toolName,
  toolInput,
})
export const ssh = (node: string, command: string): PlannedCall => read('execute_ssh', { node, command })

/** Returns true if a tool is offered at all. */
export const isOffered = (seen: Seen, toolName: string): boolean => seen.of(read(toolName))?.isOff !== true

/** Names the reads that failed, in one sentence; empty if none failed. */
export function gaps(seen: Seen, calls: readonly PlannedCall[]): string {
  const failed = calls.flatMap((call) => {
    const outcome = seen.of(call)
    return outcome?.isError ? [`${call.toolName} (${firstSentence(outcome.text)})`] : []
  })
  return failed.length === 0 ? '' : `I could not look at everything: ${failed.join('; ')}.`
}

const firstSentence = (text: string) => (/^[^\n]*?\.(?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 160)).replace(/\.$/, '')
