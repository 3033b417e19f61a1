import { call } from './http.ts'

export const readPolicy = () => call('GET /api/policy')
/** Checks a draft of policy.yaml. Writes nothing. */
export const checkPolicy = (text: string) => call('POST /api/policy/check', { body: { text } })
/** Judges the newest calls again by a draft. Writes nothing. @throws ApiError `invalid_request` if the draft cannot be used */
export const replayPolicy = (text: string) => call('POST /api/policy/replay', { body: { text } })
