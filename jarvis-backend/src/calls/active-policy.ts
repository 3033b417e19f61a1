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

/** What an operator wrote down; `broken` where it cannot be used. */
type Written =
  | { kind: 'absent' }
  | { kind: 'read'; hash: string; text: string; file: PolicyFile }
  | { kind: 'broken'; problems: string[] }

export type ActivePolicy = {
  /** The policy in force now. */
  current(): Policy
  status(): PolicyStatus
  /** @param by the operator, or `cli`. */
  setProfile(profile: ProfileName, by: string): void
  /** The file was written, removed or broken. */
  edited(now: Written): void
}

/** The setting with the hash of the policy.yaml that the journal recorded last. */
export const policyHashKey = 'policy_hash'
/** The setting with the text of the last policy.yaml that was in force; empty: there was none. A restored database has none. */
export const policyGoodKey = 'policy_good'
const hashOf = (written: Written) => (written.kind === 'read' ? written.hash : '')

/** The policy in force: what is shipped, policy.yaml, and the profile, each change of which is journalled. */
export function createActivePolicy(parts: {
  /** `problems`: of a policy.yaml that cannot be used, in whose place the last good one is in force. */
  written: Exclude<Written, { kind: 'broken' }> & { problems?: string[] }
  /** Whether an attached server has the tool now. */
  hasTool(name: string): boolean
  people: Pick<People, 'list'>
  /** From the environment. */
  protectedTargets: ReadonlySet<string>
  /** Kept equal to the targets that are protected now, for display. */
  shownAsProtected: Set<string>
  /** Gets the node roles of policy.yaml. */
  nodeRoles: { setOfPolicy(roles: NodeRoles): void }
  settings: ProfileSettings
  journal: Journal
  transactions: Transactions
  /** One line for people: what is in force from now on, or why not. */
  announce(text: string, level: 'info' | 'warning'): void
}): ActivePolicy {
  const { protectedTargets, settings, journal, transactions, announce } = parts
  let written: Exclude<Written, { kind: 'broken' }> = parts.written
  let problems: string[] | undefined
  let compiled = compile()
  if (parts.written.problems === undefined) rememberFile(written)
  else tellBroken(parts.written.problems)

  function compile(): Policy {
    const file = written.kind === 'read' ? written.file : {}
    parts.shownAsProtected.clear()
    for (const target of [...protectedTargets, ...(file.protected ?? [])]) parts.shownAsProtected.add(target)
    parts.nodeRoles.setOfPolicy(file.topology?.roles ?? {})
    return compilePolicy({ file, protectedTargets, profile: readProfile(settings) })
  }

  /** Journals a file that is another than the one the journal recorded last. */
  function rememberFile(file: typeof written): void {
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

  function tellBroken(found: string[]): void {
    const isKnown = problems?.join('\n') === found.join('\n')
    problems = found
    if (isKnown) return
    const count = found.length === 1 ? 'a problem' : `${found.length} problems`
    announce(`policy.yaml has ${count}; the policy before stays in force. ${found[0]}`, 'warning')
  }

  function warnings(): string[] {
    const missing = written.kind === 'read' ? attachedToolsIn(written.file).filter((name) => !parts.hasTool(name)) : []
    return [
      ...missing.map((name) => `policy.yaml names ${name}, and no attached server has such a tool now.`),
      ...(written.kind === 'read' ? unmetIn(written.file, parts.people.list()) : []),
    ]
  }

  let isRead = false
  /** Read once in each turn of the event loop, because the CLI may set the profile beside a running server. */
  function current(): Policy {
    if (isRead) return compiled
    isRead = true
    setImmediate(() => {
      isRead = false
    })
    const profile = readProfile(settings)
    if (profile !== compiled.profile) {
      compiled = { ...compiled, profile }
      announce(`Profile ${profile}: ${profiles[profile].description}.`, 'info')
    }
    return compiled
  }

  return {
    current,
    status() {
      const { profile, mayBreakGlass } = current()
      return {
        profile,
        ...(mayBreakGlass && { mayBreakGlass: true as const }),
        ...(written.kind === 'read' && { hash: written.hash }),
        ...(problems !== undefined && { problems }),
        ...(warnings().length > 0 && { warnings: warnings() }),
      }
    },
    setProfile(profile, by) {
      transactions.durably(() => setProfile({ settings, journal }, profile, by))
      isRead = false
      current()
    },
    edited(next) {
      current()
      if (next.kind === 'broken') {
        tellBroken(next.problems)
        return
      }
      // The page and the command record their own change, so the journal does not tell what is new here.
      const isNews = hashOf(next) !== hashOf(written) || problems !== undefined
      rememberFile(next)
      written = next
      problems = undefined
      if (!isNews) return
      compiled = compile()
      announce(
        written.kind === 'read'
          ? [`policy.yaml is in force: ${summaryOf(written.file)}.`, ...warnings()].join(' ')
          : 'policy.yaml is gone: what it added is no longer in force.',
        'info',
      )
    },
  }
}
