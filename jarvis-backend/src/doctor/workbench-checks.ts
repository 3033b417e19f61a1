import type { DoctorCheck, WorkbenchReply } from 'protocol'
import { ok, warn } from './check.ts'

/** Checks the areas of the workbench that are on, and names what each lacks. Areas that are off get no line. */
export const workbenchChecks = ({ areas }: WorkbenchReply): DoctorCheck[] =>
  areas
    .filter(({ isOn }) => isOn)
    .flatMap(({ name, missing, facts }) =>
      missing.length === 0
        ? [ok('Workbench', [`${name} is on`, ...facts].join(', ').concat('.'))]
        : missing.map(({ what, remedy }) => warn('Workbench', `${name} is on, and ${what} is missing.`, remedy)),
    )
