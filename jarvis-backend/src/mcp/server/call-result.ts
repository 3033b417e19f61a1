import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallOutcome } from '../../agent/calls.ts'
import { getConfirmation } from './tool-list.ts'

/** The outcome of a call as the result of `tools/call`. */
export function toResult(outcome: CallOutcome): CallToolResult {
  switch (outcome.type) {
    case 'tool_result':
      return {
        content: [{ type: 'text', text: outcome.result }],
        ...(isRecord(outcome.data) && { structuredContent: outcome.data }),
        isError: outcome.isError,
      }
    case 'blocked':
      return failure(`Refused: ${outcome.reason} Nothing was run.`)
    case 'confirm_resolved':
      return failure(
        `${unapproved(outcome.decision)}${outcome.note === undefined ? '' : ` Note: ${outcome.note}`} Nothing was run.`,
      )
    default:
      return outcome satisfies never
  }
}

/** `id`: the id of the call. `expiresAt`: when its card expires, Unix ms. */
type WaitingCall = {
  name: string
  id: string
  expiresAt: number
  /** True if a rule raised the tier of a read. The output schema of a read has no waiting state, so the result is then an error. */
  isReading: boolean
  /** A sentence put before the result's text: why the client gets a result before a person has decided. May be empty. */
  why: string
}

/** The result for a call that waits for a person. */
export function stillWaiting({ name, id, expiresAt, isReading, why }: WaitingCall): CallToolResult {
  const text = `${why}${name} waits for the operator, who sees it in the JARVIS dashboard. Nothing has run yet. Ask ${getConfirmation.name} with {"id": "${id}"} what became of it; do not call ${name} again.`
  const content = [{ type: 'text' as const, text }]
  return isReading
    ? { content, isError: true }
    : { content, structuredContent: { state: 'waiting', id, expiresAt }, isError: false }
}

export const failure = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

const unapproved = (decision: string) =>
  decision === 'denied'
    ? 'The operator denied this.'
    : decision === 'expired'
      ? 'Nobody decided in time.'
      : 'It was withdrawn.'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
