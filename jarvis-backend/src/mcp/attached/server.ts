import { hashOf } from 'node-kit/canonical'
import type { AttachedLogLine, AttachedServer, AttachedServerConfig, AttachedTier, AttachedToolInfo } from 'protocol'
import { JarvisError } from 'protocol'
import type { AttachedStore, AttachedTierRow, Journal, Transactions } from '../../calls/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Tool } from '../../tools/tool.ts'
import { type AllowedPrograms, type AttachedEntry, type Origin, originOf, programOf } from './allowed-programs.ts'
import { Askers } from './askers.ts'
import { type Connection, ServerConnection } from './connection.ts'
import { type Definition, definitionsOf, type Listed, type Refused } from './definition.ts'
import { type AttachedLog, createAttachedLog } from './log.ts'
import { problemKey } from './received.ts'
import { shownConfig } from './secrets.ts'
import type { SignIns } from './sign-in/sign-ins.ts'
import { attachedTool } from './tool.ts'

export type AttachedParts = {
  store: AttachedStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  /** The environment and default working directory for a server's process. */
  env: Record<string, string>
  cwd: string
  version: string
  redact: { text(text: string): string; value<T>(value: T): T }
  /** Shows one line to people. */
  announce(text: string, level: 'info' | 'warning'): void
  signIns: Pick<SignIns, 'fetchOf' | 'of'>
  /** Called when data that clients see has changed. */
  changed(): void
}

/** A tier that an operator sets for the definition with this hash, which the operator saw. */
export type TierOfHash = { tier: AttachedTier; hash: string }

/** True if a server gets the token of a sign-in. An entry with an `Authorization` header of its own gets none. */
export const takesSignIn = (config: AttachedServerConfig): config is Extract<AttachedServerConfig, { url: string }> =>
  config.type !== 'stdio' && !Object.keys(config.headers).some((header) => header.toLowerCase() === 'authorization')

/** One attached server: its connection, the tools it listed last, and their tiers. */
export class Attachment {
  readonly entry: AttachedEntry
  /** True while the server waits for an owner to allow its program. */
  readonly waits: boolean
  /** Hash of the program that would start; another hash means another program. Undefined if none would start. */
  readonly program: string | undefined
  readonly #name: string
  readonly #parts: AttachedParts
  readonly #mayRun: boolean
  readonly #origin: Origin
  readonly #log: AttachedLog
  readonly #askers: Askers
  readonly #connection: Connection
  /** True if the server's tools were kept at an earlier start. */
  readonly #isKnown: boolean
  #definitions: readonly Definition[] = []
  #refused: readonly Refused[] = []
  #tiers = new Map<string, AttachedTierRow>()
  #tools: readonly Tool[] = []

