import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import { bad, ok } from './check.ts'

/** Checks the saved settings. */
export const configurationChecks = ({ settingsProblems }: Pick<Config, 'settingsProblems'>): DoctorCheck[] =>
  settingsProblems.length === 0
    ? [ok('Configuration', 'It can be read.')]
    : settingsProblems.map((problem) =>
        bad('Configuration', problem, 'Save it again in the dashboard, or correct the file.'),
      )

/** Names saved models that cannot be used. */
export const lostModelChecks = ({ modelProblems }: Pick<Config, 'modelProblems'>): DoctorCheck[] =>
  modelProblems.map((lost) => bad('Model', lost, 'Correct models.json in the data dir, or choose another model.'))
