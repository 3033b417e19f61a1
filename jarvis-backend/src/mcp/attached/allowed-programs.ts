import { hashOf } from 'node-kit/canonical'
import type { AttachedServerConfig } from 'protocol'
import type { AttachedStore } from '../../calls/ports.ts'
import type { Clock } from '../../lib/clock.ts'

/** A server as it is used, and as it stands in `mcp.json`, where a `${NAME}` is not filled yet. */
export type AttachedEntry = { config: AttachedServerConfig; written: AttachedServerConfig; secrets: readonly string[] }

/** The program or address of a server. Its kept tools belong to exactly this one. */
export type Origin =
  | { command: string; args: readonly string[]; cwd?: string | undefined }
  | { type: 'http' | 'sse'; url: string }

export const originOf = (config: AttachedServerConfig): Origin =>
  config.type === 'stdio'
    ? { command: config.command, args: config.args, cwd: config.cwd }
    : { type: config.type, url: config.url }

/**
 * The hash of what an owner must have seen before an entry is used. A program: its environment counts too, because it can make the program
 * load another one. An address to which `${NAME}` sends values of JARVIS's environment: the names count, not the values. Undefined: nothing
 * must be seen.
 */
export function programOf({ config, written }: Pick<AttachedEntry, 'config' | 'written'>): string | undefined {
  if (!config.enabled) return undefined
  if (config.type === 'stdio') return hashOf({ ...originOf(config), env: config.env })
  return JSON.stringify(written).includes('${') ? hashOf(written) : undefined
}

/** The programs and addresses of servers that an owner allowed. */
export class AllowedPrograms {
  readonly #store: Pick<AttachedStore, 'allow' | 'allowed' | 'disallow'>
  readonly #clock: Pick<Clock, 'now'>

  constructor({ store, clock }: { store: AttachedStore; clock: Pick<Clock, 'now'> }) {
    this.#store = store
    this.#clock = clock
  }

  /** Keeps that an owner wrote an entry or allowed it: its program may start. */
  allow(name: string, entry: Pick<AttachedEntry, 'config' | 'written'>, by: string): void {
    const hash = programOf(entry)
    if (hash === undefined) this.#store.disallow(name)
    else this.#store.allow(name, { hash, by, at: this.#clock.now() })
  }

  /** True if an entry would start a program, or send values to an address, that no owner allowed. */
  waits(name: string, entry: AttachedEntry): boolean {
    const allowed = this.#store.allowed(name)
    const program = programOf(entry)
    if (program === undefined || allowed?.hash === program) return false
    const ranBefore = allowed?.by === '' && allowed.hash === hashOf(originOf(entry.config))
    if (ranBefore) this.allow(name, entry, 'upgrade')
    return !ranBefore
  }
}
