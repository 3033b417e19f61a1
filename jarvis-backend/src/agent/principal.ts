import { firstOwnerId, mainAgentId, type Principal, personFor } from 'protocol'
import type { Origin } from './origin.ts'

/** The rights of a kind of principal. */
export type Rights = {
  /** True: a model chooses the calls. False: the principal names the one call itself. */
  hasModel: boolean
  /** True: the principal may call tools of attached servers. Clients may not, so that they cannot reach other servers through JARVIS. */
  mayUseAttached: boolean
  /** True: the arguments are not the operator’s own words, and the principal has read only the results of its own calls. */
  isForeign: boolean
  /** The time after a denial in which the same call is refused without a new card, ms; undefined: until the run ends. */
  deniedForMs: number | undefined
  /** True: a denial applies to the token in all sessions. Undefined: it applies in the session only. */
  isDeniedByToken?: true
  /** True: a grant applies to all principals of this kind (and of one token). False: only to principals with the same name. */
  sharesGrants: boolean
  /** True: a person may give a grant on one of the principal’s cards. */
  mayBeGranted: boolean
  /** True: an operator is present and can be asked a question. */
  hasOperator: boolean
  /** Maximum cards of one token that wait at a time; undefined: limited elsewhere, or not limited. */
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

/** The rights of all kinds of principals. To add a kind, add a row: no other code that handles calls knows the kinds. */
const kinds = new Map<string, Rights>([
  ['chat', { ...operators, hasModel: true, hasOperator: true }],
  ['command', { ...operators, hasOperator: true }],
  // A plan’s calls were judged before the plan began, as calls of the principal that asked for it. Its cards give no grants, because another plan
  // could use such a grant.
  ['plan', { ...operators, mayBeGranted: false }],
  ['client_plan', { ...strict, mayBeGranted: false }],
  // A client can give itself any name, so its grants follow its token.
  ['mcp', { ...strict, sharesGrants: true }],
  // The model works for the owner of the token, so its calls count as the program’s calls. A program may ask endlessly, so its cards are limited.
  ['v1', { ...strict, hasModel: true, mayBeGranted: false, mostCards: 5, isDeniedByToken: true }],
  // A grant names its job, so it does not apply to other jobs or to chats.
  ['job', { ...operators, hasModel: true }],
])

/** Returns the rights of a principal. An unknown kind, such as one that another release stored, gets the strictest rights. */
export function rightsOf({ kind, token }: Pick<Principal, 'kind' | 'token'>): Rights {
  const rights = kinds.get(kind) ?? strict
  // A job or a plan that a client asked for has no more access than the client.
  return (kind === 'job' || kind === 'plan') && token !== undefined ? { ...rights, mayUseAttached: false } : rights
}

/** The id in `causedBy` if it is not known who wrote a call’s text. No person has this id. */
export const unknownWriter = 'unknown'

/** Returns the principal with further people in `causedBy`. The principal’s own person is not added. */
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
 * Returns the principal that makes a run’s calls, as cards, grants, the journal and clients show it.
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
    const who = { token, person }
    return { kind, name, job, ...who, ...(causedBy && { causedBy: [...causedBy] }) }
  }
  if (kind === 'plan') {
    const { asker } = origin
    return {
      kind: planKindOf(asker),
      name: origin.by,
      token: asker.token,
      person: asker.person,
      causedBy: asker.causedBy,
    }
  }
  if (kind === 'child') {
    const { asker } = origin
    const { agent: _, ...who } = asker
    // A model makes the child’s calls, even if a person’s command asked for the work.
    const name = asker.kind === 'v1' ? asker.name : modelId
    return { ...who, kind: asker.kind === 'command' ? 'chat' : asker.kind, name, for: origin.for }
  }
  if (kind === 'chat') return { kind, name: modelId, ...personFor(origin.by) }
  if (kind === 'command') return { kind, name: origin.by, ...personFor(origin.by) }
  const { person, token } = origin
  const name = kind === 'v1' ? origin.by : origin.client
  return { kind, name, token, person }
}