  constructor(name: string, entry: AttachedEntry, parts: AttachedParts & { programs: AllowedPrograms }) {
    const { config } = entry
    const { store, clock, redact, version, env, cwd } = parts
    this.#name = name
    this.entry = entry
    this.#parts = parts
    this.program = programOf(entry)
    this.waits = parts.programs.waits(name, entry)
    this.#mayRun = config.enabled && !this.waits
    this.#origin = originOf(config)
    const log = createAttachedLog(clock.now, redact.text)
    this.#log = log
    this.#askers = new Askers(name, (line) => log.write('jarvis', line))
    this.#connection = new ServerConnection({
      config,
      askers: this.#askers,
      signedIn: (next) => (takesSignIn(config) ? parts.signIns.fetchOf(name, config.url, next) : next),
      version,
      clock,
      env,
      cwd,
      log,
      redact: redact.text,
      listed: (listed) => this.#listed(listed),
      changed: parts.changed,
    })
    const known = store.listed(name, this.#originHash())
    this.#isKnown = known !== undefined
    this.#take(Array.isArray(known) ? (known as Listed[]) : [])
  }

  /** A new array after each change. */
  tools(): readonly Tool[] {
    return this.#tools
  }

  show(): AttachedServer {
    const { config, written } = this.entry
    const { redact, signIns } = this.#parts
    const signIn = config.enabled && takesSignIn(config) ? signIns.of(this.#name, config.url) : undefined
    return {
      name: this.#name,
      type: config.type,
      config: shownConfig(written),
      ...this.#connection.standing(),
      signIn,
      ...(!config.enabled && { state: 'disabled' as const }),
      ...(this.waits && this.program !== undefined && { state: 'waiting' as const, program: this.program }),
      tools: this.#definitions.map((definition) => this.#info(definition)),
      refused: this.#refused.map(({ toolName, problem }) => ({
        toolName: redact.text(toolName),
        problem: redact.text(problem),
      })),
    }
  }

  logs(): AttachedLogLine[] {
    return this.#log.lines()
  }

  /** Sets the tier of a tool. @throws JarvisError `not_found`; `conflict` if the tool's definition is not the one that the operator saw */
  setTier(toolName: string, { tier, hash }: TierOfHash, by: string): AttachedToolInfo {
    const { store, journal, transactions, clock, announce } = this.#parts
    const server = this.#name
    const definition = this.#definitions.find((one) => one.name === toolName)
    if (definition === undefined) throw new JarvisError('not_found', `The server ${server} has no tool ${toolName}.`)
    if (definition.hash !== hash) {
      throw new JarvisError('conflict', `${toolName} has changed since you saw it. Look at it again; nothing was set.`)
    }
    const row = { toolName: definition.toolName, hash, tier, setBy: by, setAt: clock.now() }
    const from = this.#setOf(definition)?.tier ?? 'red'
    transactions.durably(() => {
      store.setTier(server, row)
      journal.append('mcp_server', { change: 'tier', server, toolName, from, to: tier, hash, by })
    })
    this.#tiers.set(row.toolName, row)
    this.#rebuild()
    if (from !== tier) announce(`${toolName} of the attached server ${server} is ${tier} from now on.`, 'info')
    this.#parts.changed()
    return this.#info(definition)
  }

  /** Connects, unless the server is lazy. */
  start(): void {
    const isNew = this.#definitions.length === 0 && !this.#isKnown
    if (this.#mayRun && (!this.entry.config.lazy || isNew)) this.#connection.retry()
  }

  /** Connects now. @throws JarvisError `conflict` if the server is turned off or waits for an owner */
  retry(): void {
    const name = this.#name
    if (!this.entry.config.enabled) throw new JarvisError('conflict', `The server ${name} is turned off.`)
    if (this.waits) throw new JarvisError('conflict', `The program of ${name} waits until an owner allows it.`)
    this.#connection.retry()
  }

  stop(): Promise<void> {
    return this.#connection.stop()
  }

  #originHash(): string {
    return hashOf(this.#origin)
  }

  /** Stores a list of tools that the server has just sent, and uses it. */
  #listed(listed: readonly Listed[]): void {
    const { store, transactions } = this.#parts
    this.#take(listed, () =>
      transactions.durably(() => {
        store.keepListed(
          this.#name,
          this.#originHash(),
          this.#definitions.map((definition) => definition.listed),
        )
        for (const definition of this.#definitions) this.#takeBack(definition)
      }),
    )
    for (const { toolName, problem } of this.#refused) this.#log.write('jarvis', `${toolName} is not used: ${problem}`)
    this.#parts.changed()
  }

  /** Uses a list of tools. @param keep stores the list before the tools are built from it */
  #take(listed: readonly Listed[], keep = () => {}): void {
    const read = definitionsOf(this.#name, this.#origin, listed.map(onlyUsed))
    this.#definitions = read.definitions
    this.#refused = read.refused
    this.#tiers = new Map(this.#parts.store.tiers(this.#name).map((row) => [row.toolName, row]))
    keep()
    this.#rebuild()
  }

  /** Removes the tier of a tool whose definition changed. The tier does not become valid again if the old definition returns. */
  #takeBack(definition: Definition): void {
    const { store, journal, clock, announce } = this.#parts
    const server = this.#name
    const row = this.#tiers.get(definition.toolName)
    if (row === undefined || row.changedAt !== undefined || row.hash === definition.hash) return
    const changed = { ...row, changedAt: clock.now() }
    this.#tiers.set(row.toolName, changed)
    store.setTier(server, changed)
    if (row.tier === 'red') return
    journal.append('mcp_server', {
      change: 'tier_lost',
      server,
      toolName: definition.name,
      from: row.tier,
      hashBefore: row.hash,
      hash: definition.hash,
    })
    announce(
      `${definition.name} of the attached server ${server} is not what it was, so it asks again: it was ${row.tier}, and is red.`,
      'warning',
    )
  }

  #setOf({ toolName, hash }: Definition): AttachedTierRow | undefined {
    const row = this.#tiers.get(toolName)
    return row?.hash === hash && row.changedAt === undefined ? row : undefined
  }

  #rebuild(): void {
    if (!this.#mayRun) return
    this.#tools = this.#definitions.map((definition) =>
      attachedTool(definition, this.#setOf(definition)?.tier ?? 'red', {
        server: this.#name,
        connection: this.#connection,
        askers: this.#askers,
        hashNow: () => this.#definitions.find((now) => now.name === definition.name)?.hash,
        redact: this.#parts.redact.text,
      }),
    )
  }

  #info(definition: Definition): AttachedToolInfo {
    const { redact } = this.#parts
    const { toolName, title, description, hash, suggestedTier, schema } = definition
    const row = this.#setOf(definition)
    const { changedAt } = this.#tiers.get(toolName) ?? {}
    return {
      name: definition.name,
      toolName: redact.text(toolName),
      title: redact.text(title),
      description: redact.text(description),
      inputSchema: redact.value(schema.forModel),
      hash,
      tier: row?.tier ?? 'red',
      suggestedTier,
      ...(row && { setBy: row.setBy, setAt: row.setAt }),
      ...(row === undefined && changedAt !== undefined && { changedAt }),
    }
  }
}

type Given = Listed & { _meta?: Record<string, unknown> }
/** Keeps only the fields that JARVIS uses. Icons, output schemas and other fields are removed. */
const onlyUsed = ({ name, title, description, inputSchema, annotations, _meta }: Given): Listed => ({
  name,
  ...(_meta !== undefined && problemKey in _meta && { problem: String(_meta[problemKey]) }),
  title,
  description,
  inputSchema,
  ...(annotations !== undefined && {
    annotations: {
      title: annotations.title,
      readOnlyHint: annotations.readOnlyHint,
      destructiveHint: annotations.destructiveHint,
    },
  }),
})
