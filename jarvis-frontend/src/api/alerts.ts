import type { Alert } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** The alerts that have not ended, gravest first. `aheadMs`: how far the server's clock is ahead of this browser's. */
export const alerts = new Remote('alerts', async () => {
  const reply = await call('GET /api/alerts')
  return { ...reply, aheadMs: reply.now - Date.now() }
}, ['connect', 'alerts'])
export const useAlerts = () => useRemote(alerts)

/** True if the alert fires, no other alert explains it, and nobody acknowledged or silenced it. */
export const isOpen = ({ state, hiddenBy, acknowledged, silenced }: Alert): boolean =>
  (state === 'firing' || state === 'held') &&
  hiddenBy === undefined &&
  acknowledged === undefined &&
  silenced === undefined

/** True if a person should look at the alert. Severity `info` does not count. */
export const needsLook = (alert: Alert): boolean => isOpen(alert) && alert.severity !== 'info'
