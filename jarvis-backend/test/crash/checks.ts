import type { EntryOf, Guest, Task } from 'protocol'
import { settles } from 'protocol/settles'
import { toMessages } from '../../src/agent/conversation.ts'
import { brokenAt, type Evidence, matchRequests } from './evidence.ts'
import type { Interrupted } from './experiment.ts'
import type { ClusterRequest } from './fake-cluster.ts'
import type { Find } from './findings.ts'
import { problemsOf } from './message-rules.ts'
import type { Operator } from './operator.ts'

export type Truth = { tasks: readonly Task[]; guests: readonly Guest[] }
export type Settled = 'done' | 'failed' | 'unknown'

/** Holds of the disk and the cluster at every moment, so also right after the server died. */
export function checkAtDeath(evidence: Evidence, requests: readonly ClusterRequest[], operator: Operator, find: Find) {
  const { journal, confirmations, executions, entries, unfinishedRuns, calls } = evidence
  const broken = brokenAt(journal)
  if (broken !== undefined) find('faults', `the journal's chain breaks at ${broken}`)

  const told = journal.map(({ at, kind, body }) => ({ at, kind, ...(JSON.parse(body) as { toolUseId?: string }) }))
  const entered = (kind: string, toolUseId: string) =>
    told.find((entry) => entry.kind === kind && entry.toolUseId === toolUseId)
  for (const { toolUseId } of executions) {
    if (entered('execution', toolUseId) === undefined) find('faults', `${toolUseId} is claimed, not journalled`)
  }
  const { byCall, strays } = matchRequests(requests, evidence)
  for (const stray of strays) find('faults', `nobody asked for ${JSON.stringify(stray)}`)
  for (const [toolUseId, made] of byCall) {
    if (made.length > 1) {
      const what = made.map(({ args, at, id }) => `${args.join(' ')} (${id} at ${at})`).join(', ')
      find('doubles', toolUseId, what)
    }
    const at = entered('execution', toolUseId)?.at ?? Number.POSITIVE_INFINITY
    for (const request of made) {
      if (request.at < at) find('faults', `${toolUseId} took effect without an earlier journal entry`)
    }
    if (confirmations.find((row) => row.toolUseId === toolUseId)?.decision !== 'approved') {
      find('faults', `${toolUseId} took effect and is not approved`)
    }
  }

  const rows = new Map(confirmations.map((row) => [row.toolUseId, row]))
  for (const { toolUseId, decision, expiresAt } of operator.cards.values()) {
    const row = rows.get(toolUseId)
    if (decision === undefined && (row?.decision !== null || row.expiresAt !== expiresAt)) {
      find('lostCards', toolUseId, JSON.stringify(row))
    }
    const word = decision?.confirmed === true ? 'approved' : 'denied'
    const isKept = row?.decision === word && row.by === 'operator' && entered('decision', toolUseId) !== undefined
    if (decision?.isAcknowledged === true && !isKept) find('lostDecisions', toolUseId, JSON.stringify(row))
  }

  const kept = new Set(unfinishedRuns.map(({ messageId }) => messageId))
  for (const entry of entries) if (entry.type === 'user') kept.add(entry.messageId)
  for (const { sent, message } of operator.jobs) {
    if (sent !== undefined && !kept.has(sent.messageId)) find('lostMessages', message)
  }
  for (const { vmid, calls: most } of operator.jobs.flatMap(guestsOf)) {
    const asked = calls.filter((call) => call.toolInput.vmid === vmid).length
    if (asked > most) find('faults', `a message was answered twice: ${asked} calls on ${vmid}`)
  }
}

const guestsOf = ({ fates, calls }: Operator['jobs'][number]) =>
  [...fates.keys()].map((vmid) => ({ vmid, calls: fates.size === 1 ? calls : 1 }))

