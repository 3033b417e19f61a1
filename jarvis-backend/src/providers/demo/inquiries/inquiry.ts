import type { PlannedCall } from '../questions.ts'
import type { Outcome, Seen } from '../seen.ts'

/** Calls whose outcomes are needed before anything can be said. */
export type Reads = { reads: PlannedCall[] }
/** What was found, and the one change that would help. */
export type Finding = { say: string; act?: PlannedCall | undefined }

/**
 * A question that takes several looks. Both steps are pure: what they say stands in the results they are given, so the
 * same conversation gives the same answer, also after a restart.
 */
export type Inquiry = {
  /** @param seen what was read before anything was changed */
  find(seen: Seen): Reads | Finding
  /** What came of the change, with a look whether it helped. */
  check?(seen: Seen, act: Outcome): Reads | Finding
}

/** The calls of these that have no outcome from `round` on. */
export const unread = (seen: Seen, calls: readonly PlannedCall[], round?: number): PlannedCall[] =>
  calls.filter((call) => seen.of(call, round) === undefined)

/** Why nothing was changed; undefined where it was, as wanted. @param who what was to be changed */
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

/** What could not be looked at, in one sentence; empty where all was. */
export function gaps(seen: Seen, calls: readonly PlannedCall[]): string {
  const failed = calls.flatMap((call) => {
    const outcome = seen.of(call)
    return outcome?.isError ? [`${call.toolName} (${firstSentence(outcome.text)})`] : []
  })
  return failed.length === 0 ? '' : `I could not look at everything: ${failed.join('; ')}.`
}

const firstSentence = (text: string) => (/^[^\n]*?\.(?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 160)).replace(/\.$/, '')
