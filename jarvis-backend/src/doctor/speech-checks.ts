import type { Config } from '../config/config.ts'
import type { DoctorCheck } from '../protocol/index.ts'
import { ok, warn } from './check.ts'

const patienceMs = 5_000

/** Whether the server that turns speech into text can be reached; nothing where none is set. No recording is sent. */
export async function speechChecks(server: Config['transcriptions'], signal: AbortSignal): Promise<DoctorCheck[]> {
  if (server === undefined) return []
  const { model, baseUrl, apiKey } = server
  const { host } = new URL(baseUrl)
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const late = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
    headers,
    redirect: 'manual',
    signal: late,
  }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer === undefined)
    return [
      warn(
        'Speech',
        `${host} does not answer, so nothing that is said becomes text.`,
        'Start it, or correct JARVIS_TRANSCRIBE_URL.',
      ),
    ]
  if (answer.status === 401 || answer.status === 403)
    return [warn('Speech', `${host} refuses the key.`, 'Correct JARVIS_TRANSCRIBE_KEY.')]
  return [ok('Speech', `${model} at ${host} turns speech into text.`)]
}
