import type { SettingInForce } from 'protocol'
import { type Config, ConfigError } from '../config/config.ts'
import { nextStart } from '../config/next-start.ts'
import { policyPath, requirePolicy } from '../config/policy-file.ts'

/** Implemented by the program that starts JARVIS. */
export type Program = {
  /** Reads the configuration as the next start would. @throws ConfigError */
  nextConfig(): Config
  /** Returns every setting with the value in force. Absent: the settings of this process are not known. */
  settings?(): SettingInForce[]
  /** Stops JARVIS and starts it with the new configuration, in the same process. */
  restart(): void
}

/** Compares the running configuration with that of the next start. */
export class NextStart {
  readonly #program: Program
  readonly #config: Config
  readonly #dataDir: string
  readonly #redact: (text: string) => string

  constructor(program: Program, parts: { config: Config; dataDir: string; redact(text: string): string }) {
    this.#program = program
    this.#config = parts.config
    this.#dataDir = parts.dataDir
    this.#redact = (text) => parts.redact(text)
  }

  /** Returns the settings that the next start would change, or why it would fail. */
  saved() {
    try {
      const saved = nextStart(this.#config, this.#program.nextConfig())
      return saved && { nextStart: saved }
    } catch (error) {
      return { cannotStart: this.#problemOf(error) }
    }
  }

  /** Returns why a start now would fail; undefined: it would succeed. */
  problem(): string | undefined {
    try {
      const next = this.#program.nextConfig()
      requirePolicy(policyPath(this.#dataDir))
      const moved = (['host', 'port', 'dataDir'] as const).some((name) => next[name] !== this.#config[name])
      return moved
        ? 'HOST, PORT or JARVIS_DATA_DIR have changed: end JARVIS where it runs, and start it again.'
        : undefined
    } catch (error) {
      return this.#problemOf(error)
    }
  }

  #problemOf(error: unknown): string {
    if (error instanceof ConfigError) return this.#redact(error.message).replace(/\n\s*/g, ' ')
    throw error
  }
}
