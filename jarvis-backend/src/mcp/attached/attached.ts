import {
  type AttachedLogLine,
  type AttachedServer,
  type AttachedServerConfig,
  type AttachedServersReply,
  type AttachedSignInReply,
  type AttachedToolInfo,
  attachedServerOf,
  JarvisError,
} from 'protocol'
import { quoted } from 'redaction/visible'
import type { Tool } from '../../tools/tool.ts'
import { AllowedPrograms, type AttachedEntry } from './allowed-programs.ts'
import { shownConfig, unshown } from './secrets.ts'
import { type AttachedParts, Attachment, type TierOfHash, takesSignIn } from './server.ts'
import type { SignIns } from './sign-in/sign-ins.ts'

/** The attached servers: MCP servers from `mcp.json`, to which JARVIS connects as a client. Changes by operators are journalled. */
export interface AttachedServers {
  /** All tools of all attached servers; a new array after each change. */
  tools(): readonly Tool[]
  list(): AttachedServersReply
  logs(name: string): AttachedLogLine[]
  add(name: string, config: AttachedServerConfig, by: string): AttachedServer
  /** Values that are `[redacted]` keep their present content. */
  change(name: string, config: AttachedServerConfig, by: string): AttachedServer
  remove(name: string, by: string): void
  setTier(toolName: string, set: TierOfHash, by: string): AttachedToolInfo
  /** Connects now, even if earlier attempts failed. */
  retry(name: string): void
  /**
   * Allows an entry that was not written by an owner, so that its program may start. @param program the hash that the owner saw @throws JarvisError
   * `not_found`; `conflict` if the entry does not wait, or its program is not the one that the owner saw
   */
  allow(name: string, program: string, by: string): AttachedServer
  /**
   * Begins a sign-in to a server. @param asked.origin the origin at which the owner's browser reaches JARVIS @throws JarvisError `not_found`,
   * `conflict`
   */
  signIn(name: string, asked: { origin: string; by: string }): Promise<AttachedSignInReply>
  /** Processes the answer of an authorization server, and connects. @throws JarvisError `expired`, `conflict` */
  signedIn(cookie: string | undefined, answer: URLSearchParams): Promise<void>
  signOut(name: string, by: string): Promise<void>
  /** Reads `mcp.json` again. */
  reload(): void
  /** Connects to all servers that are not lazy. */
  start(): void
  /** Disconnects all servers and ends their processes. */
  stop(): Promise<void>
}

type McpFile = { servers: ReadonlyMap<string, AttachedEntry>; problems: string[]; isBroken: boolean }

export type AttachedServersParts = Omit<AttachedParts, 'redact' | 'signIns'> & {
  signIns: SignIns
  redact: AttachedParts['redact'] & { add(secrets: readonly string[]): void }
  file: { read(): McpFile; write(name: string, config: AttachedServerConfig | undefined): void }
  report(error: unknown, message: string): void
}

/** The author of a change of `mcp.json`. `written`: the entry that `by` wrote; absent if `by` edited the file. */
type Edit = { by: string; written?: string }

/**
 * Returns the person or door that changed an entry. If `by` wrote one entry, the other changes that are found at the same time are attributed to
 * `file`.
 */
const editorOf = (edit: Edit | undefined, name: string): string | undefined =>
  edit === undefined || edit.written === undefined || edit.written === name ? edit?.by : 'file'

export class ServersOfFile implements AttachedServers {
  readonly #parts: AttachedServersParts & { programs: AllowedPrograms }
  readonly #attached = new Map<string, Attachment>()
  #problems: readonly string[] = []
  #all: { of: readonly (readonly Tool[])[]; tools: readonly Tool[] } = { of: [], tools: [] }
  #isStarted = false

  constructor(parts: AttachedServersParts) {
    this.#parts = { ...parts, programs: new AllowedPrograms(parts) }
    this.#takeUp(undefined)
  }

