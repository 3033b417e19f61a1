import { listAlerts } from './list-alerts.ts'

/** The tools over alerts. */
export const watchTools = [listAlerts]
