import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import { faultAtProxy } from '../lib/unreachable.ts'
import { ok, warn } from './check.ts'

const patienceMs = 5_000

/** Checks that the server that turns speech into text can be reached; no line if none is set. Sends no recording. */
export async function speechChecks(server: Config['transcriptions'], signal: AbortSignal): Promise<DoctorCheck[]> {
  if (server === undefined) return []
  const { model, baseUrl, apiKey } = server
  const { host } = new URL(baseUrl)
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const late = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  let atProxy: string | undefined
  /** @returns the status; undefined: no answer */
  async function asked(path: string, request: RequestInit = {}): Promise<number | undefined> {
    const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${path}`
    const answer = await fetch(url, { ...request, headers, redirect: 'manual', signal: late }).catch(
      (error: unknown) => {
        atProxy = faultAtProxy(error)?.message
        return undefined
      },
    )
    await answer?.body?.cancel()
    return answer?.status
  }
  const path = 'audio/transcriptions'
  let status = await asked('models')
  // whisper.cpp lists no models. If the server takes recordings, it refuses a form without one, and nothing starts.
  if (status === 404 || status === 405) {
    const form = new FormData()
    form.set('model', model)
    status = await asked(path, { method: 'POST', body: form })
    if (status === 400 || status === 415 || status === 422) status = 200
  }
  if (status === undefined)
    return [
      warn(
        'Speech',
        `${host} ${atProxy === undefined ? 'does not answer' : `cannot be reached: ${atProxy}`}, so nothing that is said becomes text.`,
        'Start it, or correct JARVIS_TRANSCRIBE_URL.',
      ),
    ]
  if (status === 401 || status === 403)
    return [warn('Speech', `${host} refuses the key.`, 'Correct JARVIS_TRANSCRIBE_KEY.')]
  if (status === 404 || status === 405)
    return [
      warn(
        'Speech',
        `${host} has nothing at /${path}, so nothing that is said becomes text.`,
        'Correct JARVIS_TRANSCRIBE_URL: it ends where the path of the OpenAI API begins, mostly with /v1.',
      ),
    ]
  if (status >= 300)
    return [warn('Speech', `${host} answered ${status}.`, 'Look into its log, or correct JARVIS_TRANSCRIBE_URL.')]
  return [ok('Speech', `${model} at ${host} turns speech into text.`)]
}
