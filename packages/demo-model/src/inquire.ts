import type { Inquiry } from './inquiries/inquiry.ts'
import type { PlannedCall } from './questions.ts'
import type { Outcome, Seen } from './seen.ts'

export type Reply = { text: string; calls: PlannedCall[] }

/**
 * Returns the next turn of an answer that takes several steps: read the missing facts, report the findings with changes that would help, then check
 * if the changes helped.
 * @param mayCall returns true if a tool may be used now; a call of another tool counts as a failed read
 * @param isOffered returns true if a tool is offered at all
 */
export function replyOf(
  inquiries: readonly Inquiry[],
  results: Seen,
  { mayCall, isOffered }: { mayCall(toolName: string): boolean; isOffered(toolName: string): boolean },
): Reply {
  const seen = withRefused(results, mayCall, isOffered)
  const found = inquiries.map((inquiry) => ({ inquiry, step: inquiry.find(seen) }))
  const missing = found.flatMap(({ step }) => ('reads' in step ? step.reads : []))
  if (missing.length > 0) return { text: '', calls: distinct(missing) }

  const findings = found.flatMap(({ inquiry, step }) => ('say' in step ? [{ inquiry, ...step }] : []))
  const acts = distinct(findings.flatMap(({ act }) => act ?? []))
  const outcomes = findings.flatMap(({ inquiry, act }) => {
    const outcome = act === undefined ? undefined : results.of(act)
    return outcome === undefined ? [] : [{ inquiry, outcome }]
  })
  if (outcomes.length === 0) {
    const possible = acts.filter(({ toolName }) => mayCall(toolName))
    const refused = acts
      .filter((act) => !possible.includes(act))
      .map(({ toolName }) => `I may not use ${toolName} now.`)
    return { text: [...findings.map(({ say }) => say), ...refused].join('\n\n'), calls: possible }
  }
  const checks = outcomes.map(({ inquiry, outcome }) => inquiry.check?.(seen, outcome) ?? { say: outcome.text })
  const unlooked = checks.flatMap((check) => ('reads' in check ? check.reads : []))
  if (unlooked.length > 0) return { text: '', calls: distinct(unlooked) }
  return { text: checks.flatMap((check) => ('say' in check ? [check.say] : [])).join('\n\n'), calls: [] }
}

function withRefused(seen: Seen, mayCall: (name: string) => boolean, isOffered: (name: string) => boolean): Seen {
  const of: Seen['of'] = (call, round) =>
    seen.of(call, round) ?? (mayCall(call.toolName) ? undefined : refused(call, !isOffered(call.toolName)))
  return { ...seen, of }
}

const refused = (call: PlannedCall, isOff: boolean): Outcome => ({
  ...call,
  text: 'I may not use it now.',
  isError: true,
  round: 0,
  ...(isOff && { isOff }),
})

const distinct = (calls: readonly PlannedCall[]): PlannedCall[] => [
  ...new Map(calls.map((call) => [JSON.stringify(call), call])).values(),
]
