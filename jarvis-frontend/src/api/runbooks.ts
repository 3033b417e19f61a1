import type { Page, PlanRun, Runbook, RunbookCheck, RunbookRunReply, RunbookText } from 'protocol'
import { call } from './http.ts'

const pathOf = (name: string) => `/api/runbooks/${encodeURIComponent(name)}`
type Inputs = Readonly<Record<string, unknown>>

export const listRunbooks = () => call<Page<Runbook>>('GET', '/api/runbooks')
export const readRunbook = (name: string) => call<RunbookText>('GET', pathOf(name))
/** Saves a runbook. @param hash of the text that was edited. @throws ApiError `conflict` if the file has changed since */
export const saveRunbook = (name: string, text: string, hash: string | undefined) =>
  call<RunbookText>('PUT', pathOf(name), { text, ...(hash !== undefined && { hash }) })
export const deleteRunbook = (name: string) => call('DELETE', pathOf(name))
/** Checks a runbook's text for errors; with `inputs`, also does a dry run. Saves nothing and changes nothing. */
export const checkRunbook = (text: string, inputs?: Inputs) =>
  call<RunbookCheck>('POST', '/api/runbooks/check', { text, inputs })
/** Starts a runbook. @returns the session in which its card or plan appears */
export const runRunbook = (name: string, inputs: Inputs) =>
  call<RunbookRunReply>('POST', `${pathOf(name)}/run`, { inputs })

export const readPlan = (id: string) => call<PlanRun>('GET', `/api/plans/${encodeURIComponent(id)}`)
/** Stops a plan after the step that is running. */
export const stopPlan = (id: string) => call('POST', `/api/plans/${encodeURIComponent(id)}/stop`)
