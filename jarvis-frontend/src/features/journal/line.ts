import type { JournalEntry, Tier } from 'protocol'
import { argumentText } from '../../lib/argument-text.ts'
import { capital, duration } from '../../lib/format.ts'
import { changeOf, objectOf } from './change-line.ts'

/** A journal entry as a line. Its strings come from other people, so they are drawn as plain text. */
export type JournalLine = {
  tier?: Tier
  word: string
  by: string
  /** The tool of the entry, or the object of a change. */
  call: string
  args: string
  outcome: string
  end?: 'failed' | 'unknown'
}

export type Body = Record<string, unknown>

const words: Record<string, string> = {
  call: 'Call',
  result: 'Result',
  refusal: 'Refused',
  execution: 'Runs',
  decision: 'Decision',
  grant: 'Grant',
  session: 'Session',
  sign_in: 'Sign-in',
  signer: 'Signing key',
  person: 'Person',
  access_refused: 'Not allowed',
  token: 'Token',
  policy: 'Policy',
  memory: 'Memory',
  terminal: 'Terminal',
  setup: 'Setup',
  mcp_server: 'MCP',
  settings: 'Settings',
  change: 'Change',
  feedback: 'Feedback',
  prune: 'Sealed',
}
export const kinds: readonly (readonly [kind: string, word: string])[] = Object.entries(words)

export const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
export const spoken = (value: unknown) => text(value).replaceAll('_', ' ')
const isTier = (value: unknown): value is Tier => ['green', 'yellow', 'red', 'black'].includes(text(value))

/** Returns the line of an entry. A body that cannot be parsed is shown unchanged. @param nameOf a person's name by id */
export function lineOf({ kind, body }: JournalEntry, nameOf = (id: string) => id): JournalLine {
  const word = words[kind] ?? capital(kind)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { word, by: '', call: 'unreadable', args: text(body), outcome: '', end: 'failed' }
  const known = body as Body
  const tier = isTier(known.tier) ? { tier: known.tier } : {}
  const base = { ...tier, word, by: actorOf(known, nameOf), call: text(known.toolName), args: argsOf(known) }
  switch (kind) {
    case 'call':
    case 'result': {
      const outcome = text(known.outcome)
      const took = typeof known.durationMs === 'number' ? ` after ${duration(known.durationMs)}` : ''
      const said = text(known.summary) || (outcome === '' ? 'waits for a decision' : `${outcome}${took}`)
      const isBad = outcome === 'failed' || outcome === 'unknown'
      return { ...base, outcome: said, ...(isBad && { end: outcome }) }
    }
    case 'refusal':
      return {
        ...base,
        outcome: known.rule === 'not_run' ? 'nothing was run' : `nothing was run: ${spoken(known.rule) || 'refused'}`,
      }
    case 'execution':
      return { ...base, outcome: allowedBy(text(known.grantId), nameOf(text(known.by))) }
    case 'decision':
      if (known.decision === 'expired') return { ...base, by: '', outcome: 'nobody decided in time' }
      return {
        ...base,
        by: nameOf(text(known.by)),
        outcome: [text(known.decision) + signedWords(known), text(known.note)].filter((part) => part !== '').join(': '),
      }
    case 'grant':
      if (known.change === 'denial_taken_back')
        return { ...base, outcome: 'denial taken back: asked again from now on' }
      return {
        ...base,
        ...(known.scope !== undefined && { args: text(objectIn(known.scope).words) }),
        outcome: `${spoken(known.change)}, ${text(known.usesLeft ?? known.uses) || '0'} left`,
      }
    case 'change':
      return {
        ...base,
        by: known.by === 'jarvis' ? 'JARVIS' : text(known.change).endsWith('undone') ? '' : nameOf(text(known.by)),
        outcome: changeOf(known),
        ...(text(known.change).startsWith('not_') && { end: 'failed' }),
      }
    case 'sign_in':
      return { ...base, args: '', outcome: `${spoken(known.what)} from ${text(known.address)}` }
    case 'prune':
      return { ...base, outcome: `${text(known.firstSeq)} to ${text(known.lastSeq)} moved into a file` }
    default:
      return { ...base, outcome: changeOf(known) }
  }
}

export const objectIn = (value: unknown): Body => (typeof value === 'object' && value !== null ? (value as Body) : {})

const signedWords = ({ receipt }: Body) => (receipt === undefined ? '' : ', signed')

/** Returns who asked for a call, or made a change. */
export function actorOf({ by, requestedBy }: Body, nameOf: (id: string) => string): string {
  const asker = requestedBy as { kind?: unknown; name?: unknown; token?: unknown } | undefined
  if (asker === undefined || asker === null) return nameOf(text(by))
  const name = text(asker.name)
  if (asker.kind === 'mcp') return `MCP ${text(asker.token) || name}`
  return asker.kind === 'chat' ? name.slice(name.indexOf('/') + 1) : name
}

/** Returns the arguments of a call, or its target without them. A guest's number is followed by its name at that time. */
function argsOf({ toolInput, target, ...body }: Body): string {
  const { id, kind, name } = objectIn(target)
  const guest = kind === 'guest' && text(name) !== '' ? ` (${text(name)})` : ''
  if (typeof toolInput === 'object' && toolInput !== null) return argumentText(toolInput as Body) + guest
  if (typeof target === 'string') return target
  return text(id) === '' ? (text(body.toolUseId) === '' ? objectOf(body) : '') : text(id) + guest
}

/** Says which grant or plan allowed a call to run: `runs under a grant of mira`. */
function allowedBy(grantId: string, by: string): string {
  if (grantId === '') return 'runs now'
  return grantId.startsWith('plan:') ? `runs as ${by} approved it with its plan` : `runs under a grant of ${by}`
}
