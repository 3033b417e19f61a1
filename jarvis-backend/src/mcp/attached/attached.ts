import {
  type AttachedLogLine,
  type AttachedServer,
  type AttachedServerConfig,
  type AttachedServersReply,
  type AttachedSignInReply,
  type AttachedTier,
  type AttachedToolInfo,
  attachedServerOf,
  JarvisError,
} from 'protocol'
import { quoted } from 'redaction/visible'
import type { Tool } from '../../tools/tool.ts'
import { shownConfig, unshown } from './secrets.ts'
import { type AttachedEntry, type AttachedParts, type Attachment, allowProgram, attach, takesSignIn } from './server.ts'
import type { SignIns } from './sign-in/sign-ins.ts'

/** The MCP servers of `mcp.json`, of which JARVIS is a client. Operators' changes are journalled. */
export type AttachedServers = {
  /** All their tools; a new array after each change. */
  tools(): readonly Tool[]
  list(): AttachedServersReply
  logs(name: string): AttachedLogLine[]
  add(name: string, config: AttachedServerConfig, by: string): AttachedServer
  /** Values that are `[redacted]` keep their present content. */
  change(name: string, config: AttachedServerConfig, by: string): AttachedServer
  remove(name: string, by: string): void
  setTier(toolName: string, tier: AttachedTier, hash: string, by: string): AttachedToolInfo
  /** Connects now, whatever failed before. */
  retry(name: string): void
  /**
   * Lets the program of an entry start that somebody else wrote into `mcp.json`.
   * @throws JarvisError `not_found`; `conflict` where nothing waits, or it is another program than the owner saw
   */
  allow(name: string, program: string, by: string): AttachedServer
  /** Begins to sign in to a server. @param asked.origin where the owner's browser reaches JARVIS @throws JarvisError `not_found`, `conflict` */
  signIn(name: string, asked: { origin: string; by: string }): Promise<AttachedSignInReply>
  /** Takes the answer of an authorization server, and connects. @throws JarvisError `expired`, `conflict` */
  signedIn(cookie: string | undefined, answer: URLSearchParams): Promise<void>
  signOut(name: string, by: string): Promise<void>
  /** Reads `mcp.json` again. */
  reload(): void
  /** Connects to all servers that are not lazy. */
  start(): void
  /** Ends every process. */
  stop(): Promise<void>
}

type McpFile = { servers: ReadonlyMap<string, AttachedEntry>; problems: string[]; isBroken: boolean }

