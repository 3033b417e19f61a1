import { hashOf } from 'node-kit/canonical'
import { type Card, type EntryOf, JarvisError, noUsage, type ToolCall, type ToolInput } from 'protocol'
import type { Decisions } from '../access/decisions.ts'
import { describe, legible, type Redactor, type World } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import { type CallContext, missing, type Walk, type Way } from './call.ts'
import { callWords, isPlan } from './call-words.ts'
import type { Changes } from './changes/changes.ts'
import { cardOf, unseenForMs } from './confirmations/card.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Judgement, Ready } from './judgement.ts'
import { callKey } from './keys.ts'
import type { People } from './people.ts'
import type { Plans } from './plans/plans.ts'
import type { ConfirmationStore, ExecutionStore, ImageStore, Journal, Resolution, Transactions } from './ports.ts'
import type { Came } from './run-tool.ts'
import type { Write } from './states.ts'

type Judged = Pick<Judgement, 'verdict'> & Partial<Pick<Ready, 'target'>>
type Of<W extends Write['write']> = Extract<Write, { write: W }>
/** A call whose run is active. */
type AtWork = Way & { context: CallContext }
/** Why a call never started. `rule`: replaces the verdict's rule. */
type Refused = { message: string; judged?: Judged | undefined; rule?: string | undefined }

export type RecordParts = {
  store: ConfirmationStore
  executions: ExecutionStore
  images: ImageStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  world: () => World
  people: People
  ttlMs: number
  /** Returns true if an operator's screen shows this session. */
  isWatched(sessionId: string): boolean
  /** Called after each change of the list of cards. */
  changed(sessionId: string): void
  changes: Pick<Changes, 'begin' | 'settle'>
  plans: Pick<Plans, 'begin'>
  /** Checks the signatures of approvals. */
  decisions: Pick<Decisions, 'problem' | 'use'>
  /** Adds an entry to a session's transcript while none of its runs is active. */
  note(sessionId: string, runId: string, entry: Omit<EntryOf<'reconciled'>, 'seq' | 'runId' | 'at'>): void
}

/** Records each state change of a call in the stores, the journal and the transcript. Opens no transaction: `Ways` calls every method inside one. */
export class Records {
  readonly #parts: RecordParts

  constructor(parts: RecordParts) {
    this.#parts = parts
  }

  /** Writes the records of a step. @returns false if another decision came first, or the grant has ended since; nothing is written then */
  write(way: Way, writes: readonly Write[]): boolean {
    const { call, context, reservation } = way
    return writes.every((what) => {
      if (what.write === 'decision') return this.#decide(way, what)
      if (what.write === 'finding') this.#settleUnknown(call, what)
      else if (context !== undefined) {
        if (what.write === 'claim' && reservation?.take(call.toolUseId, context.sessionId) === false) return false
        // The same object is passed on, because a commit sets the call's new card on `way`.
        this.#writeAtWork(way as AtWork, what)
      }
      return true
    })
  }

  /** Adds to the transcript that the call has started. */
  started({ call, ready = missing(), reservation }: Way, context: CallContext): void {
    const { toolUseId, toolName } = call
    const { input, verdict } = ready
    const toolInput = this.#parts.redactor.value(input)
    const isRead = verdict.tier !== 'green' && ready.preview?.leads === undefined && !isChange(ready)
    context.append({
      ...({ type: 'tool_use', toolUseId, toolName, toolInput, tier: verdict.tier } as const),
      ...(isRead && { isRead }),
      ...(ready.tool.view && { view: ready.tool.view }),
      ...byGrant(reservation),
    })
  }

  /** Settles a call that never started. Its result contains the reason. */
  fail(call: ToolCall, context: CallContext, { message, judged, rule = 'not_run' }: Refused): void {
    const result = this.#parts.redactor.text(legible(message))
    this.#parts.journal.append('refusal', this.#record({ call, context }, judged, rule))
    context.append({ type: 'tool_result', ...resultOf(call), result, isError: true, summary: result })
  }

  /** Writes to the journal a read that belongs to no run. */
  noteRead(walk: Walk, { outcome }: Pick<Came, 'outcome'>): void {
    this.#parts.journal.append('call', { ...this.#record(walk, walk.ready), outcome })
  }

