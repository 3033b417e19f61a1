import { hashOf } from 'node-kit/canonical'
import type { AttachedServerConfig } from 'protocol'
import type { AttachedStore } from '../../calls/ports.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * The entry of a server. `config`: as it is used. `written`: as it is in `mcp.json`, before each `${NAME}` is replaced. `secrets`: its secret
 * values.
 */
export type AttachedEntry = { config: AttachedServerConfig; written: AttachedServerConfig; secrets: readonly string[] }

/** The program or address of a server. Tools that were stored for a server belong to exactly one program or address. */
export type Origin =
  | { command: string; args: readonly string[]; cwd?: string | undefined }
  | { type: 'http' | 'sse'; url: string }

export const originOf = (config: AttachedServerConfig): Origin =>
  config.type === 'stdio'
    ? { command: config.command, args: config.args, cwd: config.cwd }
    : { type: config.type, url: config.url }

/**
 * Returns the hash of the parts of an entry that an owner must approve before the entry is used. For a program, the environment is included, because
 * it can make the program load another one. For an address with `${NAME}`, the names of the variables are included and their values are not.
 * Undefined: no approval is needed.
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

  /** Stores that an owner wrote or allowed an entry, so that its program may start. */
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
