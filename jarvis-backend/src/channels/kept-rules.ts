import { ChannelRules } from 'protocol'

const key = 'channel_rules'
const none: ChannelRules = { routes: [], escalation: {} }

/** The rules for channels, kept in the settings. Rules that cannot be read count as no rules. */
export class KeptRules {
  readonly #settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  #rules: ChannelRules | undefined

  constructor(settings: { get(key: string): string | undefined; set(key: string, value: string): void }) {
    this.#settings = settings
  }

  now(): ChannelRules {
    this.#rules ??= this.#read()
    return this.#rules
  }

  set(rules: ChannelRules): void {
    this.#settings.set(key, JSON.stringify(rules))
    this.#rules = rules
  }

  #read(): ChannelRules {
    const kept = this.#settings.get(key)
    const parsed = kept === undefined ? undefined : ChannelRules.safeParse(JSON.parse(kept))
    return parsed?.success === true ? parsed.data : none
  }
}