  tools(): readonly Tool[] {
    const of = [...this.#attached.values()].map((attachment) => attachment.tools())
    const isSame = of.length === this.#all.of.length && of.every((tools, index) => tools === this.#all.of[index])
    if (!isSame) this.#all = { of, tools: of.flat() }
    return this.#all.tools
  }

  list(): AttachedServersReply {
    return {
      items: [...this.#attached.values()].map((attachment) => attachment.show()),
      problems: [...this.#problems],
    }
  }

  logs(name: string): AttachedLogLine[] {
    return this.#named(name).logs()
  }

  add(name: string, config: AttachedServerConfig, by: string): AttachedServer {
    if (this.#attached.has(name)) throw new JarvisError('conflict', `There is an attached server ${name} already.`)
    this.#write(name, config, by)
    return this.#named(name).show()
  }

  change(name: string, config: AttachedServerConfig, by: string): AttachedServer {
    this.#write(name, unshown(config, this.#named(name).entry.written), by)
    return this.#named(name).show()
  }

  remove(name: string, by: string): void {
    this.#named(name)
    this.#write(name, undefined, by)
  }

  setTier(toolName: string, set: TierOfHash, by: string): AttachedToolInfo {
    return this.#named(attachedServerOf(toolName) ?? '').setTier(toolName, set, by)
  }

  retry(name: string): void {
    this.#named(name).retry()
  }

  allow(name: string, program: string, by: string): AttachedServer {
    const { transactions, programs, journal, redact, announce } = this.#parts
    const before = this.#named(name)
    const { entry } = before
    if (!before.waits) throw new JarvisError('conflict', `Nothing of the server ${name} waits to be allowed.`)
    if (program !== before.program)
      throw new JarvisError('conflict', `The program of ${name} has changed since you saw it. Look at it again.`)
    transactions.durably(() => {
      programs.allow(name, entry, by)
      journal.append('mcp_server', {
        change: 'program_allowed',
        server: name,
        config: redact.value(shownConfig(entry.written)),
        by,
      })
    })
    this.#end(name, before)
    const attachment = new Attachment(name, entry, this.#parts)
    this.#attached.set(name, attachment)
    announce(`The program of the MCP server ${name} is allowed.`, 'info')
    if (this.#isStarted) attachment.start()
    this.#parts.changed()
    return attachment.show()
  }

  async signIn(name: string, asked: { origin: string; by: string }): Promise<AttachedSignInReply> {
    const { config } = this.#named(name).entry
    if (!config.enabled) throw new JarvisError('conflict', `The server ${name} is turned off.`)
    if (takesSignIn(config)) return this.#parts.signIns.begin(name, config, asked)
    throw new JarvisError(
      'conflict',
      config.type === 'stdio'
        ? `${name} is a program, which signs in by itself.`
        : `${name} is given a token in its headers. Remove the header Authorization from mcp.json first.`,
    )
  }

  async signedIn(cookie: string | undefined, answer: URLSearchParams): Promise<void> {
    const isStill = (name: string, url: string) => {
      const { config } = this.#attached.get(name)?.entry ?? {}
      return config !== undefined && config.type !== 'stdio' && config.url === url
    }
    const name = await this.#parts.signIns.finish(cookie, answer, isStill)
    if (this.#isStarted) this.#named(name).retry()
  }

  async signOut(name: string, by: string): Promise<void> {
    const { config } = this.#named(name).entry
    await this.#parts.signIns.signOut(name, by)
    if (this.#isStarted && config.enabled) this.#named(name).retry()
  }

  reload(): void {
    this.#takeUp({ by: 'file' })
  }

  start(): void {
    this.#isStarted = true
    for (const attachment of this.#attached.values()) attachment.start()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#attached.values()].map((attachment) => attachment.stop()))
  }

  #named(name: string): Attachment {
    const attachment = this.#attached.get(name)
    if (attachment === undefined) throw new JarvisError('not_found', `There is no attached server ${name}.`)
    return attachment
  }

  #write(name: string, config: AttachedServerConfig | undefined, by: string): void {
    const { file, transactions, programs } = this.#parts
    file.write(name, config)
    const entry = config && file.read().servers.get(name)
    if (entry !== undefined) transactions.durably(() => programs.allow(name, entry, by))
    this.#takeUp({ by, written: name })
  }

  /** Attaches and detaches servers as the file says. @param edit undefined at the start, which is not journalled */
  #takeUp(edit: Edit | undefined): void {
    const { servers, problems, isBroken } = this.#parts.file.read()
    if (problems.length > 0 && problems.join('\n') !== this.#problems.join('\n'))
      this.#parts.announce(problems.join(' '), 'warning')
    this.#problems = problems
    // While the file cannot be read, attached servers keep running.
    if (isBroken) return
    for (const [name, attachment] of this.#attached) {
      const entry = servers.get(name)
      if (entry === undefined || !isSame(entry, attachment.entry)) this.#detach(name, entry, editorOf(edit, name))
    }
    for (const [name, entry] of servers) if (!this.#attached.has(name)) this.#attach(name, entry, editorOf(edit, name))
    this.#parts.changed()
  }

  /** Detaches a server. @param next the changed entry; undefined if the file no longer has an entry of this name */
  #detach(name: string, next: AttachedEntry | undefined, by: string | undefined): void {
    const { transactions, store, journal, announce, report, signIns } = this.#parts
    const attachment = this.#named(name)
    this.#attached.delete(name)
    this.#end(name, attachment)
    signIns
      .leave(name, next && takesSignIn(next.config) ? next.config.url : undefined, by ?? 'file')
      .catch((error: unknown) => report(error, `the sign-in to ${name} could not be ended`))
    if (next !== undefined) return
    transactions.durably(() => {
      store.forget(name)
      if (by !== undefined) journal.append('mcp_server', { change: 'removed', server: name, by })
    })
    announce(`The MCP server ${name} is no longer attached.`, 'info')
  }

  #attach(name: string, entry: AttachedEntry, by: string | undefined): void {
    const { transactions, journal, redact, announce } = this.#parts
    const { written } = entry
    redact.add(entry.secrets)
    const attachment = new Attachment(name, entry, this.#parts)
    this.#attached.set(name, attachment)
    if (by !== undefined) {
      transactions.durably(() =>
        journal.append('mcp_server', {
          change: attachment.waits ? 'program_waits' : 'set',
          server: name,
          config: redact.value(shownConfig(written)),
          by,
        }),
      )
    }
    if (attachment.waits) announce(waitingWords(name, shownConfig(written)), 'warning')
    else if (by !== undefined)
      announce(`The MCP server ${name} is ${written.enabled ? 'attached' : 'turned off'}.`, 'info')
    if (this.#isStarted) attachment.start()
  }

  #end(name: string, attachment: Attachment): void {
    attachment
      .stop()
      .catch((error: unknown) => this.#parts.report(error, `the attached server ${name} could not be ended`))
  }
}

function waitingWords(name: string, config: AttachedServerConfig): string {
  const what =
    config.type === 'stdio'
      ? `starts a program that no owner allowed: ${name}, ${quoted([config.command, ...config.args].join(' '), 300)}. It is not started`
      : `sends values of JARVIS’s environment to a server that no owner allowed: ${name}, ${quoted(config.url, 300)}. Nothing is sent`
  return `mcp.json ${what}. If you wrote it, allow it under Settings, MCP servers; otherwise remove it there.`
}

const isSame = (a: AttachedEntry, b: AttachedEntry) => JSON.stringify(a) === JSON.stringify(b)
