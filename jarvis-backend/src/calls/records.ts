import { hashOf } from 'node-kit/canonical'
import { type EntryOf, JarvisError, noUsage, type ToolCall } from 'protocol'
import { describe, legible, type Redactor, type World } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Decisions } from '../signing/decisions.ts'
import { type CallContext, missing, type Ready, type Walk, type Way } from './call.ts'
import type { Changes } from './changes/changes.ts'
import { cardOf, unseenForMs } from './confirmations/card.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Judgement } from './judge.ts'
import { callKey } from './keys.ts'
import type { People } from './people.ts'
import type { Plans } from './plans/plans.ts'
import type { ConfirmationStore, ExecutionStore, ImageStore, Journal, Resolution, Transactions } from './ports.ts'
import type { Came } from './run-tool.ts'
import type { Write } from './states.ts'

type Judged = Pick<Judgement, 'verdict'> & Partial<Pick<Ready, 'target'>>
type Of<W extends Write['write']> = Extract<Write, { write: W }>

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
  /** Whether an operator's screen shows this session. */
  isWatched(sessionId: string): boolean
  /** Told after each change of the list of cards. */
  changed(sessionId: string): void
  changes: Pick<Changes, 'begin' | 'settle'>
  plans: Pick<Plans, 'begin'>
  /** Checks what an approval was signed with. */
  decisions: Pick<Decisions, 'problem' | 'use'>
  /** Adds a line to a session's transcript when no run of it is at work. */
  note(sessionId: string, runId: string, entry: Omit<EntryOf<'reconciled'>, 'seq' | 'runId' | 'at'>): void
}

