import type { Entry, EntryOf, Tier } from 'protocol'

/** A question that a call asked, and how it ended. */
export type Asked = { question: EntryOf<'question'>; ended?: EntryOf<'question_resolved'> }

/** One tool call with its cards, its output and its checks. */
export type Call = {
  toolUseId: string
  toolName: string
  toolInput: Record<string, unknown>
  malformed?: string
  tier?: Tier
  needed?: EntryOf<'confirm_needed'>
  resolved?: EntryOf<'confirm_resolved'>
  /** Earlier cards of this call, oldest first. Each was replaced by the next one. */
  replaced?: { needed: EntryOf<'confirm_needed'>; resolved: EntryOf<'confirm_resolved'> }[]
  started?: EntryOf<'tool_use'>
  result?: EntryOf<'tool_result'>
  blocked?: EntryOf<'blocked'>
  asked?: readonly Asked[]
  /** The later check of a call with an unknown outcome, from the cluster's state. */
  reconciled?: EntryOf<'reconciled'>
}

export type Item =
  /** `seq`: seq of the turn's entry; undefined while the turn streams. */
  | { kind: 'thinking'; key: string; text: string; seq: number | undefined }
  /** `suggestions`: sentences in the text that the person may send by a click. */
  | {
      kind: 'text'
      key: string
      text: string
      seq?: number
      isStreaming?: true
      suggestions?: readonly string[] | undefined
    }
  | { kind: 'call'; key: string; call: Call }
  /** The run of another agent that a call of `delegate` started. */
  | { kind: 'child'; key: string; child: Run }
  /** The child runs for which the run waits. */
  | { kind: 'waits'; key: string; children: readonly Run[] }
  | { kind: 'budget'; key: string; entry: EntryOf<'budget'> }
  | { kind: 'recalled'; key: string; items: EntryOf<'recalled'>['items'] }
  | { kind: 'fold'; key: string; fold: EntryOf<'compaction'> }
  /** `by`: the person who named the skill with `/NAME`. */
  | { kind: 'skill'; key: string; skill: LoadedSkill; by: string }

/** A skill as the model received it. `hash`: the hash of the approved tree, hex. */
export type LoadedSkill = { name: string; hash: string; text: string }

/** Returns the skill that a call of `use_skill` loaded; undefined if the call loaded none. */
export function skillOf({ toolName, result }: Call): LoadedSkill | undefined {
  if (toolName !== 'use_skill' || result === undefined || result.isError) return undefined
  const { skill, gave } = (result.data ?? {}) as { skill?: { name: string; hash: string }; gave?: string }
  return skill !== undefined && gave === 'body' ? { ...skill, text: result.result } : undefined
}

/**
 * Returns the state of the call's view, if the call's tool names one and the view's data is there or may still come; otherwise undefined. `begins`:
 * true if the view is open at first. Only the view of a command that succeeded is closed at first, because its row says enough.
 */
export function viewOf({ started, result }: Call): { begins: boolean } | undefined {
  if (started?.view === undefined || (result !== undefined && result.data === undefined)) return undefined
  const { status } = (result?.data ?? {}) as { status?: unknown }
  return { begins: started.view !== 'command' || result?.isError !== false || status === 'running' }
}

/** Returns a call's command if the call's result says that the command's file changes can be applied; undefined for any other call. */
export function applicableOf({ started, result }: Call): { command: string; changes: number } | undefined {
  if (started?.view !== 'command') return undefined
  const { command, changes, exitCode, mayApply } = (result?.data ?? {}) as Record<string, unknown>
  const isWhole = mayApply === true && exitCode === 0
  return isWhole && typeof command === 'string' && typeof changes === 'number' ? { command, changes } : undefined
}

export const notKnown = 'I do not know whether this ran.'

/** The end of a call. `isUnknown`: nobody knows if the call ran, and `summary` says only what was observed. */
export type End = { isError: boolean; summary: string; at: number; isUnknown?: true | undefined }

