import type { DoctorCheck, WorkbenchReply } from 'protocol'
import { ok, warn } from './check.ts'

/** The parts of the workbench that are on, and what they lack. Parts that are off are no matter. */
export const workbenchChecks = ({ areas }: WorkbenchReply): DoctorCheck[] =>
  areas
    .filter(({ isOn }) => isOn)
    .flatMap(({ name, missing, facts }) =>
      missing.length === 0
        ? [ok('Workbench', [`${name} is on`, ...facts].join(', ').concat('.'))]
        : missing.map(({ what, remedy }) => warn('Workbench', `${name} is on, and ${what} is missing.`, remedy)),
    )
