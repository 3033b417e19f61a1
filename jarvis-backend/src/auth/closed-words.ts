import type {
  AgentDeed,
  Change,
  Job,
  JobSlot,
  JobsReply,
  JobTrace,
  JobWork,
  JournalEntry,
  JournalPage,
  PersonRef,
  PlanRun,
  PlanStep,
} from 'protocol'
import { type Reading, reaches } from './reach.ts'

/** Replaces text from a conversation that the reader may not open. */
export const closedWords = 'It stands in a conversation that is closed to you.'

/**
 * Makes the filters that limit things from conversations to the words that a person may read. If the conversation is open to the person, the thing
 * is shown whole. Otherwise the person sees its kind, time, author and outcome. Every door that serves such things uses this function. @param person
 * undefined: an unknown person, to whom every conversation is closed
 */
export function shownTo(person: PersonRef | undefined, reading: Reading) {
  const reads = (sessionId: string | undefined): boolean =>
    person !== undefined && sessionId !== undefined && reading.reads(person, sessionId)
  const isWhole = person !== undefined && reaches(person, undefined)

  function change(whole: Change): Change {
    if (reads(whole.sessionId)) return whole
    const { problem: _, undo, ...rest } = whole
    const { loses: __, ...way } = undo
    const sentence = `${whole.toolName} changed ${whole.target.id}.`
    return { ...rest, toolInput: {}, sentence, undo: { ...way, sentence: closedWords } }
  }

  const plan = (whole: PlanRun): PlanRun => (reads(whole.sessionId) ? whole : closedPlan(whole))

  /** The reason of a slot that began no conversation is in JARVIS's own words. The reason of a failed slot may contain words that somebody wrote. */
  const isOpen = ({ sessionId, state }: JobSlot) => (sessionId === undefined ? state !== 'failed' : reads(sessionId))
  const slot = (whole: JobSlot): JobSlot =>
    isWhole || whole.summary === undefined || isOpen(whole) ? whole : { ...whole, summary: closedWords }

  function trace({ steps, said, ...whole }: JobTrace): JobTrace {
    if (isWhole || reads(whole.sessionId)) return { ...whole, steps, said }
    return { ...slot(whole), steps: [] }
  }

  function job(whole: Job): Job {
    const isTheirs = person !== undefined && reaches(person, whole.isShipped ? undefined : whole.by)
    const { paused, ...rest } = whole
    return {
      ...rest,
      ...(paused && { paused: isTheirs ? paused : { ...paused, why: closedWords } }),
      ...(!isTheirs && { work: closedWork(whole.work) }),
      last: whole.last.map(slot),
    }
  }

  const entry = (whole: JournalEntry): JournalEntry => {
    const body = whole.body as Readonly<Record<string, unknown>>
    const { sessionId } = body
    const isOpen = isWhole || (typeof sessionId === 'string' && reads(sessionId))
    return isOpen ? whole : { ...whole, body: factsOf(body) }
  }

  return {
    reads,
    change,
    plan,
    slot,
    trace,
    job,
    jobs: (whole: JobsReply): JobsReply => ({ ...whole, items: whole.items.map(job) }),
    deed(whole: AgentDeed): AgentDeed {
      const { reason: _, ...facts } = whole
      return isWhole || reads(whole.sessionId) ? whole : facts
    },
    /** True if no conversation is closed to the person. */
    isWhole,
    journal: ({ items, besides, ...page }: JournalPage): JournalPage => ({
      ...page,
      items: items.map(entry),
      ...(besides !== undefined && { besides: besides.map(entry) }),
    }),
  }
}
/** The filters that limit things to the words that one person may read. */
export type Shown = ReturnType<typeof shownTo>

const closedStep = (step: PlanStep): PlanStep => ({
  number: step.number,
  title: closedWords,
  tier: step.tier,
  toolName: step.toolName,
  toolInput: {},
  sentence: closedWords,
  state: step.state,
  onFailure: step.onFailure,
  isLater: step.isLater,
  startedAt: step.startedAt,
  endedAt: step.endedAt,
  toolUseId: step.toolUseId,
})

/** A plan of a closed conversation. A newly added field stays hidden until it is named here. */
const closedPlan = (plan: PlanRun): PlanRun => ({
  id: plan.id,
  hash: plan.hash,
  title: closedWords,
  runbook: plan.runbook,
  undoes: plan.undoes,
  inputs: {},
  steps: plan.steps.map(closedStep),
  state: plan.state,
  sessionId: plan.sessionId,
  startedAt: plan.startedAt,
  endedAt: plan.endedAt,
  by: plan.by,
})

/** Somebody else's work, reduced to its kind: texts that the person wrote are replaced. */
const closedWork = (work: JobWork): JobWork =>
  work.kind === 'prompt'
    ? { ...work, text: closedWords }
    : work.kind === 'call'
      ? { ...work, toolInput: {} }
      : work.kind === 'runbook'
        ? { ...work, inputs: {} }
        : work

/** Fields of an entry that contain no words of a person or a model: the call or thing, its owner and its outcome. */
const facts: ReadonlySet<string> = new Set(
  `toolUseId sessionId runId callId toolName target tier rule requestedBy by role person name decision outcome decidedBy
   isError durationMs at number of bindingHash hash before from to change state kind grant card job agent path runbook plan
   approvedBy via proof invitation was what signIn method count channel token server type id expiresAt until`.split(
    /\s+/,
  ),
)
const factsOf = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(body).filter(([key, value]) => facts.has(key) && (key !== 'plan' || typeof value === 'string')),
  )