/** Returns the end of a call, as far as it is known. A later check overrides the call's own result. */
export function endOf({ tier, result, reconciled }: Call): End | undefined {
  if (reconciled !== undefined)
    return { isError: reconciled.outcome === 'failed', summary: reconciled.text, at: reconciled.at }
  if (result === undefined) return undefined
  const { isError, summary, at, isUnknown } = result
  // A call that only reads cannot have an unknown outcome.
  if (isUnknown === undefined || tier === 'green') return { isError, summary, at }
  return { isError, summary: summary.replace(notKnown, '').trim(), at, isUnknown }
}

/** One answer to one message: its entries, and its items in the order of the answer. */
export type Run = {
  runId: string
  entries: readonly Entry[]
  user?: EntryOf<'user'>
  /** The source of the last turn: `provider/model`, `command` or `mcp`. */
  model?: string
  items: readonly Item[]
  children?: readonly Run[]
  /** The call of the plan whose steps this run makes. The plan's card is loaded, and tells each step. */
  ofPlan?: string
  end?: EntryOf<'done'> | EntryOf<'error'>
}

/** Groups entries into runs, oldest first. A run whose entries did not change is the same object as in `before`. */
export function runsOf(entries: readonly Entry[], before: readonly Run[] = []): Run[] {
  const known = new Map(before.flatMap((run) => [run, ...(run.children ?? [])]).map((run) => [run.runId, run]))
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.runId)
    if (group === undefined) groups.set(entry.runId, [entry])
    else group.push(entry)
  }
  const isSame = (run: Run | undefined, group: readonly Entry[]): run is Run =>
    run?.entries.length === group.length && run.entries[0] === group[0] && run.entries.at(-1) === group.at(-1)
  const children = childrenIn(groups, (runId, group) => {
    const was = known.get(runId)
    return isSame(was, group) ? was : runOf(runId, group)
  })
  const plans = plansOf(entries)
  return [...groups].map(([runId, group]) => {
    const run = known.get(runId)
    const own = children.get(runId)
    const ofPlan = plans.get(runId)
    if (isSame(run, group) && sameItems(run.children, own) && run.ofPlan === ofPlan) return run
    const made = runOf(runId, group)
    if (ofPlan !== undefined) made.ofPlan = ofPlan
    return own === undefined ? made : withChildren(made, own)
  })
}

/** Returns the calls of the plans whose steps runs make, by the id of the run. Such a run begins while the plan's call goes on. */
function plansOf(entries: readonly Entry[]): Map<string, string> {
  const plans = new Map<string, string>()
  const known = new Set<string>()
  const cards = new Set<string>()
  let begun: string | undefined
  for (const entry of entries) {
    if (entry.type === 'confirm_needed' && entry.plan !== undefined) cards.add(entry.callId ?? entry.toolUseId)
    if (entry.type === 'tool_use' && cards.has(entry.toolUseId)) begun = entry.toolUseId
    if (entry.type === 'tool_result' && entry.toolUseId === begun) begun = undefined
    const isOfJarvis = entry.type === 'assistant' && entry.madeBy === 'jarvis'
    if (begun !== undefined && isOfJarvis && !known.has(entry.runId)) plans.set(entry.runId, begun)
    known.add(entry.runId)
  }
  return plans
}

/**
 * Returns child runs by the id of the run that shows them: the parent's id, or the child's own id if the parent is not loaded. Removes children with
 * a loaded parent from `groups`.
 */
function childrenIn(groups: Map<string, Entry[]>, runOf: (runId: string, group: Entry[]) => Run): Map<string, Run[]> {
  const shown = new Map<string, Run[]>()
  const children = [...groups].filter(([, group]) => group.some(({ type }) => type === 'subrun'))
  if (children.length === 0) return shown
  const callers = new Map<string | undefined, string>()
  for (const entries of groups.values())
    for (const entry of entries)
      if (entry.type === 'assistant')
        for (const part of entry.content) if (part.type === 'tool_call') callers.set(part.toolUseId, entry.runId)
  for (const [runId, group] of children) {
    const at = callers.get(callOf(group)) ?? runId
    shown.set(at, [...(shown.get(at) ?? []), runOf(runId, group)])
    if (at !== runId) groups.delete(runId)
  }
  return shown
}