  #writeAtWork(way: AtWork, what: Exclude<Write, { write: 'decision' | 'finding' }>): void {
    switch (what.write) {
      case 'told':
        this.#told(way)
        break
      case 'card':
        this.#card(way, what)
        break
      case 'claim':
        this.#claim(way)
        break
      case 'refusal':
        this.#refusal(way, what)
        break
      case 'rehearsal':
        this.#rehearsal(way)
        break
      case 'result':
        this.#result(way, what)
        break
      default:
        what satisfies never
    }
  }

  /** Adds to the transcript the decision on the call's card, if it was made while no run waited for it. */
  #told({ asked = missing(), context }: AtWork): void {
    const { resolution = missing() } = this.#parts.store.get(asked.card.toolUseId) ?? {}
    this.#tell(context, asked.card, resolution)
  }

  #card(way: AtWork, { replacing }: Of<'card'>): void {
    const { store, journal, transactions, redactor, clock, world, people, ttlMs } = this.#parts
    const { call, context, ready = missing() } = way
    const { sessionId, runId } = context
    const createdAt = clock.now()
    const isWatched = this.#parts.isWatched(sessionId)
    const expiresAt = createdAt + ttlMs + (isWatched ? 0 : unseenForMs)
    const card = cardOf({ call, ready, context, replacing }, { redactor, world: world(), people, createdAt, expiresAt })
    const { hash: bindingHash, input, target } = ready
    const key = callKey({ toolName: call.toolName, input, target })
    const asked = { card, sessionId, runId, bindingHash, callKey: key }
    journal.append('call', {
      ...this.#record(way, ready),
      bindingHash,
      ...(card.proof && { proof: card.proof }),
      ...(replacing !== undefined && { card: card.toolUseId, changed: card.changed }),
    })
    store.add({ ...asked, ...(isWatched && { seenAt: createdAt }) })
    transactions.afterCommit(() => {
      way.asked = asked
      this.#parts.changed(sessionId)
    })
    context.append({ type: 'confirm_needed', ...card })
  }

  /** Claims the call, so that it runs only once, and records its change or plan. */
  #claim(way: AtWork): void {
    const { store, executions, journal, redactor, clock, changes, plans } = this.#parts
    const { call, context, ready = missing(), reservation } = way
    const { toolUseId, toolName } = call
    const { sessionId, runId } = context
    const { verdict, hash: bindingHash } = ready
    const toolInput = redactor.value(call.toolInput)
    const at = clock.now()
    const claim = { toolUseId, sessionId, runId, toolName, toolInput, tier: verdict.tier, bindingHash, at }
    const approvedBy = reservation?.grant.by ?? (way.asked && store.get(way.asked.card.toolUseId)?.resolution?.by)
    this.#requireSigned(way)
    executions.claim(claim)
    const isPlan = ready.preview?.leads !== undefined
    // A plan records no change here: each of its calls records its own.
    const change = !isPlan && isChange(ready) && changes.begin(call, ready, { context, approvedBy })
    const plan = isPlan && plans.begin(call, ready, { context, approvedBy })
    journal.append('execution', {
      ...this.#record(way, ready),
      ...claim,
      ...byGrant(reservation),
      ...(change || {}),
      ...(plan || {}),
    })
    this.started(way, context)
  }

  #refusal({ call, context }: AtWork, { judged, message, rule }: Of<'refusal'>): void {
    const { journal, redactor } = this.#parts
    if (message !== undefined || judged?.kind !== 'blocked') {
      const why = message ?? (judged?.kind === 'invalid' ? judged.message : missing())
      this.fail(call, context, { message: why, judged, rule })
      return
    }
    const { verdict } = judged
    const { toolUseId, toolName } = call
    const toolInput = redactor.value(call.toolInput)
    const reason = redactor.text(verdict.reason)
    journal.append('refusal', this.#record({ call, context }, judged))
    context.append({ type: 'blocked', toolUseId, toolName, toolInput, reason, rule: verdict.rule, tier: 'black' })
  }

  /** Records what the call would do. The call does not run. */
  #rehearsal(way: AtWork): void {
    const { journal, redactor, clock, world } = this.#parts
    const { call, context, ready = missing() } = way
    const { verdict, target, input, effects, preview } = ready
    const { toolName } = call
    const described = describe({ toolName, effects, verdict }, world(), clock.now())
    const { now = described.now, then = described.then, affects = described.affects, leads } = preview ?? {}
    const asks = verdict.tier === 'red' ? 'would wait for the operator, then run' : 'would run at once'
    const on = target.kind === 'none' ? '' : ` on ${target.id}`
    const asked = isPlan(input)
      ? callWords({ toolName, toolInput: input as ToolInput })
      : `${toolName} ${JSON.stringify(input)}`
    const text = [
      `Rehearsal: nothing was run. ${asked}${on} ${asks} (${verdict.tier}).`,
      `Why: ${verdict.reason}`,
      `Now: ${now}`,
      `Then: ${then}`,
      `Affects: ${affects}`,
    ].join('\n')
    journal.append('call', { ...this.#record(way, ready), outcome: 'rehearsed' })
    context.append({
      type: 'tool_result',
      ...resultOf(call),
      result: redactor.text(text),
      isError: false,
      summary: redactor.text(`Rehearsal, nothing was run: ${asks}. ${then}`),
      isRehearsal: true,
      ...(leads && { data: redactor.value({ plan: { ...leads.facts, id: call.toolUseId } }) }),
    })
  }

  #result(way: AtWork, { done }: Of<'result'>): void {
    const { images, redactor } = this.#parts
    const { call, context } = way
    const { toolUseId } = call
    const { output, outcome, durationMs, safe } = done
    const data = safe?.of === output ? safe.data : redactor.value(output.data)
    const summary = redactor.text(output.summary)
    this.#settle(way, done, summary)
    const { todo } = output
    if (todo !== undefined) context.append({ type: 'plan', toolUseId, items: redactor.value([...todo]) })
    const kept = output.images?.map((image) => images.keep(context.sessionId, image)) ?? []
    context.append({
      type: 'tool_result',
      toolUseId,
      result: redactor.text(output.text) || '(no output)',
      isError: output.isError === true,
      summary,
      durationMs,
      ...(outcome === 'unknown' && { isUnknown: true }),
      data,
      ...(kept.length > 0 && { images: kept }),
      ...(output.files?.length && { files: redactor.value([...output.files]) }),
    })
  }

  /** Writes the outcome to the journal. For a change, also settles its claim and its record. */
  #settle(way: AtWork, { outcome, durationMs, found }: Came, summary: string): void {
    const { executions, journal, redactor, clock, changes } = this.#parts
    const { state, call, context, ready } = way
    if (state === 'reading') {
      journal.append('call', { ...this.#record(way, ready), outcome })
      return
    }
    const { toolUseId, toolName } = call
    const { sessionId, principal: requestedBy } = context
    const on = ready === undefined || ready.target.kind === 'none' ? {} : { target: redactor.value(ready.target) }
    const about = { toolUseId, sessionId, toolName, requestedBy, outcome }
    executions.settle(toolUseId, clock.now(), outcome)
    changes.settle(toolUseId, outcome, summary)
    journal.append(
      'result',
      found === undefined ? { ...about, ...on, durationMs, summary } : { ...about, summary: found },
    )
  }

  /** Decides the card; the first decision wins. @returns false if the card was decided before */
  #decide({ asked = missing(), context }: Way, { resolution, besides }: Of<'decision'>): boolean {
    const { store, journal, decisions } = this.#parts
    const { card, sessionId, bindingHash } = asked
    const { toolUseId, toolName, target, requestedBy } = card
    if (!store.resolve(toolUseId, resolution)) return false
    if (resolution.receipt !== undefined) decisions.use(resolution.receipt)
    const { at: _, ...decided } = this.#withoutSecrets(resolution)
    journal.append('decision', { toolUseId, sessionId, toolName, target, requestedBy, bindingHash, ...decided })
    if (context !== undefined) this.#tell(context, card, resolution)
    besides?.()
    return true
  }

  #settleUnknown({ toolUseId, toolName }: ToolCall, { finding }: Of<'finding'>): void {
    const { executions, journal, clock, changes, note } = this.#parts
    const { sessionId, runId, outcome, text } = finding
    if (outcome === 'unknown') missing()
    executions.settle(toolUseId, clock.now(), outcome)
    changes.settle(toolUseId, outcome, text)
    journal.append('result', { toolUseId, sessionId, toolName, outcome, summary: text })
    note(sessionId, runId, { type: 'reconciled', toolUseId, toolName, outcome, text })
  }

  /** Adds a decision to the transcript. If a denial named another call in place of the denied one, adds that call too. */
  #tell(
    context: CallContext,
    { toolUseId, callId }: Pick<Card, 'toolUseId' | 'callId'>,
    { at: _, receipt, ...resolution }: Resolution,
  ): void {
    const ids = { toolUseId, callId }
    const told = this.#withoutSecrets(resolution)
    context.append({ type: 'confirm_resolved', ...ids, ...told, ...(receipt && { signed: receipt.type }) })
    const { alternative, by } = resolution
    if (alternative === undefined) return
    const content: [ToolCall] = [{ type: 'tool_call', ...alternative }]
    const insteadOf = { toolUseId: callId ?? toolUseId, by }
    context.append({
      type: 'assistant',
      madeBy: 'operator',
      insteadOf,
      content,
      usage: noUsage,
      stopReason: 'tool_use',
    })
  }

  /** Redacts the operator's own call for the record, whose readers must not see secrets. The call itself runs with its real arguments. */
  #withoutSecrets<T extends Pick<Resolution, 'alternative'>>({ alternative, ...resolution }: T) {
    if (alternative === undefined) return resolution
    const { toolUseId, toolName, toolInput } = alternative
    const redacted = this.#parts.redactor.value(toolInput)
    return { ...resolution, alternative: { toolUseId, toolName, toolInput: redacted } }
  }

  /**
   * Checks that a call is signed if it must be. @throws JarvisError `proof_required` if the policy requires a signature and the call's approval or
   * grant has none
   */
  #requireSigned({ asked, ready = missing(), reservation }: Way): void {
    const { store, decisions } = this.#parts
    if (ready.verdict.tier !== 'red' || ready.verdict.proof === undefined) return
    const card = reservation === undefined ? asked?.card.toolUseId : reservation.approval
    if (reservation !== undefined && card === undefined) return
    const why =
      reservation === undefined
        ? decisions.problem(card ?? '', ready.hash, asked?.card.approvals?.needed)
        : unsignedCall(store, decisions, card ?? '')
    if (why !== undefined) throw new JarvisError('proof_required', `This must be signed. ${why} Nothing was run.`)
  }

  /** Returns the journal's record of a call: the asker, the call, and the gate's verdict. @param rule replaces the verdict's rule */
  #record({ call, context }: { call: ToolCall; context: CallContext }, judged?: Judged, rule?: string) {
    const { redactor, world } = this.#parts
    const { verdict, target } = judged ?? {}
    const { policy, cluster } = world()
    const vmid = target?.vmid
    const tags = vmid === undefined ? [] : (cluster.guests.find((guest) => guest.vmid === vmid)?.tags ?? [])
    return {
      toolUseId: call.toolUseId,
      // A read for JARVIS itself belongs to no session.
      ...(context.sessionId !== '' && { sessionId: context.sessionId }),
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      inputHash: hashOf(call.toolInput),
      ...(target !== undefined && target.kind !== 'none' && { target: redactor.value(target) }),
      // With tags and profile, a later policy can be tested on past calls.
      ...(tags.length > 0 && { tags }),
      ...(policy.profile !== 'balanced' && { profile: policy.profile }),
      requestedBy: context.principal,
      ...(verdict !== undefined && { tier: verdict.tier }),
      rule: rule ?? verdict?.rule,
    }
  }
}

/** Returns why the approval of a call's newest card lacks the required signature; undefined if it lacks none. */
export const unsignedCall = (
  store: Pick<ConfirmationStore, 'ofCall'>,
  decisions: Pick<Decisions, 'problem'>,
  callId: string,
): string | undefined => {
  const card = store.ofCall(callId)?.card
  return decisions.problem(card?.toolUseId ?? '', undefined, card?.approvals?.needed)
}

const isChange = ({ effects }: Ready): boolean => effects.some(({ kind, isReadOnly }) => kind !== 'read' && !isReadOnly)

/** Returns the fields about the grant that allows a call, for the record. */
const byGrant = (reservation: Reservation | undefined) =>
  reservation === undefined ? {} : { grantId: reservation.grant.id, by: reservation.grant.by }

const resultOf = ({ toolUseId }: ToolCall) => ({ toolUseId, durationMs: 0 })