/** Holds once everything has been answered. @returns how each interrupted call was settled, and whether it ran. */
export function checkAtEnd(
  evidence: Evidence,
  requests: readonly ClusterRequest[],
  operator: Operator,
  truth: Truth,
  interrupted: ReadonlySet<string>,
  find: Find,
): Interrupted[] {
  checkAtDeath(evidence, requests, operator, find)
  const fault = (text: string, detail?: object) => find('faults', text, detail && JSON.stringify(detail))
  const { entries, calls, confirmations, unfinishedRuns } = evidence
  for (const { id } of unfinishedRuns) fault(`the run ${id} never ended`)

  for (const sessionId of new Set(entries.map((entry) => entry.sessionId))) {
    const own = entries.filter((entry) => entry.sessionId === sessionId)
    for (const problem of problemsOf(toMessages(own))) fault(`${sessionId}: ${problem}`)
  }
  for (const { message } of operator.jobs) {
    const times = entries.filter((entry) => entry.type === 'user' && entry.text === message).length
    if (times !== 1) fault(`${message.split('\n')[0]} is in the transcript ${times} times`)
  }

  const { byCall } = matchRequests(requests, evidence)
  const how: Interrupted[] = []
  for (const call of calls) {
    const { toolUseId } = call
    const outcomes = entries.filter((entry) => settles(entry) && entry.toolUseId === toolUseId)
    if (outcomes.length !== 1) fault(`${toolUseId} has ${outcomes.length} outcomes`)
    const result = outcomes.find((entry) => entry.type === 'tool_result')
    const decision = confirmations.find((row) => row.toolUseId === toolUseId)?.decision
    const hadRun = ranWell(call.toolName, call.toolInput, byCall.get(toolUseId) ?? [], truth)
    if ((result !== undefined) !== (decision === 'approved')) fault(`${toolUseId} is ${decision} with ${result?.type}`)
    if (result === undefined) continue
    const settled = settledAs(result, entries)
    const seen = {
      ...call,
      execution: evidence.executions.find((row) => row.toolUseId === toolUseId),
      requests: requests.filter(({ args }) => args[0] === call.toolInput.vmid),
      tasks: truth.tasks.filter(({ vmid }) => vmid === call.toolInput.vmid),
    }
    if (settled === 'done' && !hadRun) fault(`${toolUseId} is told as done, and was not: ${result.result}`, seen)
    if (settled === 'failed' && hadRun) fault(`${toolUseId} is told as failed, and was done: ${result.result}`, seen)
    if (interrupted.has(toolUseId)) how.push({ settled, hadRun })
    else if (result.isUnknown === true) fault(`${toolUseId} is told as unknown, and was not interrupted`)
    else if (!byCall.has(toolUseId)) fault(`${toolUseId} was approved and never ran: ${result.result}`)
  }
  return how
}

/** The outcome told to the operator and the model; a later look at the cluster counts. */
function settledAs(result: EntryOf<'tool_result'>, entries: Evidence['entries']): Settled {
  const later = entries.find((entry) => entry.type === 'reconciled' && entry.toolUseId === result.toolUseId)
  if (later?.type === 'reconciled') return later.outcome
  if (result.isUnknown === true) return 'unknown'
  // The guest was not seen where it should be in time: neither the one nor the other.
  if (/task ended .* but after/.test(result.result)) return 'unknown'
  return result.isError ? 'failed' : 'done'
}

/** True if the call did all that it was to do, by what the cluster itself knows. */
function ranWell(
  toolName: string,
  { vmid, force }: Record<string, unknown>,
  made: readonly ClusterRequest[],
  { tasks, guests }: Truth,
): boolean {
  const [request] = made
  if (request === undefined) return false
  const isTwofold = toolName === 'restart_container' && force === true
  const began = tasks.filter((task) => task.vmid === vmid && task.startedAt >= request.at)
  const own = began.sort((a, b) => a.startedAt - b.startedAt).slice(0, isTwofold ? 2 : 1)
  const goal = toolName.startsWith('stop_') ? 'stopped' : 'running'
  return (
    own.length === (isTwofold ? 2 : 1) &&
    own.every(({ status }) => status === 'ok') &&
    guests.find((guest) => guest.vmid === vmid)?.status === goal
  )
}
