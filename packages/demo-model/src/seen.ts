import type { PlannedCall } from './questions.ts'
import type { Message } from './request.ts'

/**
 * A call of this answer and its outcome. `round`: the model turn that made it, from 0. `isOff`: the call was not made, because the tool is not
 * offered.
 */
export type Outcome = PlannedCall & { text: string; isError: boolean; round: number; isOff?: true }

/** The outcomes of this answer's calls so far. */
export type Seen = {
  all: readonly Outcome[]
  /** Returns the first outcome of exactly this call in turn `round` or later. */
  of(call: PlannedCall, round?: number): Outcome | undefined
  /** Returns the outcome's text; undefined if the call was not made, was refused, or failed. */
  text(call: PlannedCall, round?: number): string | undefined
}

const isSame = (a: PlannedCall, b: PlannedCall) =>
  a.toolName === b.toolName && JSON.stringify(a.toolInput) === JSON.stringify(b.toolInput)

/** @param turn the messages after the user's last message */
export function seenIn(turn: readonly Message[]): Seen {
  const all: Outcome[] = []
  let round = -1
  let calls: (PlannedCall & { toolUseId: string })[] = []
  for (const message of turn) {
    if (message.role === 'assistant') {
      round += 1
      calls = message.content.flatMap((piece) => (piece.type === 'tool_call' ? [piece] : []))
      continue
    }
    for (const { toolUseId, toolName, text, isError } of message.results) {
      const toolInput = calls.find((call) => call.toolUseId === toolUseId)?.toolInput ?? {}
      all.push({ toolName, toolInput, text, isError, round })
    }
  }
  const of = (call: PlannedCall, from = 0) => all.find((outcome) => outcome.round >= from && isSame(outcome, call))
  return {
    all,
    of,
    text(call, from) {
      const outcome = of(call, from)
      return outcome === undefined || outcome.isError ? undefined : outcome.text
    },
  }
}
