import {
  JarvisError,
  type JournalEntry,
  type PolicyCheckReply,
  type PolicyReplayReply,
  type PolicyReply,
} from 'protocol'
import type { ActivePolicy } from '../calls/active-policy.ts'
import { policyPath, policyText } from '../config/policy-file.ts'
import {
  attachedToolsIn,
  changesOf,
  compilePolicy,
  type PolicyFile,
  parsePolicy,
  policyLines,
  Replay,
  summaryOf,
  unmetIn,
} from '../gate/index.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { houseFacts, houseTools } from '../tools/house.ts'

/** Entries that are read and judged at once, between two turns of the event loop. */
const pageSize = 200

type Parts = {
  dataDir: string
  policy: Pick<ActivePolicy, 'current'>
  /** The targets that the environment protects. */
  protectedTargets: ReadonlySet<string>
  journal: Pick<KeptJournal, 'page'>
  people: { list(): readonly (Parameters<typeof unmetIn>[1][number] & { disabledAt?: number | undefined })[] }
}

/** Shows policy.yaml to an owner, and judges drafts of it, as `jarvis policy` does. Never writes the file. */
export class PolicyDesk {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  state(): PolicyReply {
    const { dataDir, policy } = this.#parts
    const read = policyText(dataDir).read()
    const file = 'problem' in read ? { text: '', hash: '', problem: read.problem } : read
    return { path: policyPath(dataDir), ...file, lines: policyLines(policy.current(), houseFacts) }
  }

  check(text: string): PolicyCheckReply {
    const parsed = parsePolicy(text, houseFacts)
    if (!parsed.ok) return { problems: parsed.problems, changes: [], unmet: [], unchecked: [] }
    const { file } = parsed
    const enrolled = this.#parts.people.list().filter(({ disabledAt }) => disabledAt === undefined)
    return {
      problems: [],
      summary: summaryOf(file),
      changes: changesOf(file, houseFacts),
      unmet: unmetIn(file, enrolled),
      unchecked: attachedToolsIn(file),
    }
  }

  /** @throws JarvisError `invalid_request` if the draft cannot be used */
  async replay(text: string, most: number): Promise<PolicyReplayReply> {
    const replay = new Replay(this.#compile(usable(text)), houseTools)
    const entries = await this.#newest(most)
    for (const [at, entry] of entries.toReversed().entries()) {
      replay.add(entry)
      if (at % pageSize === pageSize - 1) await new Promise(setImmediate)
    }
    const since = entries.at(-1)?.at
    return { ...replay.result(), ...(since !== undefined && { since }) }
  }

  #compile(file: PolicyFile) {
    return compilePolicy({ file, protectedTargets: this.#parts.protectedTargets })
  }

  /** Returns the newest entries, newest first. */
  async #newest(most: number): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = []
    let before: number | undefined
    do {
      const limit = Math.min(pageSize, most - entries.length)
      const page = await this.#parts.journal.page({ limit, before })
      entries.push(...page.items)
      before = page.next === undefined ? undefined : Number(page.next)
    } while (before !== undefined && entries.length < most)
    return entries
  }
}

/** @throws JarvisError `invalid_request` with the first problem */
function usable(text: string): PolicyFile {
  const parsed = parsePolicy(text, houseFacts)
  if (parsed.ok) return parsed.file
  const [first] = parsed.problems
  throw new JarvisError('invalid_request', `Line ${first?.line}: ${first?.message} Mend the draft first.`)
}
