import type { Alert, AlertDetail, AlertHistory, ChecksReply, MaintenanceWindow, Page } from 'protocol'
import { call } from './http.ts'

const pathOf = (id: string) => `/api/alerts/${encodeURIComponent(id)}`

export const readAlert = (id: string) => call<AlertDetail>('GET', pathOf(id))
export type HistoryFilter = Partial<Record<'check' | 'object' | 'node', string>>
/** Reads a page of ended alerts, newest first. @param before the `next` of an earlier page */
export const readHistory = (filter: HistoryFilter, before?: string) =>
  call<AlertHistory>(
    'GET',
    `/api/alerts/history?${new URLSearchParams({ ...filter, limit: '50', ...(before !== undefined && { before }) })}`,
  )

/** Acknowledges an alert. @param untilValue the value, in the check's unit, at which the acknowledgement ends; undefined: no such value */
export const acknowledge = (id: string, note: string, untilValue: number | undefined) =>
  call<Alert>('POST', `${pathOf(id)}/acknowledge`, {
    ...(note !== '' && { note }),
    untilValue,
  })
export const unacknowledge = (id: string) => call<Alert>('POST', `${pathOf(id)}/unacknowledge`)
/** Silences an alert. @param until Unix ms, at most 30 days ahead; undefined: without an end */
export const silence = (id: string, until: number | undefined, note: string) =>
  call<Alert>('POST', `${pathOf(id)}/silence`, { until, note })
export const unsilence = (id: string) => call<Alert>('POST', `${pathOf(id)}/unsilence`)

export const readChecks = () => call<ChecksReply>('GET', '/api/checks')
export const switchCheck = (id: string, isOff: boolean) =>
  call('PATCH', `/api/checks/${encodeURIComponent(id)}`, { isOff })
/** Runs all checks now. */
export const runChecks = () => call('POST', '/api/checks/run')

export const readWindows = () => call<Page<MaintenanceWindow>>('GET', '/api/windows')
export const makeWindow = (window: Pick<MaintenanceWindow, 'name' | 'objects' | 'from' | 'until'>) =>
  call<MaintenanceWindow>('POST', '/api/windows', window)
export const endWindow = (id: string) => call('DELETE', `/api/windows/${encodeURIComponent(id)}`)
