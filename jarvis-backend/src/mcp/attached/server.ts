import { hashOf } from 'node-kit/canonical'
import type { AttachedLogLine, AttachedServer, AttachedServerConfig, AttachedTier, AttachedToolInfo } from 'protocol'
import { JarvisError } from 'protocol'
import type { AttachedStore, AttachedTierRow, Journal, Transactions } from '../../calls/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Tool } from '../../tools/tool.ts'
import { createAskers } from './askers.ts'
import { type Connection, ServerConnection } from './connection.ts'
import { type Definition, definitionsOf, type Listed, type Refused } from './definition.ts'
import { createAttachedLog } from './log.ts'
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
  /** Announces one line to people. */
  announce(text: string, level: 'info' | 'warning'): void
  signIns: Pick<SignIns, 'fetchOf' | 'of'>
  /** Called when what clients are shown has changed. */
  changed(): void
}

/** A server as it is used, and as it stands in `mcp.json`, where a `${NAME}` is not filled yet. */
export type AttachedEntry = { config: AttachedServerConfig; written: AttachedServerConfig; secrets: readonly string[] }

/** One attached server: its connection, its last listed tools, and their tiers. */
export type Attachment = {
  entry: AttachedEntry
  /** True while the server waits for an owner to allow its program. */
  waits: boolean
  /** A new array after each change. */
  tools(): readonly Tool[]
  show(): AttachedServer
  logs(): AttachedLogLine[]
  /** @throws JarvisError `not_found`, `conflict` where the tool is not what the operator saw */
  setTier(name: string, tier: AttachedTier, hash: string, by: string): AttachedToolInfo
  /** Hash of the program that would start: another one is another program. Undefined where none would. */
  program: string | undefined
  /** Connects, unless the server is lazy. */
  start(): void
  retry(): void
  stop(): Promise<void>
}

const originOf = (config: AttachedServerConfig) =>
  config.type === 'stdio'
    ? { command: config.command, args: config.args, cwd: config.cwd }
    : { type: config.type, url: config.url }

/**
 * What an owner must have seen before it is used: a program, whose environment counts too, because it can make it load another one; and an
 * address that `${NAME}` sends values of JARVIS's environment to, with the names and not the values.
 */
function programOf({ config, written }: Pick<AttachedEntry, 'config' | 'written'>): string | undefined {
  if (!config.enabled) return undefined
  if (config.type === 'stdio') return hashOf({ ...originOf(config), env: config.env })
  return JSON.stringify(written).includes('${') ? hashOf(written) : undefined
}

/** Keeps what an owner gave in an entry of their own: its program may start. */
export function allowProgram(
  name: string,
  entry: Pick<AttachedEntry, 'config' | 'written'>,
  by: string,
  { store, clock }: Pick<AttachedParts, 'store' | 'clock'>,
): void {
  const hash = programOf(entry)
  if (hash === undefined) store.disallow(name)
  else store.allow(name, { hash, by, at: clock.now() })
}

/** True if an entry would start a program, or send values to an address, that no owner allowed. */
function isWaiting(name: string, entry: AttachedEntry, parts: Pick<AttachedParts, 'store' | 'clock'>): boolean {
  const allowed = parts.store.allowed(name)
  const program = programOf(entry)
  if (program === undefined || allowed?.hash === program) return false
  const ranBefore = allowed?.by === '' && allowed.hash === hashOf(originOf(entry.config))
  if (ranBefore) allowProgram(name, entry, 'upgrade', parts)
  return !ranBefore
}

/** True if a sign-in's token goes to a server: it does unless the entry has an `Authorization` header of its own. */
export const takesSignIn = (config: AttachedServerConfig): config is Extract<AttachedServerConfig, { url: string }> =>
  config.type !== 'stdio' && !Object.keys(config.headers).some((header) => header.toLowerCase() === 'authorization')

