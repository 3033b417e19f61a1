import type { WorkbenchBody, WorkbenchSection } from 'protocol'
import { editedPolicy, type PolicyEdit, type PolicyText } from '../gate/policy/change-workbench.ts'
import { policyHashKey } from './active-policy.ts'
import type { Journal, Transactions } from './ports.ts'
import type { ProfileSettings } from './profile-setting.ts'

/**
 * Saves the section `workbench` of policy.yaml. Reading, comparing and writing are one transaction of the database, so that a command and the server
 * do not overwrite each other. If JARVIS crashes between the file and the journal, the next start writes the file to the journal.
 * @param hashOf SHA-256 of a text, hex
 * @throws JarvisError as `editedPolicy`
 */
export function saveWorkbench(
  parts: {
    file: PolicyText
    refusal(path: string): string | undefined
    hashOf(text: string): string
    settings: ProfileSettings
    journal: Journal
    transactions: Transactions
  },
  wanted: WorkbenchBody,
  by: string,
): PolicyEdit {
  const { file, settings, journal } = parts
  return parts.transactions.durably(() => {
    const edit = editedPolicy(file, wanted, parts.refusal)
    if (edit.after === edit.before) return edit
    const hash = parts.hashOf(edit.after)
    settings.set(policyHashKey, hash)
    journal.append('policy', {
      change: 'workbench',
      from: told(edit.section),
      to: told(wanted.section),
      hash,
      ...(wanted.hash !== '' && { before: wanted.hash }),
      by,
    })
    file.write(edit.after)
    return edit
  })
}

/** Returns the section without areas that are switched off, for the journal. */
const told = ({ exec, browser, git, ...rest }: WorkbenchSection) => ({
  ...rest,
  ...(exec && { exec }),
  ...(browser && { browser }),
  ...(git && { git }),
})