const callOf = (entries: readonly Entry[]) => entries.find((entry) => entry.type === 'subrun')?.toolUseId

const sameItems = (a: readonly Run[] = [], b: readonly Run[] = []) =>
  a.length === b.length && a.every((run, at) => run === b[at])

/** Replaces the calls that started child runs by the child runs, each followed by its calls with cards. */
function withChildren(run: Run, children: readonly Run[]): Run {
  const rowsOf = (child: Run): Item[] => [
    { kind: 'child', key: child.runId, child },
    ...child.items.filter((item) => item.kind === 'call' && item.call.needed),
  ]
  if (callOf(run.entries)) return { ...run, children, items: children.flatMap(rowsOf) }
  const items = run.items.flatMap((item) => {
    const child = children.find(({ entries }) => callOf(entries) === item.key)
    return child ? rowsOf(child) : item
  })
  if (!run.end && children.some(({ end }) => !end)) items.push({ kind: 'waits', key: 'waits', children })
  return { ...run, children, items }
}

/** An entry about one call. */
type CallEntry = Exclude<Extract<Entry, { toolUseId: string }>, EntryOf<'subrun'>>

/** Returns the id of the entry's call. A card that replaced another card has its own id, so the call's id is in `callId`. */
const callIdOf = (entry: CallEntry) => ('callId' in entry ? entry.callId : undefined) ?? entry.toolUseId

/** Adds an entry to the call that it is about. */
function add(entry: CallEntry, call: Call): void {
  switch (entry.type) {
    case 'tool_use':
      Object.assign(call, { started: entry, tier: entry.tier })
      break
    case 'tool_result':
      call.result = entry
      break
    case 'confirm_needed': {
      const { needed, resolved } = call
      if (needed !== undefined && resolved !== undefined) {
        call.replaced = [...(call.replaced ?? []), { needed, resolved }]
        delete call.resolved
      }
      Object.assign(call, { needed: entry, tier: 'red' })
      break
    }
    case 'confirm_resolved':
      call.resolved = entry
      break
    case 'blocked':
      Object.assign(call, { blocked: entry, tier: 'black' })
      break
    case 'reconciled':
      call.reconciled = entry
      break
    case 'question':
      call.asked = [...(call.asked ?? []), { question: entry }]
      break
    case 'question_resolved':
      call.asked = (call.asked ?? []).map((one) =>
        one.question.questionId === entry.questionId ? { ...one, ended: entry } : one,
      )
      break
  }
}

