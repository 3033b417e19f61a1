import { attachedServerOf, type ToolCall } from 'protocol'
import { textsIn } from '../../lib/texts-in.ts'
import type { Attachments } from '../attachments.ts'
import { foldsIn, isGiven } from '../context/folds.ts'
import { wordsOfPeople } from '../persona.ts'
import type { Askers } from '../ports.ts'
import { rightsOf } from '../principal.ts'
import type { Run, RunBasis } from '../run.ts'
import type { StoredEntry } from '../sessions/entries.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { promptSource, type Sources, sourcesOf, sourceTypes, tellingTypes } from '../sources.ts'
import type { RunFacts } from './facts.ts'

/** Maximum runs of an earlier conversation that are searched for words of its operator, if a recalled text names that conversation. */
const mostRunsRemembered = 200

type Store = Pick<TranscriptStore, 'childRuns' | 'folds' | 'newestRuns' | 'entriesOfTypes' | 'session'>

/** Reads the entries on which a run builds: the earlier runs of its session, and the texts that its asker has read. */
export class RunReading {
  readonly #store: Store
  readonly #facts: Pick<RunFacts, 'profileOf' | 'principalIn'>
  readonly #attachments: Pick<Attachments, 'textOf'> | undefined
  readonly #askers: Pick<Askers, 'speaksFor'> | undefined

  /** If `askers` is undefined, text of every person counts as the asker’s own words. */
  constructor(
    parts: { store: Store; attachments?: Pick<Attachments, 'textOf'>; askers?: Pick<Askers, 'speaksFor'> },
    facts: Pick<RunFacts, 'profileOf' | 'principalIn'>,
  ) {
    this.#store = parts.store
    this.#attachments = parts.attachments
    this.#askers = parts.askers
    this.#facts = facts
  }

  /** The entries of earlier runs that the model is given. A child run has none: it begins with its task. */
  earlierEntries(run: RunBasis): StoredEntry[] {
    return run.earlier(() => (run.row.position === 0 || run.origin.kind === 'child' ? [] : this.#unfolded(run)))
  }

  /**
   * Returns the folds, and the entries after them. For a session that was never folded, returns one run more than the limit, so that this oldest run
   * is folded before the next request.
   */
  #unfolded(run: RunBasis): StoredEntry[] {
    const { id, sessionId } = run.row
    const ofChildren = new Set(this.#store.childRuns(sessionId).map((child) => child.id))
    const isTold = ({ type, runId }: StoredEntry) => type !== 'rating' && runId !== id && !ofChildren.has(runId)
    const folds = this.#store.folds(sessionId).filter(isTold)
    const { fold } = foldsIn(folds)
    const newest = this.#store.newestRuns(sessionId, this.#facts.profileOf(run).limits.history + 1)
    const first = newest[0]?.seq ?? Number.POSITIVE_INFINITY
    return [...folds.filter(({ seq }) => seq < first).reverse(), ...newest].filter(
      (entry) => isTold(entry) && (entry.type === 'compaction' || isGiven(entry, fold)),
    )
  }

  /**
   * Returns all entries that a run and its child runs have read so far, in order, including entries that the model is no longer given. A child run
   * has also read the entries that its parent had read before the child began.
   */
  #readBy(run: Run): StoredEntry[] {
    const begun = run.origin.kind === 'child' ? (run.entries[0]?.seq ?? Number.POSITIVE_INFINITY) : undefined
    const others = this.#store
      .entriesOfTypes(run.row.sessionId, sourceTypes)
      .filter(({ seq, runId }) => runId !== run.id && (begun === undefined || seq < begun))
    return [...others, ...run.entries].sort((a, b) => a.seq - b.seq)
  }

  /**
   * Returns the texts that the asker had read before this call: for a model all texts it was given, for a client the results of its own earlier
   * calls.
   */
  sourcesFor(run: Run, { toolUseId, toolName }: ToolCall): Sources {
    const principal = this.#facts.principalIn(run)
    const { isForeign, hasModel } = rightsOf(principal)
    // The operator typed the command, so its words come from no other source.
    if (!isForeign && !hasModel) return { results: [], operatorTexts: [] }
    const sources = sourcesOf(this.#readBy(run), {
      toolUseId,
      isClients: isForeign && !hasModel,
      token: principal.token,
      tellingEntries: (sessionId) => this.#tellingEntries(sessionId),
      textOf: (id) => this.#attachments?.textOf(run.row.sessionId, id),
      isOwn: (by) => this.#askers?.speaksFor(by, principal) ?? true,
    })
    const { read = [] } = ('asked' in run.origin && run.origin.asked) || {}
    const resources = read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text }))
    const results = [...resources, ...sources.results]
    if (!hasModel) return { ...sources, results }
    const { prompt, tools } = this.#facts.profileOf(run)
    const server = attachedServerOf(toolName)
    // An attached server wrote the descriptions of its own tools. A call to this server that repeats them reveals nothing to it.
    const others = tools.filter(({ name }) => ![undefined, server].includes(attachedServerOf(name)))
    const descriptions = others.map((tool) => {
      const text = textsIn([tool.description, tool.inputSchema]).join('\n')
      return { toolName: tool.name, toolUseId: tool.name, text, isDescription: true }
    })
    const written = { toolName: promptSource, toolUseId: 'its files', text: wordsOfPeople(prompt) } as const
    return { ...sources, prompt: [written, ...(sources.prompt ?? [])], results: [...descriptions, ...results] }
  }

  /** Returns the newest entries in an operator’s conversation that hold the person’s words. */
  #tellingEntries(sessionId: string): StoredEntry[] {
    return this.#store.session(sessionId)?.source === 'chat'
      ? this.#store.newestRuns(sessionId, mostRunsRemembered, tellingTypes)
      : []
  }
}
