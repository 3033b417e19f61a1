import type { Alert, AlertsReply } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** The alerts that have not ended, gravest first. `aheadMs`: how far the server's clock is ahead of this browser's. */
export const alerts = new Remote(async () => {
  const reply = await call<AlertsReply>('GET', '/api/alerts')
  return { ...reply, aheadMs: reply.now - Date.now() }
})
export const useAlerts = () => useRemote(alerts)

/** True if it fires, nothing explains it, and nobody took it on. */
export const isOpen = ({ state, hiddenBy, acknowledged, silenced }: Alert): boolean =>
  (state === 'firing' || state === 'held') &&
  hiddenBy === undefined &&
  acknowledged === undefined &&
  silenced === undefined

/** True if a person should look at it: what is only for the record does not count. */
export const needsLook = (alert: Alert): boolean => isOpen(alert) && alert.severity !== 'info'
