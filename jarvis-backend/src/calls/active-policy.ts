import type { NodeRoles, PolicyStatus, ProfileName } from 'protocol'
import {
  attachedToolsIn,
  compilePolicy,
  type Policy,
  type PolicyFile,
  profiles,
  summaryOf,
  unmetIn,
} from '../gate/index.ts'
import type { People } from './people.ts'
import type { Journal, Transactions } from './ports.ts'
import { type ProfileSettings, readProfile, setProfile } from './profile-setting.ts'

/** The operator's policy.yaml. `broken`: the file cannot be used. */
type Written =
  | { kind: 'absent' }
  | { kind: 'read'; hash: string; text: string; file: PolicyFile }
  | { kind: 'broken'; problems: string[] }
type Usable = Exclude<Written, { kind: 'broken' }>

export interface ActivePolicy {
  /** Returns the policy in force now. */
  current(): Policy
  status(): PolicyStatus
  /** @param by the operator who sets the profile, or `cli` */
  setProfile(profile: ProfileName, by: string): void
  /** Call it after the file was written or removed. `now`: its new content. */
  edited(now: Written): void
}

/** The setting with the hash of the policy.yaml that the journal recorded last. */
export const policyHashKey = 'policy_hash'
/** The setting with the text of the last policy.yaml that was in force; empty: there was no file. A restored database does not have this setting. */
export const policyGoodKey = 'policy_good'
const hashOf = (written: Written) => (written.kind === 'read' ? written.hash : '')

export type PolicyParts = {
  /** The policy.yaml at the start. `problems`: set if the file cannot be used; `written` is then the last usable policy, and stays in force. */
  written: Usable & { problems?: string[] }
  /** Returns true if an attached server has the tool now. */
  hasTool(name: string): boolean
  people: Pick<People, 'list'>
  /** Targets that the environment protects. */
  protectedTargets: ReadonlySet<string>
  /** The targets that are protected now, kept up to date for display. */
  shownAsProtected: Set<string>
  /** Receives the node roles of policy.yaml. */
  nodeRoles: { setOfPolicy(roles: NodeRoles): void }
  settings: ProfileSettings
  journal: Journal
  transactions: Transactions
  /** Adds an activity line: the policy that is in force from now on, or why a new one is not. */
  announce(text: string, level: 'info' | 'warning'): void
}

/** The policy in force: the shipped rules, policy.yaml and the profile. Each change of the file or the profile is written to the journal. */
export class FilePolicy implements ActivePolicy {
  readonly #parts: PolicyParts
  #written: Usable
  #problems: string[] | undefined
  #compiled: Policy
  #isRead = false

  constructor(parts: PolicyParts) {
    this.#parts = parts
    this.#written = parts.written
    this.#compiled = this.#compile()
    if (parts.written.problems === undefined) this.#rememberFile(parts.written)
    else this.#tellBroken(parts.written.problems)
  }

  /**
   * Returns the policy in force. Rereads the profile at most once per turn of the event loop, because the CLI may change it while the server runs.
   */
  current(): Policy {
    if (this.#isRead) return this.#compiled
    this.#isRead = true
    setImmediate(() => {
      this.#isRead = false
    })
    const profile = readProfile(this.#parts.settings)
    if (profile !== this.#compiled.profile) {
      this.#compiled = { ...this.#compiled, profile }
      this.#parts.announce(`Profile ${profile}: ${profiles[profile].description}.`, 'info')
    }
    return this.#compiled
  }

  status(): PolicyStatus {
    const { profile, mayBreakGlass } = this.current()
    const warnings = this.#warnings()
    return {
      profile,
      ...(mayBreakGlass && { mayBreakGlass: true as const }),
      ...(this.#written.kind === 'read' && { hash: this.#written.hash }),
      problems: this.#problems,
      ...(warnings.length > 0 && { warnings }),
    }
  }

  setProfile(profile: ProfileName, by: string): void {
    const { settings, journal, transactions } = this.#parts
    transactions.durably(() => setProfile({ settings, journal }, profile, by))
    this.#isRead = false
    this.current()
  }

  edited(next: Written): void {
    this.current()
    if (next.kind === 'broken') {
      this.#tellBroken(next.problems)
      return
    }
    // The dashboard and the command line write their own change to the journal. So the journal cannot tell if the file is new to this process.
    const isNews = hashOf(next) !== hashOf(this.#written) || this.#problems !== undefined
    this.#rememberFile(next)
    this.#written = next
    this.#problems = undefined
    if (!isNews) return
    this.#compiled = this.#compile()
    this.#parts.announce(
      next.kind === 'read'
        ? [`policy.yaml is in force: ${summaryOf(next.file)}.`, ...this.#warnings()].join(' ')
        : 'policy.yaml is gone: what it added is no longer in force.',
      'info',
    )
  }

  #compile(): Policy {
    const { protectedTargets, shownAsProtected, nodeRoles, settings } = this.#parts
    const file = this.#written.kind === 'read' ? this.#written.file : {}
    shownAsProtected.clear()
    for (const target of [...protectedTargets, ...(file.protected ?? [])]) shownAsProtected.add(target)
    nodeRoles.setOfPolicy(file.topology?.roles ?? {})
    return compilePolicy({ file, protectedTargets, profile: readProfile(settings) })
  }

  /** Writes a file to the journal if it differs from the last one recorded there. */
  #rememberFile(file: Usable): void {
    const { settings, journal, transactions } = this.#parts
    const hash = hashOf(file)
    const text = file.kind === 'read' ? file.text : ''
    if ((settings.get(policyGoodKey) ?? '') !== text) transactions.durably(() => settings.set(policyGoodKey, text))
    const before = settings.get(policyHashKey) ?? ''
    if (hash === before) return
    transactions.durably(() => {
      settings.set(policyHashKey, hash)
      journal.append('policy', {
        change: 'file',
        ...(hash !== '' && { hash }),
        ...(before !== '' && { before }),
        by: 'file',
      })
    })
  }

  #tellBroken(found: string[]): void {
    const isKnown = this.#problems?.join('\n') === found.join('\n')
    this.#problems = found
    if (isKnown) return
    const count = found.length === 1 ? 'a problem' : `${found.length} problems`
    this.#parts.announce(`policy.yaml has ${count}; the policy before stays in force. ${found[0]}`, 'warning')
  }

  #warnings(): string[] {
    const { hasTool, people } = this.#parts
    const written = this.#written
    const missing = written.kind === 'read' ? attachedToolsIn(written.file).filter((name) => !hasTool(name)) : []
    return [
      ...missing.map((name) => `policy.yaml names ${name}, and no attached server has such a tool now.`),
      ...(written.kind === 'read' ? unmetIn(written.file, people.list()) : []),
    ]
  }
}
