import { call } from './http.ts'

type Inputs = Record<string, unknown>

export const listRunbooks = () => call('GET /api/runbooks')
export const readRunbook = (name: string) => call('GET /api/runbooks/:name', { params: { name } })
/** Saves a runbook. @param hash of the text that was edited. @throws ApiError `conflict` if the file has changed since */
export const saveRunbook = (name: string, text: string, hash: string | undefined) =>
  call('PUT /api/runbooks/:name', { params: { name }, body: { text, hash } })
export const deleteRunbook = (name: string) => call('DELETE /api/runbooks/:name', { params: { name } })
/** Checks a runbook's text for errors; with `inputs`, also does a dry run. Saves nothing and changes nothing. */
export const checkRunbook = (text: string, inputs?: Inputs) =>
  call('POST /api/runbooks/check', { body: { text, inputs } })
/** Starts a runbook. @returns the session in which its card or plan appears */
export const runRunbook = (name: string, inputs: Inputs) =>
  call('POST /api/runbooks/:name/run', { params: { name }, body: { inputs } })

export const readPlan = (id: string) => call('GET /api/plans/:id', { params: { id } })
/** Stops a plan after the step that is running. */
export const stopPlan = (id: string) => call('POST /api/plans/:id/stop', { params: { id } })