export function createAttachedServers(
  parts: Omit<AttachedParts, 'redact' | 'signIns'> & {
    signIns: SignIns
    redact: AttachedParts['redact'] & { add(secrets: readonly string[]): void }
    file: { read(): McpFile; write(name: string, config: AttachedServerConfig | undefined): void }
    report(error: unknown, message: string): void
  },
): AttachedServers {
  const { journal, transactions, store, file, redact, announce } = parts
  const attached = new Map<string, Attachment>()
  let problems: readonly string[] = []
  let all: { of: readonly (readonly Tool[])[]; tools: readonly Tool[] } = { of: [], tools: [] }
  let isStarted = false
  takeUp(undefined)

  /**
   * Attaches and detaches servers as the file says.
   * @param of who wrote the entry `written`, or edited the file where that is absent; undefined at the start, which is not journalled
   */
  function takeUp(of: string | undefined, written?: string) {
    const { servers, problems: found, isBroken } = file.read()
    const byOf = (name: string) => (of === undefined || written === undefined || written === name ? of : 'file')
    if (found.length > 0 && found.join('\n') !== problems.join('\n')) announce(found.join(' '), 'warning')
    problems = found
    // While the file cannot be read, attached servers keep running.
    if (isBroken) return
    for (const [name, attachment] of attached) {
      const entry = servers.get(name)
      if (entry !== undefined && isSame(entry, attachment.entry)) continue
      attached.delete(name)
      attachment.stop().catch((error: unknown) => parts.report(error, `the attached server ${name} could not be ended`))
      const by = byOf(name)
      parts.signIns
        .leave(name, entry && takesSignIn(entry.config) ? entry.config.url : undefined, by ?? 'file')
        .catch((error: unknown) => parts.report(error, `the sign-in to ${name} could not be ended`))
      if (entry !== undefined) continue
      transactions.durably(() => {
        store.forget(name)
        if (by !== undefined) journal.append('mcp_server', { change: 'removed', server: name, by })
      })
      announce(`The MCP server ${name} is no longer attached.`, 'info')
    }
    for (const [name, entry] of servers) {
      if (attached.has(name)) continue
      const { written } = entry
      redact.add(entry.secrets)
      const attachment = attach(name, entry, parts)
      attached.set(name, attachment)
      const by = byOf(name)
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
      if (isStarted) attachment.start()
    }
    parts.changed()
  }

  function named(name: string): Attachment {
    const attachment = attached.get(name)
    if (attachment === undefined) throw new JarvisError('not_found', `There is no attached server ${name}.`)
    return attachment
  }

  function write(name: string, config: AttachedServerConfig | undefined, by: string) {
    file.write(name, config)
    const entry = config && file.read().servers.get(name)
    if (entry !== undefined) transactions.durably(() => allowProgram(name, entry, by, parts))
    takeUp(by, name)
  }

  return {
    tools() {
      const of = [...attached.values()].map((attachment) => attachment.tools())
      if (of.length !== all.of.length || of.some((tools, index) => tools !== all.of[index])) {
        all = { of, tools: of.flat() }
      }
      return all.tools
    },
    list: () => ({ items: [...attached.values()].map((attachment) => attachment.show()), problems: [...problems] }),
    logs: (name) => named(name).logs(),
    add(name, config, by) {
      if (attached.has(name)) throw new JarvisError('conflict', `There is an attached server ${name} already.`)
      write(name, config, by)
      return named(name).show()
    },
    change(name, config, by) {
      write(name, unshown(config, named(name).entry.written), by)
      return named(name).show()
    },
    remove(name, by) {
      named(name)
      write(name, undefined, by)
    },
    setTier: (toolName, ...rest) => named(attachedServerOf(toolName) ?? '').setTier(toolName, ...rest),
    retry: (name) => named(name).retry(),
    allow(name, program, by) {
      const { entry, waits, program: now, stop } = named(name)
      if (!waits) throw new JarvisError('conflict', `Nothing of the server ${name} waits to be allowed.`)
      if (program !== now)
        throw new JarvisError('conflict', `The program of ${name} has changed since you saw it. Look at it again.`)
      transactions.durably(() => {
        allowProgram(name, entry, by, parts)
        journal.append('mcp_server', {
          change: 'program_allowed',
          server: name,
          config: redact.value(shownConfig(entry.written)),
          by,
        })
      })
      stop().catch((error: unknown) => parts.report(error, `the attached server ${name} could not be ended`))
      const attachment = attach(name, entry, parts)
      attached.set(name, attachment)
      announce(`The program of the MCP server ${name} is allowed.`, 'info')
      if (isStarted) attachment.start()
      parts.changed()
      return attachment.show()
    },
    async signIn(name, asked) {
      const { config } = named(name).entry
      if (!config.enabled) throw new JarvisError('conflict', `The server ${name} is turned off.`)
      if (takesSignIn(config)) return parts.signIns.begin(name, config, asked)
      throw new JarvisError(
        'conflict',
        config.type === 'stdio'
          ? `${name} is a program, which signs in by itself.`
          : `${name} is given a token in its headers. Remove the header Authorization from mcp.json first.`,
      )
    },
    async signedIn(cookie, answer) {
      const isStill = (name: string, url: string) => {
        const { config } = attached.get(name)?.entry ?? {}
        return config !== undefined && config.type !== 'stdio' && config.url === url
      }
      const name = await parts.signIns.finish(cookie, answer, isStill)
      if (isStarted) named(name).retry()
    },
    async signOut(name, by) {
      const { config } = named(name).entry
      await parts.signIns.signOut(name, by)
      if (isStarted && config.enabled) named(name).retry()
    },
    reload: () => takeUp('file'),
    start() {
      isStarted = true
      for (const attachment of attached.values()) attachment.start()
    },
    async stop() {
      await Promise.all([...attached.values()].map((attachment) => attachment.stop()))
    },
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
