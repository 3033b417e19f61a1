import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesOf } from './body.ts'
import { ApiError, badField } from './errors.ts'
import { sendRecording, type TranscriptionServer } from './transcribe.ts'

/** Maximum size of a recording, the same as OpenAI's, and of the rest of the form, bytes. */
const mostBytes = 25 * 1024 * 1024
const formBytes = 64 * 1024
const types = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']
const formats = ['json', 'text', 'verbose_json', 'srt', 'vtt']
/** Fields that are passed on. `timestamp_granularities[]` may come several times. */
const passed = ['language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]']

/**
 * @param server undefined: no server is set @param requireBudget throws if the day's limit is used up @param redact applied to the server's error
 * messages @returns a handler of `POST /v1/audio/transcriptions`, which sends a recording to the server and returns the server's answer
 */
export function createTranscriptions(
  server: TranscriptionServer | undefined,
  requireBudget: () => void,
  redact: (text: string) => string,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (server === undefined)
      throw new ApiError(
        501,
        'not_configured',
        'JARVIS has nothing that turns speech into text. Set JARVIS_TRANSCRIPTIONS, for example openai/whisper-1.',
        { isFinal: true },
      )
    const form = await formOf(request)
    requireBudget()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let answer: Awaited<ReturnType<typeof sendRecording>>
    try {
      answer = await sendRecording(server, passedOn(form, server.model), gone.signal)
    } catch (cause) {
      if (gone.signal.aborted) return
      const why = cause instanceof Error ? cause.message : `${server.model} did not answer`
      throw new ApiError(502, 'transcription_failed', `${why}.`, { isFinal: true, cause })
    }
    const { status, type, body } = answer
    if (status < 200 || status > 299) {
      const said = redact(body.toString().slice(0, 300))
      const isOurs = status === 400 || status === 413 || status === 429
      throw new ApiError(isOurs ? status : 502, 'transcription_failed', `${server.model} answered ${status}. ${said}`, {
        isFinal: true,
      })
    }
    response.writeHead(200, { 'Content-Type': type ?? 'application/json; charset=utf-8' })
    response.end(body)
  }
}

/** @throws ApiError 400, 413 */
async function formOf(request: IncomingMessage): Promise<FormData> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new ApiError(
      400,
      'invalid_request',
      'Send the recording as multipart/form-data, with the fields file and model.',
    )
  const bytes = await bytesOf(request, mostBytes + formBytes)
  let form: FormData
  try {
    form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new ApiError(400, 'invalid_request', 'The form could not be read.', { cause })
  }
  const file = form.get('file')
  if (!(file instanceof File)) throw badField('file', 'There is no file.')
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? ''
  if (!types.includes(ending)) throw badField('file', `The file's name ends with one of: ${types.join(', ')}.`)
  if (file.size === 0) throw badField('file', 'The file is empty.')
  if (file.size > mostBytes)
    throw new ApiError(413, 'message_too_large', `A recording has at most ${mostBytes / 1024 / 1024} MB.`, {
      param: 'file',
    })
  if (typeof form.get('model') !== 'string') throw badField('model', 'There is no model. Send jarvis.')
  const format = form.get('response_format')
  if (format !== null && !formats.includes(String(format)))
    throw badField('response_format', `The response_format is one of: ${formats.join(', ')}.`)
  if (form.get('stream') === 'true') throw badField('stream', 'A transcript comes in one piece. Leave stream out.')
  return form
}

/** Returns the form for the server. The recording gets a new file name, without the person's folders; only known fields are included. */
function passedOn(form: FormData, model: string): FormData {
  const next = new FormData()
  const file = form.get('file') as File
  next.set('file', file, `recording.${/(?<![a-z0-9])[a-z0-9]+$/i.exec(file.name)?.[0].toLowerCase()}`)
  next.set('model', model)
  for (const name of passed)
    for (const value of form.getAll(name)) if (typeof value === 'string') next.append(name, value)
  return next
}