/** What stores, journal and transcript say of a call, each in the transaction of its step. */
export function createRecords(parts: RecordParts) {
  const { store, executions, journal, transactions, redactor, clock } = parts

  /** Who asked for what, and what the gate made of it. @param rule in place of the verdict's */
  function record(call: ToolCall, context: CallContext, judged?: Judged, rule?: string) {
    const { verdict, target } = judged ?? {}
    const { policy, cluster } = parts.world()
    const vmid = target?.vmid
    const tags = vmid === undefined ? [] : (cluster.guests.find((guest) => guest.vmid === vmid)?.tags ?? [])
    return {
      toolUseId: call.toolUseId,
      // A read for JARVIS itself is in no session.
      ...(context.sessionId !== '' && { sessionId: context.sessionId }),
      toolName: call.toolName,
      toolInput: redactor.value(call.toolInput),
      inputHash: hashOf(call.toolInput),
      ...(target !== undefined && target.kind !== 'none' && { target: redactor.value(target) }),
      // With these a policy can be tried out on what was asked.
      ...(tags.length > 0 && { tags }),
      ...(policy.profile !== 'balanced' && { profile: policy.profile }),
      requestedBy: context.principal,
      ...(verdict !== undefined && { tier: verdict.tier }),
      rule: rule ?? verdict?.rule,
    }
  }

  /** Says in the transcript that the call runs now. */
  function started({ call, ready = missing(), reservation }: Way, context: CallContext) {
    const { toolUseId, toolName } = call
    const { input, verdict } = ready
    const toolInput = redactor.value(input)
    const isRead = verdict.tier !== 'green' && ready.preview?.leads === undefined && !isChange(ready)
    context.append({
      ...({ type: 'tool_use', toolUseId, toolName, toolInput, tier: verdict.tier } as const),
      ...(isRead && { isRead }),
      ...(ready.tool.view && { view: ready.tool.view }),
      ...byGrant(reservation),
    })
  }

  /** A call that never started: its result says why. @param rule what the journal calls it */
  function fail(call: ToolCall, context: CallContext, message: string, judged?: Judged, rule = 'not_run') {
    const result = redactor.text(legible(message))
    journal.append('refusal', record(call, context, judged, rule))
    context.append({ type: 'tool_result', ...resultOf(call), result, isError: true, summary: result })
  }

  /** The operator's own call runs with its real arguments; whoever reads of it does not see its secrets. */
  function withoutSecrets<T extends Pick<Resolution, 'alternative'>>({ alternative, ...resolution }: T) {
    if (alternative === undefined) return resolution
    const { toolUseId, toolName, toolInput } = alternative
    return { ...resolution, alternative: { toolUseId, toolName, toolInput: redactor.value(toolInput) } }
  }

  function tell(context: CallContext, { toolUseId, callId }: Ids, { at: _, receipt, ...resolution }: Resolution) {
    const ids = { toolUseId, ...(callId !== undefined && { callId }) }
    const told = withoutSecrets(resolution)
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

  /** @throws JarvisError `proof_required` where the policy wants a signature and what lets the call run has none */
  function requireSigned({ asked, ready = missing(), reservation }: Way) {
    if (ready.verdict.tier !== 'red' || ready.verdict.proof === undefined) return
    const card = reservation === undefined ? asked?.card.toolUseId : reservation.approval
    if (reservation !== undefined && card === undefined) return
    const why =
      reservation === undefined
        ? parts.decisions.problem(card ?? '', ready.hash, asked?.card.approvals?.needed)
        : unsignedCall(store, parts.decisions, card ?? '')
    if (why !== undefined) throw new JarvisError('proof_required', `This must be signed. ${why} Nothing was run.`)
  }

  /** What is written of a call whose run is at work. */
  const writers: {
    [W in Exclude<Write['write'], 'decision' | 'finding'>]: (way: Way, context: CallContext, what: Of<W>) => void
  } = {
    told({ asked = missing() }, context) {
      const { resolution = missing() } = store.get(asked.card.toolUseId) ?? {}
      tell(context, asked.card, resolution)
    },
    card(way, context, { replacing }) {
      const { call, ready = missing() } = way
      const { sessionId, runId } = context
      const createdAt = clock.now()
      const isWatched = parts.isWatched(sessionId)
      const expiresAt = createdAt + parts.ttlMs + (isWatched ? 0 : unseenForMs)
      const card = cardOf(
        call,
        ready,
        context,
        { redactor, world: parts.world(), people: parts.people, createdAt, expiresAt },
        replacing,
      )
      const { hash: bindingHash, input, target } = ready
      const key = callKey({ toolName: call.toolName, input, target })
      const asked = { card, sessionId, runId, bindingHash, callKey: key }
      journal.append('call', {
        ...record(call, context, ready),
        bindingHash,
        ...(card.proof && { proof: card.proof }),
        ...(replacing !== undefined && { card: card.toolUseId, changed: card.changed }),
      })
      store.add({ ...asked, ...(isWatched && { seenAt: createdAt }) })
      transactions.afterCommit(() => {
        way.asked = asked
        parts.changed(sessionId)
      })
      context.append({ type: 'confirm_needed', ...card })
    },
    claim(way, context) {
      const { call, ready = missing(), reservation } = way
      const { toolUseId, toolName } = call
      const { sessionId, runId } = context
      const { verdict, hash: bindingHash } = ready
      const toolInput = redactor.value(call.toolInput)
      const at = clock.now()
      const claim = { toolUseId, sessionId, runId, toolName, toolInput, tier: verdict.tier, bindingHash, at }
      const approvedBy = reservation?.grant.by ?? (way.asked && store.get(way.asked.card.toolUseId)?.resolution?.by)
      requireSigned(way)
      executions.claim(claim)
      const isPlan = ready.preview?.leads !== undefined
      // What a plan changes, its calls do.
      const change = !isPlan && isChange(ready) && parts.changes.begin(call, ready, context, approvedBy)
      const plan = isPlan && parts.plans.begin(call, ready, context, approvedBy)
      journal.append('execution', {
        ...record(call, context, ready),
        ...claim,
        ...byGrant(reservation),
        ...(change || {}),
        ...(plan || {}),
      })
      started(way, context)
    },
    refusal({ call }, context, { judged, message, rule }) {
      if (message !== undefined || judged?.kind !== 'blocked') {
        fail(call, context, message ?? (judged?.kind === 'invalid' ? judged.message : missing()), judged, rule)
        return
      }
      const { verdict } = judged
      const { toolUseId, toolName } = call
      const toolInput = redactor.value(call.toolInput)
      const reason = redactor.text(verdict.reason)
      journal.append('refusal', record(call, context, judged))
      context.append({ type: 'blocked', toolUseId, toolName, toolInput, reason, rule: verdict.rule, tier: 'black' })
    },
    /** What would run, and nothing does. */
    rehearsal({ call, ready = missing() }, context) {
      const { verdict, target, input, effects, preview } = ready
      const { toolName } = call
      const described = describe(toolName, effects, parts.world(), verdict, clock.now())
      const { now = described.now, then = described.then, affects = described.affects, leads } = preview ?? {}
      const asks = verdict.tier === 'red' ? 'would wait for the operator, then run' : 'would run at once'
      const on = target.kind === 'none' ? '' : ` on ${target.id}`
      const text = [
        `Rehearsal: nothing was run. ${toolName} ${JSON.stringify(input)}${on} ${asks} (${verdict.tier}).`,
        `Why: ${verdict.reason}`,
        `Now: ${now}`,
        `Then: ${then}`,
        `Affects: ${affects}`,
      ].join('\n')
      journal.append('call', { ...record(call, context, ready), outcome: 'rehearsed' })
      context.append({
        type: 'tool_result',
        ...resultOf(call),
        result: redactor.text(text),
        isError: false,
        summary: redactor.text(`Rehearsal, nothing was run: ${asks}. ${then}`),
        isRehearsal: true,
        ...(leads && { data: redactor.value({ plan: { ...leads.facts, id: call.toolUseId } }) }),
      })
    },
    result({ state, call, ready }, context, { done }) {
      const { toolUseId, toolName } = call
      const { output, outcome, durationMs, found, safe } = done
      const data = safe?.of === output ? safe.data : redactor.value(output.data)
      const { sessionId, principal: requestedBy } = context
      const summary = redactor.text(output.summary)
      if (state === 'reading') journal.append('call', { ...record(call, context, ready), outcome })
      else {
        const on = ready === undefined || ready.target.kind === 'none' ? {} : { target: redactor.value(ready.target) }
        const about = { toolUseId, sessionId, toolName, requestedBy, outcome }
        executions.settle(toolUseId, clock.now(), outcome)
        parts.changes.settle(toolUseId, outcome, summary)
        journal.append(
          'result',
          found === undefined ? { ...about, ...on, durationMs, summary } : { ...about, summary: found },
        )
      }
      const { todo } = output
      if (todo !== undefined) context.append({ type: 'plan', toolUseId, items: redactor.value([...todo]) })
      const images = output.images?.map((image) => parts.images.keep(sessionId, image)) ?? []
      context.append({
        type: 'tool_result',
        toolUseId,
        result: redactor.text(output.text) || '(no output)',
        isError: output.isError === true,
        summary,
        durationMs,
        ...(outcome === 'unknown' && { isUnknown: true }),
        ...(data !== undefined && { data }),
        ...(images.length > 0 && { images }),
      })
    },
  }

  /** First wins. @returns false when another decision came before */
  function decide({ asked = missing(), context }: Way, { resolution, besides }: Of<'decision'>): boolean {
    const { card, sessionId, bindingHash } = asked
    const { toolUseId, toolName, target, requestedBy } = card
    if (!store.resolve(toolUseId, resolution)) return false
    if (resolution.receipt !== undefined) parts.decisions.use(resolution.receipt)
    const { at: _, ...decided } = withoutSecrets(resolution)
    journal.append('decision', { toolUseId, sessionId, toolName, target, requestedBy, bindingHash, ...decided })
    if (context !== undefined) tell(context, card, resolution)
    besides?.()
    return true
  }

  function settleUnknown({ toolUseId, toolName }: ToolCall, { finding }: Of<'finding'>) {
    const { sessionId, runId, outcome, text } = finding
    if (outcome === 'unknown') missing()
    executions.settle(toolUseId, clock.now(), outcome)
    parts.changes.settle(toolUseId, outcome, text)
    journal.append('result', { toolUseId, sessionId, toolName, outcome, summary: text })
    parts.note(sessionId, runId, { type: 'reconciled', toolUseId, toolName, outcome, text })
  }

  return {
    started,
    fail,
    noteRead: ({ call, context, ready }: Walk, { outcome }: Pick<Came, 'outcome'>) =>
      journal.append('call', { ...record(call, context, ready), outcome }),
    /** @returns false where somebody else was first, or the grant has ended since; nothing is written then. */
    write(way: Way, writes: readonly Write[]): boolean {
      const { call, context, reservation } = way
      return writes.every((what) => {
        if (what.write === 'decision') return decide(way, what)
        if (what.write === 'finding') settleUnknown(call, what)
        else if (context !== undefined) {
          if (what.write === 'claim' && reservation?.take(call.toolUseId, context.sessionId) === false) return false
          const write: (way: Way, context: CallContext, what: never) => void = writers[what.write]
          write(way, context, what as never)
        }
        return true
      })
    },
  }
}

/** Why the approval of a call's newest card is not signed; undefined where it is. */
export const unsignedCall = (
  store: Pick<ConfirmationStore, 'ofCall'>,
  decisions: Pick<Decisions, 'problem'>,
  callId: string,
): string | undefined => {
  const card = store.ofCall(callId)?.card
  return decisions.problem(card?.toolUseId ?? '', undefined, card?.approvals?.needed)
}

type Ids = { toolUseId: string; callId?: string | undefined }

const isChange = ({ effects }: Ready): boolean => effects.some(({ kind, isReadOnly }) => kind !== 'read' && !isReadOnly)

/** The grant that lets a call run, for the record. */
const byGrant = (reservation: Reservation | undefined) =>
  reservation === undefined ? {} : { grantId: reservation.grant.id, by: reservation.grant.by }

const resultOf = ({ toolUseId }: ToolCall) => ({ toolUseId, durationMs: 0 })
