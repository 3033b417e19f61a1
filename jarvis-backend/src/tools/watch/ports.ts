import type { Alert, AlertsReply } from 'protocol'
import { Mistake } from '../../gate/effect.ts'
import { toolOver } from '../tool.ts'

export type WatchPorts = {
  /** The present alerts. */
  alerts(): AlertsReply
  /** Alerts that ended, newest first. */
  ended(limit: number): Alert[]
  /** Acknowledges an alert in somebody's name, or takes that back. @throws JarvisError `not_found`, `conflict` if it has ended */
  acknowledge(id: string, by: string, note: string | undefined): Alert
  unacknowledge(id: string, by: string): Alert
  /** Silences an alert until a time, Unix ms, or ends that. @throws JarvisError as `acknowledge`, `invalid_request` */
  silence(id: string, by: string, given: { until: number; note: string }): Alert
  unsilence(id: string, by: string): Alert
}

export const watchTool = toolOver<WatchPorts>()

/** Returns a present alert. @param ports absent if no JARVIS runs: no alert is known then @throws Mistake if there is no such alert */
export function presentAlert(id: string, ports: WatchPorts | undefined): Alert {
  const alert = ports?.alerts().items.find((one) => one.id === id)
  if (alert === undefined)
    throw new Mistake('alert: there is no such alert now. list_alerts shows them with their ids.')
  return alert
}
