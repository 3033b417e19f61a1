import type { Alert, AlertsReply } from 'protocol'
import { type Effect, Mistake, noTarget } from '../../gate/effect.ts'
import { type ToolContext, toolOver } from '../tool.ts'

export type WatchPorts = {
  /** The present alerts. */
  alerts(): AlertsReply
  /** Alerts that ended, newest first. */
  ended(limit: number): Alert[]
  /** Acknowledges an alert in somebody's name. @throws JarvisError `not_found`, `conflict` if it has ended */
  acknowledge(id: string, by: string): Alert
  /** Silences an alert until a time, Unix ms. @throws JarvisError as `acknowledge`, `invalid_request` */
  silence(id: string, by: string, given: { until: number; note: string }): Alert
}

export const watchTool = toolOver<WatchPorts>()

/** Returns a present alert. @param ports absent if no JARVIS runs: no alert is known then @throws Mistake if there is no such alert */
export function presentAlert(id: string, ports: WatchPorts | undefined): Alert {
  const alert = ports?.alerts().items.find((one) => one.id === id)
  if (alert === undefined)
    throw new Mistake('alert: there is no such alert now. list_alerts shows them with their ids.')
  return alert
}

/** The effect that fewer messages are sent. @param because why a person must agree; undefined: nobody must */
export const quieter = (sentence: string, because: string | undefined): Effect => ({
  kind: 'config',
  on: 'site',
  target: noTarget,
  sentence,
  ...(because !== undefined && { atLeast: { tier: 'red', because } }),
})

export const graveWords = 'The alert says that something does not work, or that data is at risk.'

/** The name under which the alert keeps who decided. */
export const deciderOf = ({ approvedBy, asker }: Pick<ToolContext, 'approvedBy' | 'asker'>): string =>
  approvedBy ?? asker?.name ?? 'a tool call'

export const undoneByHand = {
  kind: 'none',
  because: 'A person takes it back on the page Alerts.',
  losesNothing: true,
} as const
