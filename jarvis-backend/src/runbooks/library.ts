import { createHash } from 'node:crypto'
import { type Fault, JarvisError, type OfferedRunbook, type Runbook, type RunbookText } from 'protocol'
import { type Parsed, parseRunbook } from './parse.ts'
import type { Procedure, Tools } from './procedure.ts'

/** A text to save. `hash`: the hash of the text that the person edited; undefined for a new runbook. */
type GivenText = { text: string; hash: string | undefined }

/** The access to the workspace’s files that runbooks need. */
export type Files = {
  list(): { path: string; changedAt: number }[]
  read(path: string): { text: string; checksum: string; changedAt: number; problem?: string | undefined }
  write(path: string, text: string, expected: string | undefined): unknown
  remove(path: string): void
}

/** A change of a runbook. `path`: its file. `hash`: SHA-256 of its new text. */
export type RunbookChange = { change: 'saved' | 'removed'; runbook: string; path: string; hash?: string; by: string }

export interface Library {
  /** Returns all runbooks, including those with faults. */
  list(): Runbook[]
  /** Returns a runbook with its text. @throws JarvisError `not_found` */
  get(name: string): RunbookText
  /**
   * Returns the name of the runbook in a file of the workspace; undefined if the file is not a runbook.
   * @throws JarvisError `invalid_request` for a path that some file systems treat as a path in `runbooks/`, such as `Runbooks/a.md`
   */
  nameOf(path: string): string | undefined
  /** Returns the steps to run. @throws JarvisError `not_found`; `conflict` with the first fault if the runbook has faults */
  procedure(name: string): { procedure: Procedure; hash: string }
  /** Parses a text without saving it. */
  parse(text: string): Parsed & { hash: string }
  /**
   * Saves a text. A text with faults is refused, and the saved text stays in use.
   * @throws JarvisError `invalid_request` with the first fault and its line; `conflict` if the file was changed in the meantime
   */
  save(name: string, given: GivenText, by: string): RunbookText
  /** Removes a runbook. @throws JarvisError `not_found` */
  remove(name: string, by: string): void
  /**
   * Returns the runbooks for an alert: runbooks that list the alert’s check under `alerts`, and runbooks that the check itself names. Each comes
   * with the inputs that the alert provides. A runbook that requires further inputs is left out.
   */
  offers(check: string, alert: AlertFacts): OfferedRunbook[]
  /** Writes the shipped runbooks that were never written to this workspace before. Existing files stay. */
  ship(): void
}

/** The facts of an alert. `runbooks`: names that its check gives. `inputs`: values that the check gives, by the input's name. */
export type AlertFacts = {
  object: { name?: string; node?: string; vmid?: number; id: string }
  runbooks?: readonly string[]
  inputs?: Readonly<Record<string, string | number>>
}

const folder = 'runbooks/'
const nameForm = /^[a-z0-9][a-z0-9-]{0,59}$/
const shippedKey = 'shippedRunbooks'

export type RunbookLibraryParts = {
  files: Files
  tools: Tools
  /** The texts of the shipped runbooks, by name. */
  shipped: ReadonlyMap<string, string>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  lastRun(name: string): Runbook['lastRun']
  /** Makes a change, and journals it with the runbook’s name and the person. If the change throws, nothing is journalled. */
  record(change: RunbookChange, work: () => void): void
  changed(): void
  report(error: unknown, message: string): void
}

type Read = RunbookText & { procedure: Procedure | undefined }

/** The runbooks in the `runbooks/` folder of the workspace. */
export class RunbookLibrary implements Library {
  readonly #parts: RunbookLibraryParts
  /** Parsed texts by name. `tools`: the tools with which the text was parsed, as `#standing` returns them. */
  readonly #known = new Map<string, { hash: string; parsed: Parsed; tools: string }>()

  constructor(parts: RunbookLibraryParts) {
    this.#parts = parts
  }

