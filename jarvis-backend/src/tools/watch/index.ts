import { acknowledgeAlert } from './acknowledge-alert.ts'
import { listAlerts } from './list-alerts.ts'
import { silenceAlert } from './silence-alert.ts'

/** The tools over alerts. */
export const watchTools = [listAlerts, acknowledgeAlert, silenceAlert]