function runOf(runId: string, entries: readonly Entry[]): Run {
  const run: Run = { runId, entries, items: [] }
  const items: Item[] = []
  const calls = new Map<string, Call>()
  let turn = 0
  const call = (of: { toolUseId: string; toolName?: string; toolInput?: Record<string, unknown> }): Call => {
    const found = calls.get(of.toolUseId)
    if (found !== undefined) return found
    const made: Call = { toolUseId: of.toolUseId, toolName: of.toolName ?? 'call', toolInput: of.toolInput ?? {} }
    calls.set(of.toolUseId, made)
    items.push({ kind: 'call', key: of.toolUseId, call: made })
    return made
  }
  for (const entry of entries) {
    switch (entry.type) {
      case 'user':
        run.user = entry
        break
      case 'recalled':
        if (entry.items.length > 0) items.push({ kind: 'recalled', key: `${entry.seq}`, items: entry.items })
        break
      case 'skill':
        items.push({ kind: 'skill', key: `skill ${entry.seq}`, skill: entry, by: run.user?.by ?? '' })
        break
      case 'compaction':
        items.push({ kind: 'fold', key: `fold ${entry.seq}`, fold: entry })
        break
      case 'assistant': {
        if (entry.model !== undefined && entry.insteadOf === undefined) run.model = entry.model
        const parts = { text: 0, thinking: 0 }
        for (const part of entry.content) {
          if (part.type === 'text' && part.text.trim() !== '')
            items.push({
              kind: 'text',
              key: `${turn}.text.${parts.text++}`,
              text: part.text,
              seq: entry.seq,
              suggestions: entry.suggestions,
            })
          if (part.type === 'thinking' || part.type === 'redacted_thinking') {
            const key = `${turn}.thinking.${parts.thinking++}`
            items.push({ kind: 'thinking', key, text: part.type === 'thinking' ? part.text : '', seq: entry.seq })
          }
          if (part.type === 'tool_call') {
            const made = call(part)
            if (part.malformed !== undefined) made.malformed = part.malformed
          }
        }
        turn++
        break
      }
      case 'budget':
        // The answer itself says what stopped the run.
        if (entry.what !== 'stopped') items.push({ kind: 'budget', key: `${entry.seq}`, entry })
        break
      case 'tool_use':
      case 'tool_result':
      case 'confirm_needed':
      case 'confirm_resolved':
      case 'blocked':
      case 'reconciled':
      case 'question':
      case 'question_resolved':
        add(entry, call({ ...entry, toolUseId: callIdOf(entry) }))
        break
      case 'done':
      case 'error':
        run.end = entry
        break
    }
  }
  run.items = items
  return run
}

/** Returns the items of the streaming turn. Their keys equal those that the stored entry gets when the turn ends, so React keeps the elements. */
export function streamingItems(run: Run, { text, thinking }: { text: string; thinking: string }): Item[] {
  const turn = run.entries.filter((entry) => entry.type === 'assistant').length
  const items: Item[] = []
  if (thinking !== '') items.push({ kind: 'thinking', key: `${turn}.thinking.0`, text: thinking, seq: undefined })
  if (text !== '') items.push({ kind: 'text', key: `${turn}.text.0`, text, isStreaming: true })
  return items
}

export type Row =
  | Item
  | { kind: 'reads'; key: string; calls: readonly Call[] }
  /** The rows of a plan's run, folded because the plan's card tells the same. `calls`: how many calls they are. */
  | { kind: 'planned'; key: string; rows: readonly Row[]; calls: number }

/** Returns the rows of a run. Of a plan's run, only a step that waits for a person is not folded. */
export function rowsOf({ items, ofPlan }: Pick<Run, 'items' | 'ofPlan'>): Row[] {
  if (ofPlan === undefined) return foldReads(items)
  const waits = (item: Item) =>
    item.kind === 'call' && item.call.needed !== undefined && item.call.resolved === undefined
  const rows = foldReads(items.filter((item) => !waits(item)))
  const calls = items.filter(({ kind }) => kind === 'call').length
  return [
    ...(rows.length > 0 ? [{ kind: 'planned', key: 'planned', rows, calls } as const] : []),
    ...items.filter(waits),
  ]
}

const isQuietRead = (item: Item): item is Extract<Item, { kind: 'call' }> =>
  item.kind === 'call' &&
  item.call.tier === 'green' &&
  item.call.asked === undefined &&
  endOf(item.call)?.isError === false &&
  skillOf(item.call) === undefined &&
  item.call.result?.images === undefined

/** Folds two or more consecutive successful reads into one row. Other items stay. */
export function foldReads(items: readonly Item[]): Row[] {
  const rows: Row[] = []
  let reads: Extract<Item, { kind: 'call' }>[] = []
  const flush = () => {
    const [first] = reads
    if (first !== undefined && reads.length > 1) {
      rows.push({ kind: 'reads', key: `reads ${first.key}`, calls: reads.map((item) => item.call) })
    } else rows.push(...reads)
    reads = []
  }
  for (const item of items) {
    if (isQuietRead(item)) reads.push(item)
    else {
      flush()
      rows.push(item)
    }
  }
  flush()
  return rows
}

export { argumentText as argumentLine } from '../../lib/argument-text.ts'
