import type { DoctorCheck } from 'protocol'
import { warn } from './check.ts'

/** Checks the policy in force: a line for each warning. */
export const policyChecks = (warnings: readonly string[]): DoctorCheck[] =>
  warnings.map((text) =>
    warn('Policy', text, 'Change policy.yaml, or let more people in. docs/roles.md says who approves.'),
  )
