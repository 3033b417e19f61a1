import type { MaintenanceWindow } from 'protocol'
import { call } from './http.ts'

export const readAlert = (id: string) => call('GET /api/alerts/:id', { params: { id } })
export type HistoryFilter = Partial<Record<'check' | 'object' | 'node', string>>
/** Reads a page of ended alerts, newest first. @param before the `next` of an earlier page */
export const readHistory = (filter: HistoryFilter, before?: string) =>
  call('GET /api/alerts/history', { query: { ...filter, limit: 50, before } })

/** Acknowledges an alert. @param untilValue the value, in the check's unit, at which the acknowledgement ends; undefined: no such value */
export const acknowledge = (id: string, note: string, untilValue: number | undefined) =>
  call('POST /api/alerts/:id/acknowledge', { params: { id }, body: { ...(note !== '' && { note }), untilValue } })
export const unacknowledge = (id: string) => call('POST /api/alerts/:id/unacknowledge', { params: { id } })
/** Silences an alert. @param until Unix ms, at most 30 days ahead; undefined: without an end */
export const silence = (id: string, until: number | undefined, note: string) =>
  call('POST /api/alerts/:id/silence', { params: { id }, body: { until, note } })
export const unsilence = (id: string) => call('POST /api/alerts/:id/unsilence', { params: { id } })

export const readChecks = () => call('GET /api/checks')
export const switchCheck = (id: string, isOff: boolean) =>
  call('PATCH /api/checks/:id', { params: { id }, body: { isOff } })
/** Runs all checks now. */
export const runChecks = () => call('POST /api/checks/run')

export const readWindows = () => call('GET /api/windows')
export const makeWindow = (window: Pick<MaintenanceWindow, 'name' | 'objects' | 'from' | 'until'>) =>
  call('POST /api/windows', { body: window })
export const endWindow = (id: string) => call('DELETE /api/windows/:id', { params: { id } })
