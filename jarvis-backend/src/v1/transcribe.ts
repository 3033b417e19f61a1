import { faultAtProxy } from '../lib/unreachable.ts'

/** A server that converts speech to text with OpenAI's API. */
export type TranscriptionServer = { baseUrl: string; model: string; apiKey?: string }

/** A recording. `name`: a file name, because some servers detect the format by its extension. */
type Recording = { audio: Uint8Array; name: string }

const slowestMs = 5 * 60_000
const mostWords = 300

/** Sends a form with the fields `file` and `model`. Redirects are not followed. @throws Error with a sentence that does not contain the address */
export async function sendRecording(
  { baseUrl, apiKey, model }: TranscriptionServer,
  form: FormData,
  signal: AbortSignal,
): Promise<{ status: number; type: string | undefined; body: Buffer }> {
  const late = AbortSignal.timeout(slowestMs)
  try {
    const answer = await fetch(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/audio/transcriptions`, {
      method: 'POST',
      redirect: 'error',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: form,
      signal: AbortSignal.any([signal, late]),
    })
    const type = answer.headers.get('content-type') ?? undefined
    return { status: answer.status, type, body: Buffer.from(await answer.arrayBuffer()) }
  } catch (cause) {
    const why = late.aborted ? 'it took too long' : (faultAtProxy(cause)?.message ?? 'it could not be reached')
    throw new Error(`${model} did not answer: ${why}`, { cause })
  }
}

/** Converts a recording to text. @throws Error with a sentence that contains at most 300 characters of the server's message */
export async function transcribe(
  server: TranscriptionServer,
  { audio, name }: Recording,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(audio)], name), name)
  form.set('model', server.model)
  form.set('response_format', 'json')
  const { status, body } = await sendRecording(server, form, signal)
  const said = body.toString()
  if (status < 200 || status > 299) throw new Error(`${server.model} answered ${status}. ${said.slice(0, mostWords)}`)
  try {
    const { text } = JSON.parse(said) as { text?: unknown }
    if (typeof text === 'string') return text
  } catch {}
  throw new Error(`${server.model} answered something else than a text`)
}
