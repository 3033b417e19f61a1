import { attachedServerOf, type Principal, type ToolCall } from 'protocol'
import { textsIn } from '../../lib/texts-in.ts'
import type { ActiveRun } from '../active-run.ts'
import type { Attachments } from '../attachments.ts'
import { foldsIn, isGiven } from '../context/folds.ts'
import { wordsOfPeople } from '../persona.ts'
import { rightsOf } from '../principal.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { StoredEntry, TranscriptStore } from '../sessions/transcript-store.ts'
import { promptSource, type Sources, sourcesOf, sourceTypes, tellingTypes } from '../sources.ts'
import type { RunFacts } from './facts.ts'

/** Runs of an earlier conversation in which a text of the memory may have been said. */
const mostRunsRemembered = 200

/** Reads what a run goes on from: the earlier runs of its session, and the texts that the requester had read. */
export function createRunReading(
  store: TranscriptStore,
  { profileOf, principalIn }: RunFacts,
  attachments?: Pick<Attachments, 'textOf'>,
  speaksFor: (by: string, asker: Principal) => boolean = () => true,
) {
  /** Of earlier runs, what the model is told; a child run begins with its task. */
  function earlierEntries(session: Pick<LiveSession, 'id'>, run: ActiveRun): StoredEntry[] {
    run.earlier ??= run.row.position === 0 || run.origin.kind === 'child' ? [] : unfolded(session, run)
    return run.earlier
  }

  /** What is not folded, with the folds. Of a session that was never folded, one run more than is sent: the rest is folded first. */
  function unfolded(session: Pick<LiveSession, 'id'>, run: ActiveRun): StoredEntry[] {
    const ofChildren = new Set(store.childRuns(session.id).map(({ id }) => id))
    const isTold = ({ type, runId }: StoredEntry) => type !== 'rating' && runId !== run.row.id && !ofChildren.has(runId)
    const folds = store.folds(session.id).filter(isTold)
    const { fold } = foldsIn(folds)
    const newest = store.newestRuns(session.id, profileOf(session, run).limits.history + 1)
    const first = newest[0]?.seq ?? Number.POSITIVE_INFINITY
    return [...folds.filter(({ seq }) => seq < first).reverse(), ...newest].filter(
      (entry) => isTold(entry) && (entry.type === 'compaction' || isGiven(entry, fold)),
    )
  }

  /**
   * All that a run and its child runs have read and were told so far, in the order it came, also what a model is not given any more.
   * What the run that asked had read counts as read by its child.
   */
  function readBy(session: LiveSession, run: ActiveRun): StoredEntry[] {
    const { id } = run.row
    const begun = run.origin.kind === 'child' ? (run.entries[0]?.seq ?? Number.POSITIVE_INFINITY) : undefined
    const others = store
      .entriesOfTypes(session.id, sourceTypes)
      .filter(({ seq, runId }) => runId !== id && (begun === undefined || seq < begun))
    return [...others, ...run.entries].sort((a, b) => a.seq - b.seq)
  }

  /** The texts that the principal had read: a model all that it was given, a client the results of its own earlier calls. */
  function sourcesFor(session: LiveSession, run: ActiveRun, { toolUseId, toolName }: ToolCall): Sources {
    const principal = principalIn(run)
    const { isForeign, hasModel } = rightsOf(principal)
    // A command is the operator's own words.
    if (!isForeign && !hasModel) return { results: [], operatorTexts: [] }
    const sources = sourcesOf(
      ...([readBy(session, run), toolUseId, isForeign && !hasModel, tellingEntries, principal.token] as const),
      (id) => attachments?.textOf(session.id, id),
      (by) => speaksFor(by, principal),
    )
    const { read = [] } = ('asked' in run.origin && run.origin.asked) || {}
    const resources = read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text }))
    const results = [...resources, ...sources.results]
    if (!hasModel) return { ...sources, results }
    const { prompt, tools } = profileOf(session, run)
    const server = attachedServerOf(toolName)
    // An attached server wrote the descriptions of its own tools, so a call to it gives nothing away by repeating them.
    const others = tools.filter(({ name }) => ![undefined, server].includes(attachedServerOf(name)))
    const descriptions = others.map((tool) => {
      const text = textsIn([tool.description, tool.inputSchema]).join('\n')
      return { toolName: tool.name, toolUseId: tool.name, text, isDescription: true }
    })
    const written = { toolName: promptSource, toolUseId: 'its files', text: wordsOfPeople(prompt) } as const
    return { ...sources, prompt: [written, ...(sources.prompt ?? [])], results: [...descriptions, ...results] }
  }

  /** The newest of an operator's conversation. */
  const tellingEntries = (sessionId: string): StoredEntry[] =>
    store.session(sessionId)?.source === 'chat' ? store.newestRuns(sessionId, mostRunsRemembered, tellingTypes) : []

  return { earlierEntries, sourcesFor }
}
