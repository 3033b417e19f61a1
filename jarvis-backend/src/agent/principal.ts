import { firstOwnerId, mainAgentId, type Principal, personFor } from 'protocol'
import type { Origin } from './origin.ts'

/** What follows from who asks. */
export type Rights = {
  /** A model makes the calls. Otherwise whoever asks names the one call. */
  hasModel: boolean
  /** Whether tools of attached servers may be called: JARVIS lends no client its way to other servers. */
  mayUseAttached: boolean
  /** What is handed over is not the operator's own, and whoever asks has read only the results of its own calls. */
  isForeign: boolean
  /** How long a denied call is refused rather than asked for again, ms; undefined: as long as its run goes on. */
  deniedForMs: number | undefined
  /** A denial holds for the token, in whatever session it asks; otherwise for the session. */
  isDeniedByToken?: true
  /** A grant serves all of this kind (and of one token), not only the same name. */
  sharesGrants: boolean
  /** A card of it can make a grant. */
  mayBeGranted: boolean
  /** An operator is there to be asked a question. */
  hasOperator: boolean
  /** Most cards of one token that wait at a time; undefined: counted elsewhere, or not at all. */
  mostCards?: number
}

const strict: Rights = {
  hasModel: false,
  mayUseAttached: false,
  isForeign: true,
  deniedForMs: 10 * 60_000,
  sharesGrants: false,
  mayBeGranted: true,
  hasOperator: false,
}
const operators: Rights = {
  hasModel: false,
  mayUseAttached: true,
  isForeign: false,
  deniedForMs: undefined,
  sharesGrants: true,
  mayBeGranted: true,
  hasOperator: false,
}

/** All kinds of principals. Nothing else in the way of a call knows them: another kind is another row. */
const kinds = new Map<string, Rights>([
  ['chat', { ...operators, hasModel: true, hasOperator: true }],
  ['command', { ...operators, hasOperator: true }],
  // Its calls were judged as if whoever asked for the plan made them, before the plan began. A plan gives no grants: another
  // one would use them.
  ['plan', { ...operators, mayBeGranted: false }],
  ['client_plan', { ...strict, mayBeGranted: false }],
  // A client can give itself any name, so its grants follow its token.
  ['mcp', { ...strict, sharesGrants: true }],
  // A model works for whoever holds the token, so what it asks for is that program's, and a program may ask without end.
  ['v1', { ...strict, hasModel: true, mayBeGranted: false, mostCards: 5, isDeniedByToken: true }],
  // A grant names its job, so it serves no other job and no chat.
  ['job', { ...operators, hasModel: true }],
])

/** An unknown kind, as in a row that another release stored, has the strictest rights. */
export function rightsOf({ kind, token }: Pick<Principal, 'kind' | 'token'>): Rights {
  const rights = kinds.get(kind) ?? strict
  // What a client asked for reaches no further than the client.
  return (kind === 'job' || kind === 'plan') && token !== undefined ? { ...rights, mayUseAttached: false } : rights
}

/** Stands among those who caused a call for whoever wrote its text where JARVIS did not see it. No person has this id. */
export const unknownWriter = 'unknown'

/** The same with further people who caused what it asks for. Who asks in their own name is none of them. */
export function withCauses<P extends Pick<Principal, 'person' | 'causedBy'>>(
  principal: P,
  others: readonly (string | undefined)[],
): P {
  const { person = firstOwnerId, causedBy = [] } = principal
  const all = new Set([...causedBy, ...others].filter((id) => id !== undefined && id !== person))
  return all.size === 0 ? principal : { ...principal, causedBy: [...all] as string[] }
}

/** The kind of principal that makes the calls of a plan which `asker` asked for. */
export const planKindOf = (asker: Pick<Principal, 'kind' | 'token'>): string =>
  rightsOf(asker).isForeign ? 'client_plan' : 'plan'

/**
 * Who asks for the calls of a run, as cards, grants, the journal and clients have it.
 * @param modelId of the model that answers a chat
 * @param agent in whose name the run acts
 */
export function principalOf(origin: Origin, modelId: string, agent: string = mainAgentId): Principal {
  const asker = askerOf(origin, modelId)
  return agent === mainAgentId ? asker : { ...asker, agent }
}

function askerOf(origin: Origin, modelId: string): Principal {
  const { kind } = origin
  if (kind === 'job') {
    const { name, jobId: job, token, person, causedBy } = origin
    const who = { ...(token !== undefined && { token }), ...(person !== undefined && { person }) }
    return { kind, name, job, ...who, ...(causedBy && { causedBy: [...causedBy] }) }
  }
  if (kind === 'plan') {
    const { asker } = origin
    return {
      kind: planKindOf(asker),
      name: origin.by,
      ...(asker.token !== undefined && { token: asker.token }),
      person: asker.person,
      causedBy: asker.causedBy,
    }
  }
  if (kind === 'child') {
    const { asker } = origin
    const { agent: _, ...who } = asker
    // A model leads it, whoever asked for the work.
    const name = asker.kind === 'v1' ? asker.name : modelId
    return { ...who, kind: asker.kind === 'command' ? 'chat' : asker.kind, name, for: origin.for }
  }
  if (kind === 'chat') return { kind, name: modelId, ...personFor(origin.by) }
  if (kind === 'command') return { kind, name: origin.by, ...personFor(origin.by) }
  const { person, token } = origin
  const name = kind === 'v1' ? origin.by : origin.client
  return { kind, name, ...(token !== undefined && { token }), person }
}
