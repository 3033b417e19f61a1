import { firstOwnerId, mainAgentId, type Principal, personFor } from 'protocol'
import type { Origin } from './origin.ts'

/** The rights of a kind of principal. */
export type Rights = {
  /** A model makes the calls. Otherwise the principal names the one call. */
  hasModel: boolean
  /** Tools of attached servers may be called. JARVIS lends no client its way to other servers. */
  mayUseAttached: boolean
  /** The arguments are not the operator's own, and the principal has read only the results of its own calls. */
  isForeign: boolean
  /** How long a denied call is refused without a new card, ms; undefined: as long as its run goes on. */
  deniedForMs: number | undefined
  /** A denial holds for the token in all sessions; otherwise for the session alone. */
  isDeniedByToken?: true
  /** A grant serves all principals of this kind (and of one token), not only those of the same name. */
  sharesGrants: boolean
  /** Its cards can make grants. */
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

/** All kinds of principals. A new kind is a new row: nothing else on the way of a call knows the kinds. */
const kinds = new Map<string, Rights>([
  ['chat', { ...operators, hasModel: true, hasOperator: true }],
  ['command', { ...operators, hasOperator: true }],
  // Its calls were judged before the plan began, as calls of whoever asked for it. A plan gives no grants: another plan
  // would use them.
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
  // A job or a plan that a client asked for reaches no further than the client.
  return (kind === 'job' || kind === 'plan') && token !== undefined ? { ...rights, mayUseAttached: false } : rights
}

/** Stands in `causedBy` for an unknown writer of a call's text. No person has this id. */
export const unknownWriter = 'unknown'

/** The principal with further people who caused the call. The principal's own person is left out. */
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
 * The principal that makes a run's calls, for cards, grants, the journal and clients.
 * @param modelId the model that answers a chat
 * @param agent the agent in whose name the run acts
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
