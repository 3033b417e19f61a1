import type { Card, Content, Entry } from 'protocol'
import { effectOf } from './effects.ts'
import { lab } from './lab.ts'

const minute = 60_000
export const usage = { inputTokens: 14_200, outputTokens: 900, cacheReadTokens: 11_800, cacheWriteTokens: 0 }
const model = 'anthropic/claude-sonnet-4'

/** Makes a card about a guest of the lab. @param change fields that differ from the default */
export function card(
  { toolUseId, toolName, vmid }: { toolUseId: string; toolName: string; vmid: number },
  now: number,
  change: Partial<Card> = {},
): Card {
  const guest = lab(now).guests.find((known) => known.vmid === vmid)
  return {
    toolUseId,
    toolName,
    toolInput: { vmid },
    tier: 'red',
    reason: 'It interrupts a running guest.',
    rule: 'base',
    target: {
      kind: 'guest',
      id: `${guest?.type ?? 'vm'}/${vmid}`,
      ...(guest !== undefined && { name: guest.name, node: guest.node, type: guest.type, status: guest.status }),
      vmid,
    },
    now: 'running for 8 d 4 h, CPU 97 %',
    then: 'running → off 1 min → running, clean reboot',
    affects: 'Nothing else found (disks, HA, tasks checked)',
    ...effectOf(toolName, change.toolInput ?? {}),
    requestedBy: { kind: 'chat', name: model },
    createdAt: now - 2 * minute,
    expiresAt: now + 12 * minute + 41_000,
    ...change,
  }
}

type Loose<E> = E extends Entry ? Omit<E, 'seq' | 'runId' | 'at'> & { at?: number; runId?: string } : never

/** An entry as a scene writes it. `entriesOf` adds its seq, and its run and time if they are missing. */
export type LooseEntry = Loose<Entry>

/** Numbers entries, and puts entries without a run into `run_1`. */
export function entriesOf(list: readonly LooseEntry[], startedAt: number): Entry[] {
  return list.map((entry, seq) => ({ runId: 'run_1', at: startedAt + seq * 1_000, ...entry, seq }) as Entry)
}

export const user = (text: string, messageId = 'msg_1'): LooseEntry => ({
  type: 'user',
  messageId,
  text,
  by: 'operator',
})
export const assistant = (...content: Content[]): LooseEntry => ({
  type: 'assistant',
  model,
  content,
  usage,
  stopReason: 'tool_use',
})
export const text = (words: string): Content => ({ type: 'text', text: words })
type Call = Extract<Content, { type: 'tool_call' }>
export const call = (toolUseId: string, toolName: string, toolInput: Record<string, unknown> = {}): Call => ({
  type: 'tool_call',
  toolUseId,
  toolName,
  toolInput,
})
export const needed = (made: Card): LooseEntry => ({ type: 'confirm_needed', ...made })

export type Tier = 'green' | 'yellow' | 'red'
/** The entries of a call that ran. `result`: the summary if undefined. */
export const ran = (
  { toolUseId, toolName, toolInput }: Call,
  tier: Tier,
  {
    summary,
    durationMs,
    isError = false,
    result = summary,
  }: { summary: string; durationMs: number; isError?: boolean; result?: string },
): LooseEntry[] => [
  { type: 'tool_use', toolUseId, toolName, toolInput, tier },
  { type: 'tool_result', toolUseId, result, isError, summary, durationMs },
]

/** The entries of a call that ran when the server died. The cluster did not report its outcome. */
export const lost = ({ toolUseId, toolName, toolInput }: Call, tier: Tier, observed: string): LooseEntry[] => [
  { type: 'tool_use', toolUseId, toolName, toolInput, tier },
  {
    type: 'tool_result',
    toolUseId,
    result: `JARVIS was restarted while this ran. ${observed}`,
    isError: true,
    summary: `I do not know whether this ran. ${observed}`,
    durationMs: 0,
    isUnknown: true,
  },
]