  list(): Runbook[] {
    const now = this.#standing()
    return this.#names().flatMap((name) => {
      try {
        const { text: _, ...runbook } = withoutProcedure(this.#read(name, now))
        return [runbook]
      } catch (error) {
        this.#parts.report(error, `the runbook ${name} could not be read`)
        return []
      }
    })
  }

  nameOf(path: string): string | undefined {
    if (!path.normalize('NFKC').toLowerCase().startsWith(folder)) return undefined
    const name = path.endsWith('.md') ? path.slice(folder.length, -3) : ''
    if (path.startsWith(folder) && nameForm.test(name)) return name
    throw new JarvisError('invalid_request', 'In runbooks/ are runbooks alone. Name it like runbooks/hot-node.md.')
  }

  get(name: string): RunbookText {
    return withoutProcedure(this.#read(name))
  }

  procedure(name: string): { procedure: Procedure; hash: string } {
    const { procedure, hash, faults } = this.#read(name)
    if (procedure !== undefined) return { procedure, hash }
    throw new JarvisError('conflict', `The runbook ${name} cannot run: ${faultWords(faults)}`)
  }

  parse(text: string): Parsed & { hash: string } {
    return { ...parseRunbook(text, this.#parts.tools), hash: hashOfText(text) }
  }

  save(name: string, { text, hash }: GivenText, by: string): RunbookText {
    const { files, tools, record, changed } = this.#parts
    const path = pathOf(name)
    const { faults } = parseRunbook(text, tools).facts
    if (faults.length > 0) throw new JarvisError('invalid_request', `Nothing was saved: ${faultWords(faults)}`)
    const before = files.list().some((file) => file.path === path) ? files.read(path) : undefined
    if ((before && hashOfText(before.text)) !== hash) {
      const why =
        before === undefined ? 'is gone. Save it as a new one.' : 'was changed meanwhile. Read it again first.'
      throw new JarvisError('conflict', `The runbook ${name} ${why}`)
    }
    const change = { change: 'saved', runbook: name, path, hash: hashOfText(text), by } as const
    record(change, () => files.write(path, text, before?.checksum))
    changed()
    return withoutProcedure(this.#read(name))
  }

  remove(name: string, by: string): void {
    const { files, record, changed } = this.#parts
    const path = pathOf(name)
    record({ change: 'removed', runbook: name, path, by }, () => files.remove(path))
    changed()
  }

  offers(check: string, { object, runbooks = [], inputs: known = {} }: AlertFacts): OfferedRunbook[] {
    return this.list()
      .filter(({ name, alerts, faults }) => faults.length === 0 && (alerts.includes(check) || runbooks.includes(name)))
      .flatMap(({ name, title, inputs }) => {
        const given = inputs.flatMap(({ name: input, type }) => {
          const value = (Object.hasOwn(known, input) ? known[input] : undefined) ?? valueFor(type, object)
          return value === undefined ? [] : [[input, value] as const]
        })
        const isFitting = inputs.every(
          ({ name: input, isRequired }) => !isRequired || given.some(([one]) => one === input),
        )
        return isFitting ? [{ name, title, inputs: Object.fromEntries(given) }] : []
      })
  }

  ship(): void {
    const { files, settings, shipped } = this.#parts
    const written = new Set((settings.get(shippedKey) ?? '').split(',').filter((name) => name !== ''))
    const there = new Set(this.#names())
    for (const [name, text] of shipped) {
      if (written.has(name)) continue
      if (!there.has(name)) files.write(pathOf(name), text, undefined)
      written.add(name)
    }
    settings.set(shippedKey, [...written].join())
  }

  /**
   * Returns the names and tiers of the tools as one text. They change with the policy and with attached servers, and then the faults of runbooks may
   * change.
   */
  #standing(): string {
    const { tools } = this.#parts
    return tools
      .names()
      .map((name) => `${name} ${tools.get(name)?.tier}`)
      .join()
  }

  #names(): string[] {
    return this.#parts.files
      .list()
      .flatMap(({ path }) => (path.startsWith(folder) && path.endsWith('.md') ? [path.slice(folder.length, -3)] : []))
      .filter((name) => nameForm.test(name))
  }

  /** Reads and parses a runbook. @param now the current value of `#standing`; undefined: it is computed */
  #read(name: string, now = this.#standing()): Read {
    const { files, shipped } = this.#parts
    const path = pathOf(name)
    if (!files.list().some((file) => file.path === path))
      throw new JarvisError('not_found', `There is no runbook ${name}.`)
    const { text, changedAt, problem } = files.read(path)
    const hash = hashOfText(text)
    const { facts, procedure } = this.#parsed({ name, text, hash, now })
    return {
      ...facts,
      name,
      faults: problem === undefined ? facts.faults : [{ line: 1, message: problem }, ...facts.faults],
      text,
      hash,
      changedAt,
      isShipped: shipped.get(name) === text,
      lastRun: this.#parts.lastRun(name),
      procedure: problem === undefined ? procedure : undefined,
    }
  }

  #parsed({ name, text, hash, now }: { name: string; text: string; hash: string; now: string }): Parsed {
    const before = this.#known.get(name)
    if (before?.hash === hash && before.tools === now) return before.parsed
    const parsed = parseRunbook(text, this.#parts.tools)
    this.#known.set(name, { hash, parsed, tools: now })
    return parsed
  }
}

/** Returns the path of a runbook’s file. @throws JarvisError `invalid_request` if the name is not allowed */
function pathOf(name: string): string {
  if (!nameForm.test(name))
    throw new JarvisError('invalid_request', 'A runbook’s name has 1 to 60 of a-z, 0-9 and -, such as hot-node.')
  return `${folder}${name}.md`
}

const withoutProcedure = ({ procedure: _, ...runbook }: Read): RunbookText => runbook

/** Returns the value that an alert’s object provides for an input of this type; undefined if it provides none. */
function valueFor(type: Runbook['inputs'][number]['type'], { id, node, vmid }: AlertFacts['object']) {
  if (type === 'node') return node
  if (type === 'guest') return vmid
  if (type === 'storage') return /^storage\/(?:.*\/)?([^/]+)$/.exec(id)?.[1]
  return undefined
}

/** Returns the first fault with its line, and the number of further faults, as text. */
export function faultWords([first, ...others]: readonly Fault[]): string {
  if (first === undefined) return ''
  return `line ${first.line}: ${first.message}${others.length === 0 ? '' : ` And ${others.length} more.`}`
}

const hashOfText = (text: string) => createHash('sha256').update(text).digest('hex')