export function attach(name: string, entry: AttachedEntry, parts: AttachedParts): Attachment {
  const { config } = entry
  const { store, journal, transactions, clock, redact, announce } = parts
  const { enabled, lazy } = config
  const program = programOf(entry)
  const waits = isWaiting(name, entry, parts)
  const mayRun = enabled && !waits
  const origin = originOf(config)
  const originHash = hashOf(origin)
  const log = createAttachedLog(clock.now, redact.text)
  let definitions: readonly Definition[] = []
  let refused: readonly Refused[] = []
  let tiers = new Map<string, AttachedTierRow>()
  let tools: readonly Tool[] = []
  const askers = createAskers(name, (line) => log.write('jarvis', line))
  const connection: Connection = new ServerConnection({
    config,
    askers,
    signedIn: (next) => (takesSignIn(config) ? parts.signIns.fetchOf(name, config.url, next) : next),
    version: parts.version,
    clock,
    env: parts.env,
    cwd: parts.cwd,
    log,
    redact: redact.text,
    listed(listed) {
      take(listed, true)
      parts.changed()
    },
    changed: parts.changed,
  })
  const known = store.listed(name, originHash)
  take(Array.isArray(known) ? (known as Listed[]) : [], false)

  /** Takes a list of tools over. @param isNews whether the server has just sent it */
  function take(listed: readonly Listed[], isNews: boolean) {
    const read = definitionsOf(name, origin, listed.map(onlyUsed))
    definitions = read.definitions
    refused = read.refused
    tiers = new Map(store.tiers(name).map((row) => [row.toolName, row]))
    if (isNews) {
      transactions.durably(() => {
        store.keepListed(
          name,
          originHash,
          definitions.map((definition) => definition.listed),
        )
        for (const definition of definitions) takeBack(definition)
      })
    }
    for (const { toolName, problem } of isNews ? refused : [])
      log.write('jarvis', `${toolName} is not used: ${problem}`)
    rebuild()
  }

  /** Drops the tier of a changed definition; it never counts again. */
  function takeBack(definition: Definition) {
    const row = tiers.get(definition.toolName)
    if (row === undefined || row.changedAt !== undefined || row.hash === definition.hash) return
    const changed = { ...row, changedAt: clock.now() }
    tiers.set(row.toolName, changed)
    store.setTier(name, changed)
    if (row.tier === 'red') return
    journal.append('mcp_server', {
      change: 'tier_lost',
      server: name,
      toolName: definition.name,
      from: row.tier,
      hashBefore: row.hash,
      hash: definition.hash,
    })
    announce(
      `${definition.name} of the attached server ${name} is not what it was, so it asks again: it was ${row.tier}, and is red.`,
      'warning',
    )
  }

  function setOf({ toolName, hash }: Definition) {
    const row = tiers.get(toolName)
    return row?.hash === hash && row.changedAt === undefined ? row : undefined
  }

  function rebuild() {
    tools = mayRun
      ? definitions.map((definition) =>
          attachedTool(name, definition, setOf(definition)?.tier ?? 'red', {
            connection,
            askers,
            hashNow: () => definitions.find((now) => now.name === definition.name)?.hash,
            redact: redact.text,
          }),
        )
      : []
  }

  function signInOf() {
    const signIn = enabled && takesSignIn(config) ? parts.signIns.of(name, config.url) : undefined
    return signIn === undefined ? {} : { signIn }
  }

  function info(definition: Definition): AttachedToolInfo {
    const { toolName, title, description, hash, suggestedTier, schema } = definition
    const row = setOf(definition)
    const { changedAt } = tiers.get(toolName) ?? {}
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

  return {
    entry,
    program,
    waits,
    tools: () => tools,
    show: () => ({
      name,
      type: config.type,
      config: shownConfig(entry.written),
      ...connection.standing(),
      ...signInOf(),
      ...(!enabled && { state: 'disabled' as const }),
      ...(waits && program !== undefined && { state: 'waiting' as const, program }),
      tools: definitions.map(info),
      refused: refused.map(({ toolName, problem }) => ({
        toolName: redact.text(toolName),
        problem: redact.text(problem),
      })),
    }),
    logs: log.lines,
    setTier(toolName, tier, hash, by) {
      const definition = definitions.find((one) => one.name === toolName)
      if (definition === undefined) throw new JarvisError('not_found', `The server ${name} has no tool ${toolName}.`)
      if (definition.hash !== hash) {
        throw new JarvisError(
          'conflict',
          `${toolName} has changed since you saw it. Look at it again; nothing was set.`,
        )
      }
      const row = { toolName: definition.toolName, hash, tier, setBy: by, setAt: clock.now() }
      const from = setOf(definition)?.tier ?? 'red'
      transactions.durably(() => {
        store.setTier(name, row)
        journal.append('mcp_server', { change: 'tier', server: name, toolName, from, to: tier, hash, by })
      })
      tiers.set(row.toolName, row)
      rebuild()
      if (from !== tier) announce(`${toolName} of the attached server ${name} is ${tier} from now on.`, 'info')
      parts.changed()
      return info(definition)
    },
    start() {
      if (mayRun && (!lazy || (definitions.length === 0 && known === undefined))) connection.retry()
    },
    retry() {
      if (!enabled) throw new JarvisError('conflict', `The server ${name} is turned off.`)
      if (waits) throw new JarvisError('conflict', `The program of ${name} waits until an owner allows it.`)
      connection.retry()
    },
    stop: () => connection.stop(),
  }
}

type Given = Listed & { _meta?: Record<string, unknown> }
/** The fields that are used; icons, output schemas and others are dropped. */
const onlyUsed = ({ name, title, description, inputSchema, annotations, _meta }: Given): Listed => ({
  name,
  ...(_meta !== undefined && problemKey in _meta && { problem: String(_meta[problemKey]) }),
  title,
  description,
  inputSchema,
  ...(annotations !== undefined && {
    annotations: {
      ...(annotations.title !== undefined && { title: annotations.title }),
      ...(annotations.readOnlyHint !== undefined && { readOnlyHint: annotations.readOnlyHint }),
      ...(annotations.destructiveHint !== undefined && { destructiveHint: annotations.destructiveHint }),
    },
  }),
})
