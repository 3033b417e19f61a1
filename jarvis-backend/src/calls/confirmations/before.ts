import { whoseIs } from 'homelab-ports/guest-identity'
import type { Cluster } from 'homelab-ports/ports'
import type { Principal, Target, ToolCall } from 'protocol'
import { rightsOf } from '../../agent/principal.ts'
import { mayApprove, usualApprovers } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { CallContext } from '../call.ts'
import type { ApprovedLater } from '../changes/approved-later.ts'
import type { Ready } from '../judgement.ts'
import { callKey, scopeKey } from '../keys.ts'
import type { People } from '../people.ts'
import type { Plans } from '../plans/plans.ts'
import type { Confirmations } from './confirmations.ts'
import type { Grants, Reservation } from './grants.ts'

/** Returns true if a grant is for the guest that has the vmid now. A grant of an older release does not name a guest. */
const isOfGrant = ({ vmid, identity }: Target, granted: Parameters<typeof whoseIs>[1]) =>
  vmid === undefined || whoseIs(identity, granted) === 'own'

export type BeforeParts = {
  confirmations: Pick<Confirmations, 'denied' | 'pending'>
  grants: Pick<Grants, 'reserve' | 'revoke'>
  returns: Pick<ApprovedLater, 'reserve'>
  plans: Pick<Plans, 'reserve'>
  /** Returns why the approval of a call's card lacks the required signature; undefined if it lacks none. */
  unsigned(callId: string): string | undefined
  people: Pick<People, 'find'>
  /** Returns why the principal, who asked at `since` (Unix ms), may no longer ask; undefined if it may. */
  goneSince(asker: Principal, since: number): string | undefined
  clock: Clock
  cluster: Pick<Cluster, 'timeThere'>
}

/** Finds earlier decisions on the same call: a denial, or a grant. */
export class EarlierDecisions {
  readonly #parts: BeforeParts

  constructor(parts: BeforeParts) {
    this.#parts = parts
  }

  /** Looks for an earlier denial of the same call. @returns the message that the call gets as its result; undefined if nobody denied it */
  denied(call: ToolCall, ready: Ready, { sessionId, kin, principal }: CallContext): string | undefined {
    const { confirmations, clock } = this.#parts
    const { deniedForMs, isDeniedByToken } = rightsOf(principal)
    const { token } = principal
    const isRun = deniedForMs === undefined
    const since = clock.now() - (deniedForMs ?? 0)
    const place = isDeniedByToken && token !== undefined ? { token, since } : { sessionId, since }
    const where = isRun ? { runIds: kin() } : place
    // A denied call must not come back as a step of a plan.
    const keys = [keyOf(call, ready), ...(ready.led ?? []).map((led) => keyOf({ toolName: led.tool.name }, led))]
    const denial = keys.map((key) => confirmations.denied(key, where)).find((one) => one !== undefined)
    if (denial === undefined) return undefined
    const when = isRun ? 'in this run' : `within the last ${deniedForMs / 60_000} minutes`
    const note = denial.note === undefined ? '' : `: ${denial.note}`
    const back = isRun ? '' : ' An operator can take the denial back on the page Waiting.'
    return `Denied by ${denial.by} ${when}${note}. It is not asked again; other arguments may be.${back} Nothing was run.`
  }

  /**
   * Returns why no further card is shown for a token, because too many of its cards wait; undefined if one may be shown. Call it in the same turn of
   * the event loop in which the card is stored.
   */
  flooded({ principal: { kind, token } }: CallContext): string | undefined {
    const { mostCards = Number.POSITIVE_INFINITY } = rightsOf({ kind })
    const waiting = this.#parts.confirmations
      .pending()
      .filter(({ requestedBy }) => requestedBy.kind === kind && requestedBy.token === token).length
    return waiting < mostCards
      ? undefined
      : `${waiting} calls of ${token} wait for the operator already. Nothing was run.`
  }

  /**
   * Reserves one use of a grant. Revokes the grant in four cases: another guest may have taken the vmid and name since; another token took the name
   * of the token that the grant was given to; the policy now requires a signature that the grant's approval lacks; the person who made the grant may
   * no longer decide cards.
   */
  reserve(call: ToolCall, ready: Ready, context: CallContext): Reservation | undefined {
    const { returns, plans, grants, goneSince } = this.#parts
    const { target, verdict, grantScopes } = ready
    const { principal: requestedBy, sessionId } = context
    const approved = returns.reserve(ready, requestedBy) ?? plans.reserve(call, ready, context)
    if (approved !== undefined) return this.#signed(approved, ready)
    // A call that several people must approve needs a new decision each time.
    if (verdict.approve !== undefined) return undefined
    const keys = [keyOf(call, ready), ...grantScopes.map((scope) => scopeKey(scope, sessionId))]
    const reservation = grants.reserve(keys, { rule: verdict.rule, target, requestedBy })
    if (reservation === undefined) return undefined
    const { id, by, createdAt, target: meant } = reservation.grant
    const isAnother =
      this.#isMadeSince(target, createdAt) ||
      !isOfGrant(target, { identity: meant?.identity, at: createdAt }) ||
      goneSince(requestedBy, createdAt) !== undefined
    if (!isAnother && this.#decides(by) && this.#signed(reservation, ready) !== undefined) {
      // The person's right is checked again at `take`, because the call may still wait for its turn after this.
      return { ...reservation, take: (...taken) => this.#decides(by) && reservation.take(...taken) }
    }
    reservation.release()
    grants.revoke(id, 'jarvis')
    return undefined
  }

  /** Returns the reservation. If the call must be signed and the reservation's approval is not, releases it and returns undefined. */
  #signed(reservation: Reservation, { verdict }: Pick<Ready, 'verdict'>): Reservation | undefined {
    const { approval } = reservation
    if (verdict.proof === undefined || approval === undefined || this.#parts.unsigned(approval) === undefined)
      return reservation
    reservation.release()
    return undefined
  }

  /** Returns true if the person may decide cards now. The ids are compared, because `people.find` returns the first owner for an unknown id. */
  #decides(id: string): boolean {
    const person = this.#parts.people.find(id)
    return person?.id === id && mayApprove(person.role, usualApprovers)
  }

  /** Returns true if a guest was made after `at`, or may have been. Proxmox's times are whole seconds, and its clock is known to about one second. */
  #isMadeSince({ madeAt }: Target, at: number): boolean {
    const { cluster } = this.#parts
    if (madeAt === undefined) return false
    if (cluster.timeThere === undefined) return madeAt > at - 1_000
    const there = cluster.timeThere(at)
    return there === undefined || madeAt > there - 2_000
  }
}

const keyOf = ({ toolName }: Pick<ToolCall, 'toolName'>, { input, target }: Pick<Ready, 'input' | 'target'>) =>
  callKey({ toolName, input, target })
